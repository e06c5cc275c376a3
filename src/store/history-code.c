// SPDX-License-Identifier: GPL-2.0-only
#include "store/history-code.h"

#include "store/load.h"

enum {
	LEVEL = 3,
	NUMBER_MAX = 10, /* bytes of a number */
	HEAD_MAX = 3 * NUMBER_MAX
};

void kmp_sample_coder_deinit(struct kmp_sample_coder *coder)
{
	ZSTD_freeCCtx(coder->compressor);
	ZSTD_freeDCtx(coder->decompressor);
	vec_deinit(&coder->plain);
	vec_deinit(&coder->packed);
	vec_deinit(&coder->changed);
	vec_deinit(&coder->deltas);
}

struct kmp_error *kmp_figures_reach(struct kmp_figures *figures, size_t len)
{
	size_t cap = figures->cap ? figures->cap : 64;

	if (len > figures->cap) {
		while (cap < len)
			cap += cap / 2;
		uint64_t *values = realloc(figures->values, cap * sizeof(*values));

		if (values)
			figures->values = values;
		uint64_t *counts = realloc(figures->counts, cap * sizeof(*counts));

		if (counts)
			figures->counts = counts;
		if (!values || !counts)
			return &kmp_error_no_memory;
		figures->cap = cap;
	}
	if (len > figures->len) {
		memset(figures->values + figures->len, 0,
		       (len - figures->len) * sizeof(*figures->values));
		memset(figures->counts + figures->len, 0,
		       (len - figures->len) * sizeof(*figures->counts));
		figures->len = len;
	}
	return NULL;
}

void kmp_figures_clear(struct kmp_figures *figures)
{
	figures->len = 0;
}

void kmp_figures_deinit(struct kmp_figures *figures)
{
	free(figures->values);
	free(figures->counts);
	*figures = (struct kmp_figures){ 0 };
}

/* ---- Numbers ---- */

static uint8_t *put_number(uint8_t *p, uint64_t value)
{
	while (value >= 0x80) {
		*p++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*p++ = (uint8_t)value;
	return p;
}

static uint8_t *put_change(uint8_t *p, uint64_t change)
{
	return put_number(p, change << 1 ^ -(change >> 63));
}

/* The end of the number, or NULL: there must be one before end. */
static inline const uint8_t *get_number(const uint8_t *p, const uint8_t *end, uint64_t *value)
{
	uint64_t v = 0;

	for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
		v |= (uint64_t)(*p & 0x7f) << shift;
		if (!(*p++ & 0x80)) {
			*value = v;
			return p;
		}
	}
	return NULL;
}

static inline uint64_t change_of(uint64_t number)
{
	return number >> 1 ^ -(number & 1);
}

/* The change of a count that goes with this change of the value. */
static uint64_t likely(uint64_t value, uint64_t count, uint64_t change)
{
	int64_t each = count ? (int64_t)(value / count) : 0;

	if (each <= 0 || value % count)
		return 0;
	if (each == 1)
		return change;
	return (uint64_t)((int64_t)change / each);
}

/* ---- Coding ---- */

static uint64_t value_of(const struct kmp_figures *figures, size_t i)
{
	return figures && i < figures->len ? figures->values[i] : 0;
}

static uint64_t count_of(const struct kmp_figures *figures, size_t i)
{
	return figures && i < figures->len ? figures->counts[i] : 0;
}

static struct kmp_error *find_changed(struct kmp_sample_coder *coder,
				      const struct kmp_figures *before,
				      const struct kmp_figures *now)
{
	size_t len = before && before->len > now->len ? before->len : now->len;

	coder->changed.len = 0;
	try(vec_reserve(&coder->changed, len));
	for (size_t i = 0; i < len; i++) {
		coder->changed.data[coder->changed.len] = (uint32_t)i;
		coder->changed.len += value_of(before, i) != value_of(now, i) ||
				      count_of(before, i) != count_of(now, i);
	}
	return NULL;
}

static uint8_t *put_indices(const struct kmp_sample_coder *coder, uint8_t *p)
{
	uint32_t next = 0;

	for (size_t i = 0; i < coder->changed.len; i++) {
		p = put_number(p, coder->changed.data[i] - next);
		next = coder->changed.data[i] + 1;
	}
	return p;
}

static uint8_t *put_values(const struct kmp_sample_coder *coder, const struct kmp_figures *before,
			   const struct kmp_figures *now, uint8_t *p)
{
	for (size_t i = 0; i < coder->changed.len; i++) {
		uint32_t at = coder->changed.data[i];

		p = put_change(p, value_of(now, at) - value_of(before, at));
	}
	return p;
}

static uint8_t *put_counts(const struct kmp_sample_coder *coder, const struct kmp_figures *before,
			   const struct kmp_figures *now, uint8_t *p)
{
	for (size_t i = 0; i < coder->changed.len; i++) {
		uint32_t at = coder->changed.data[i];
		uint64_t value = value_of(before, at), count = count_of(before, at);
		uint64_t expected = likely(value, count, value_of(now, at) - value);

		p = put_change(p, count_of(now, at) - count - expected);
	}
	return p;
}

static struct kmp_error *compress(struct kmp_sample_coder *coder)
{
	size_t bound = ZSTD_compressBound(coder->plain.len);

	if (!coder->compressor)
		coder->compressor = ZSTD_createCCtx();
	if (!coder->compressor)
		return &kmp_error_no_memory;
	coder->packed.len = 0;
	try(vec_reserve(&coder->packed, bound));
	size_t size = ZSTD_compressCCtx(coder->compressor, coder->packed.data, bound,
					coder->plain.data, coder->plain.len, LEVEL);

