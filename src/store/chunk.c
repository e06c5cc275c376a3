// SPDX-License-Identifier: GPL-2.0-only
#include "store/chunk.h"

struct kmp_error *kmp_chunk_init(struct kmp_chunk *chunk, size_t max)
{
	*chunk = (struct kmp_chunk){ .max = max };
	chunk->owner = calloc(max, sizeof(*chunk->owner));
	chunk->state = calloc(max, sizeof(*chunk->state));
	chunk->orders = calloc(max, sizeof(*chunk->orders));
	chunk->differences = calloc(max, sizeof(*chunk->differences));
	bool ok = chunk->owner && chunk->state && chunk->orders && chunk->differences;

	for (int i = STORED_RECORDS; i < STORED_COUNT; i++) {
		chunk->values[i] = calloc(max, sizeof(**chunk->values));
		ok = ok && chunk->values[i];
	}
	if (ok)
		return NULL;
	kmp_chunk_deinit(chunk);
	return &kmp_error_no_memory;
}

void kmp_chunk_deinit(struct kmp_chunk *chunk)
{
	free(chunk->owner);
	free(chunk->state);
	free(chunk->orders);
	free(chunk->differences);
	for (int i = 0; i < STORED_COUNT; i++)
		free(chunk->values[i]);
	*chunk = (struct kmp_chunk){ 0 };
}

static uint64_t pages_of(uint64_t records, uint8_t order)
{
	return order < 64 ? records << order : 0;
}

static uint64_t end_of(uint64_t pfn, uint64_t pages)
{
	return pfn == KMP_UNKNOWN ? pfn : pfn + pages;
}

void kmp_chunk_find_shift(struct kmp_chunk *chunk)
{
	const uint64_t *pfn = chunk->values[STORED_PFN];
	const uint64_t *block = chunk->values[STORED_BLOCK];
	uint64_t best = 0;
	size_t at = 0;

	/* The largest PFN has the most bits to tell. */
	for (size_t i = 0; i < chunk->count; i++) {
		if (pfn[i] != KMP_UNKNOWN && block[i] != KMP_UNKNOWN && pfn[i] >= best) {
			best = pfn[i];
			at = i;
		}
	}
	chunk->block_shift = 0;
	for (unsigned shift = 0; shift < 64; shift++) {
		if (chunk->count && best >> shift == block[at]) {
			chunk->block_shift = shift;
			return;
		}
	}
}

static uint64_t expected_records(const struct kmp_chunk *chunk, size_t i)
{
	uint32_t owner = chunk->owner[i];

	return owner < chunk->base_count ? chunk->base[owner].records : 1;
}

static uint64_t expected_pages(const struct kmp_chunk *chunk, size_t i)
{
	uint32_t owner = chunk->owner[i];

	return owner < chunk->base_count
		       ? chunk->base[owner].pages
		       : pages_of(chunk->values[STORED_RECORDS][i], chunk->orders[i]);
}

static void subtract_expected(struct kmp_chunk *chunk, enum kmp_stored column)
{
	const uint64_t *v = chunk->values[column];
	const uint64_t *pages = chunk->values[STORED_PAGES];
	const uint64_t *pfn = chunk->values[STORED_PFN];
	uint64_t *d = chunk->differences;
	uint64_t before = column == STORED_BLOCK ? 0 : KMP_UNKNOWN;

	for (size_t i = 0; i < chunk->count; i++) {
		switch (column) {
		case STORED_RECORDS:
			d[i] = v[i] - expected_records(chunk, i);
			break;
		case STORED_PAGES:
			d[i] = v[i] - expected_pages(chunk, i);
			break;
		case STORED_PFN:
			d[i] = v[i] - before;
			before = end_of(v[i], pages[i]);
			break;
		case STORED_BLOCK:
			d[i] = v[i] - (pfn[i] >> chunk->block_shift) - before;
			before += d[i];
			break;
		default:
			d[i] = v[i] - before;
			before = v[i];
			break;
		}
	}
}

/* Series tell of the same owners in the same order. */
static struct kmp_error *code_successors(struct kmp_chunk *chunk, struct kmp_coder *coder,
					 int level)
{
	uint64_t expected = 0;

	for (size_t i = 0; i < chunk->count; i++) {
		chunk->differences[i] = chunk->owner[i] - expected;
		expected = (uint64_t)chunk->owner[i] + 1;
	}
	return kmp_code_differences(coder, chunk->differences, chunk->count, level);
}

struct kmp_error *kmp_chunk_code(struct kmp_chunk *chunk, enum kmp_stored column,
				 struct kmp_coder *coder, int level)
{
	if (column == STORED_OWNER && chunk->base_count)
		return code_successors(chunk, coder, level);
	if (column == STORED_OWNER)
		return kmp_code_numbers(coder, chunk->owner, chunk->count, level);
	if (column == STORED_STATE)
		return kmp_code_numbers(coder, chunk->state, chunk->count, level);
	subtract_expected(chunk, column);
	return kmp_code_differences(coder, chunk->differences, chunk->count, level);
}

static void add_expected(struct kmp_chunk *chunk, enum kmp_stored column)
{
	uint64_t *v = chunk->values[column];
	const uint64_t *pages = chunk->values[STORED_PAGES];
	const uint64_t *pfn = chunk->values[STORED_PFN];
	uint64_t before = column == STORED_BLOCK ? 0 : KMP_UNKNOWN;
	size_t n = chunk->count;

	switch (column) {
	case STORED_RECORDS:
		for (size_t i = 0; i < n; i++)
			v[i] += expected_records(chunk, i);
		break;
	case STORED_PAGES:
		for (size_t i = 0; i < n; i++)
			v[i] += expected_pages(chunk, i);
		break;
	case STORED_PFN:
		for (size_t i = 0; i < n; i++) {
			v[i] += before;
			before = end_of(v[i], pages[i]);
		}
		break;
	case STORED_BLOCK:
		for (size_t i = 0; i < n; i++) {
			before += v[i];
			v[i] = before + (pfn[i] >> chunk->block_shift);
		}
		break;
	default:
		for (size_t i = 0; i < n; i++) {
			before += v[i];
			v[i] = before;
		}
		break;
	}
}

static struct kmp_error *decode_successors(struct kmp_chunk *chunk, struct kmp_coder *coder,
					   const uint8_t *bytes, size_t len)
{
	uint64_t expected = 0;

	try(kmp_decode_differences(coder, bytes, len, chunk->count, chunk->differences));
	for (size_t i = 0; i < chunk->count; i++) {
		uint64_t owner = chunk->differences[i] + expected;

		/* What does not fit is no owner either, which the caller checks. */
		chunk->owner[i] = owner > UINT32_MAX ? UINT32_MAX : (uint32_t)owner;
		expected = owner + 1;
	}
	return NULL;
}

struct kmp_error *kmp_chunk_decode(struct kmp_chunk *chunk, enum kmp_stored column,
				   struct kmp_coder *coder, const uint8_t *bytes, size_t len)
{
	if (column == STORED_OWNER && chunk->base_count)
		return decode_successors(chunk, coder, bytes, len);
	if (column == STORED_OWNER)
		return kmp_decode_numbers(coder, bytes, len, chunk->count, chunk->owner);
	if (column == STORED_STATE)
		return kmp_decode_numbers(coder, bytes, len, chunk->count, chunk->state);
	try(kmp_decode_differences(coder, bytes, len, chunk->count, chunk->values[column]));
	add_expected(chunk, column);
	return NULL;
}