	if (ZSTD_isError(size))
		return kmp_error_new(KMP_ERROR_LIMIT, "zstd: %s", ZSTD_getErrorName(size));
	coder->packed.len = size;
	return NULL;
}

struct kmp_error *kmp_sample_code(struct kmp_sample_coder *coder, const struct kmp_figures *before,
				  const struct kmp_figures *now)
{
	try(find_changed(coder, before, now));
	coder->packed.len = 0;
	if (!coder->changed.len)
		return NULL;
	coder->plain.len = 0;
	try(vec_reserve(&coder->plain, HEAD_MAX + 3 * NUMBER_MAX * coder->changed.len));
	/* The lists first, the head when their lengths are known. */
	uint8_t head[HEAD_MAX], *start = coder->plain.data + HEAD_MAX;
	uint8_t *values = put_indices(coder, start);
	uint8_t *counts = put_values(coder, before, now, values);
	uint8_t *end = put_counts(coder, before, now, counts);
	uint8_t *p = put_number(head, coder->changed.len);

	p = put_number(p, (uint64_t)(values - start));
	p = put_number(p, (uint64_t)(counts - values));
	size_t len = (size_t)(p - head);

	memmove(coder->plain.data + len, start, (size_t)(end - start));
	memcpy(coder->plain.data, head, len);
	coder->plain.len = len + (size_t)(end - start);
	return compress(coder);
}

/* ---- Decoding ---- */

struct lists {
	uint64_t count;
	const uint8_t *indices;
	const uint8_t *values;
	const uint8_t *counts;
	const uint8_t *end;
};

static struct kmp_error *damaged(void)
{
	return kmp_store_damaged("a sample cannot be read");
}

static struct kmp_error *decompress(struct kmp_sample_coder *coder, const uint8_t *bytes,
				    size_t len, size_t max)
{
	unsigned long long size = ZSTD_getFrameContentSize(bytes, len);

	if (!coder->decompressor)
		coder->decompressor = ZSTD_createDCtx();
	if (!coder->decompressor)
		return &kmp_error_no_memory;
	/* This also holds for ZSTD_CONTENTSIZE_ERROR and _UNKNOWN, which are as large as can be. */
	if (size > HEAD_MAX + 3 * NUMBER_MAX * (uint64_t)max)
		return damaged();
	coder->plain.len = 0;
	try(vec_reserve(&coder->plain, size + 1));
	size_t got = ZSTD_decompressDCtx(coder->decompressor, coder->plain.data, size, bytes, len);

	if (ZSTD_isError(got) || got != size)
		return damaged();
	coder->plain.len = size;
	return NULL;
}

static struct kmp_error *find_lists(const struct kmp_sample_coder *coder, size_t max,
				    struct lists *lists)
{
	const uint8_t *p = coder->plain.data;
	const uint8_t *end = p + coder->plain.len;
	uint64_t indices, values;

	p = get_number(p, end, &lists->count);
	p = p ? get_number(p, end, &indices) : NULL;
	p = p ? get_number(p, end, &values) : NULL;
	if (!p || lists->count > max || indices > (uint64_t)(end - p) ||
	    values > (uint64_t)(end - p) - indices)
		return damaged();
	lists->indices = p;
	lists->values = p + indices;
	lists->counts = p + indices + values;
	lists->end = end;
	return NULL;
}

static struct kmp_error *get_changes(struct kmp_sample_coder *coder, const struct lists *lists,
				     size_t max)
{
	const uint8_t *at = lists->indices, *value = lists->values;
	uint64_t next = 0, number;

	coder->changed.len = coder->deltas.len = 0;
	try(vec_reserve(&coder->changed, lists->count));
	try(vec_reserve(&coder->deltas, lists->count));
	for (uint64_t i = 0; i < lists->count; i++) {
		at = get_number(at, lists->values, &number);
		if (!at || number >= max - next)
			return damaged();
		next += number;
		coder->changed.data[i] = (uint32_t)next++;
		value = get_number(value, lists->counts, &number);
		if (!value)
			return damaged();
		coder->deltas.data[i] = (int64_t)change_of(number);
	}
	coder->changed.len = coder->deltas.len = lists->count;
	return at == lists->values && value == lists->counts ? NULL : damaged();
}

static struct kmp_error *apply_counts(const struct kmp_sample_coder *coder,
				      const struct lists *lists, struct kmp_figures *figures)
{
	const uint8_t *p = lists->counts;
	uint64_t number;

	for (size_t i = 0; i < coder->changed.len; i++) {
		uint32_t at = coder->changed.data[i];

		p = get_number(p, lists->end, &number);
		if (!p)
			return damaged();
		figures->counts[at] +=
			change_of(number) + likely(figures->values[at], figures->counts[at],
						   (uint64_t)coder->deltas.data[i]);
	}
	return p == lists->end ? NULL : damaged();
}

struct kmp_error *kmp_sample_decode(struct kmp_sample_coder *coder, const uint8_t *bytes,
				    size_t len, size_t max, bool values_only,
				    struct kmp_figures *figures)
{
	struct lists lists = { 0 };

	coder->changed.len = coder->deltas.len = 0;
	if (!len)
		return NULL;
	try(decompress(coder, bytes, len, max));
	try(find_lists(coder, max, &lists));
	try(get_changes(coder, &lists, max));
	if (!coder->changed.len)
		return damaged();
	try(kmp_figures_reach(figures, (size_t)coder->changed.data[coder->changed.len - 1] + 1));
	if (!values_only)
		try(apply_counts(coder, &lists, figures));
	for (size_t i = 0; i < coder->changed.len; i++)
		figures->values[coder->changed.data[i]] += (uint64_t)coder->deltas.data[i];
	return NULL;
}
