// SPDX-License-Identifier: GPL-2.0-only
#include "store/column.h"

#include "base/cleanup.h"

enum { NEGATIVE = 2, POSITIVE = 1, LENGTH_BYTES = 4, LOW_BITS = 2, LOW_BITS_MAX = 7 };

struct kmp_error *kmp_coder_init(struct kmp_coder *coder, size_t max, bool writes)
{
	*coder = (struct kmp_coder){ .max = max };
	coder->plane = malloc(max);
	coder->signs = malloc(max);
	coder->values = malloc(max * sizeof(*coder->values));
	if (writes)
		coder->compressor = ZSTD_createCCtx();
	else
		coder->decompressor = ZSTD_createDCtx();
	if (coder->plane && coder->signs && coder->values &&
	    (coder->compressor || coder->decompressor))
		return NULL;
	kmp_coder_deinit(coder);
	return &kmp_error_no_memory;
}

void kmp_coder_deinit(struct kmp_coder *coder)
{
	ZSTD_freeCCtx(coder->compressor);
	ZSTD_freeDCtx(coder->decompressor);
	free(coder->plane);
	free(coder->signs);
	free(coder->values);
	vec_deinit(&coder->out);
	*coder = (struct kmp_coder){ 0 };
}

static struct kmp_error *write_plane(struct kmp_coder *coder, const uint8_t *plane, size_t size,
				     int level)
{
	size_t bound = ZSTD_compressBound(size);

	try(vec_reserve(&coder->out, LENGTH_BYTES + bound));
	uint8_t *at = coder->out.data + coder->out.len;
	size_t got =
		ZSTD_compressCCtx(coder->compressor, at + LENGTH_BYTES, bound, plane, size, level);

	if (ZSTD_isError(got))
		return kmp_error_new(KMP_ERROR_LIMIT, "zstd: %s", ZSTD_getErrorName(got));
	for (int i = 0; i < LENGTH_BYTES; i++)
		at[i] = (uint8_t)(got >> (8 * i));
	coder->out.len += LENGTH_BYTES + got;
	return NULL;
}

/* The planes of coder->values, each shifted right by shift. */
static struct kmp_error *write_values(struct kmp_coder *coder, size_t count, unsigned shift,
				      int level)
{
	uint64_t all = 0;

	for (size_t i = 0; i < count; i++)
		all |= coder->values[i];
	for (; shift < 64 && all >> shift; shift += 8) {
		for (size_t i = 0; i < count; i++)
			coder->plane[i] = (uint8_t)(coder->values[i] >> shift);
		try(write_plane(coder, coder->plane, count, level));
	}
	return NULL;
}

struct kmp_error *kmp_code_numbers(struct kmp_coder *coder, const uint32_t *numbers, size_t count,
				   int level)
{
	coder->out.len = 0;
	for (size_t i = 0; i < count; i++)
		coder->values[i] = numbers[i];
	return write_values(coder, count, 0, level);
}

/* Signs to coder->signs, magnitudes other than zero to coder->values; tells how many. */
static size_t split_signs(struct kmp_coder *coder, const uint64_t *differences, size_t count)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t d = differences[i];
		bool negative = d >> 63;

		coder->signs[i] = (uint8_t)(negative ? NEGATIVE : d != 0);
		coder->values[used] = negative ? -d : d;
		used += d != 0;
	}
	return used;
}

/* The low bits of the values, packed from the lowest bit of the first byte on. */
static size_t pack_bits(uint8_t *bytes, const uint64_t *values, size_t count, unsigned bits)
{
	uint64_t mask = (1u << bits) - 1;
	uint64_t held = 0;
	unsigned have = 0;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		held |= (values[i] & mask) << have;
		have += bits;
		for (; have >= 8; have -= 8, held >>= 8)
			bytes[n++] = (uint8_t)held;
	}
	if (have)
		bytes[n++] = (uint8_t)held;
	return n;
}

static size_t packed_size(size_t count, unsigned bits)
{
	return (count * bits + 7) / 8;
}

struct kmp_error *kmp_code_differences(struct kmp_coder *coder, const uint64_t *differences,
				       size_t count, int level)
{
	uint64_t all = 0;

	coder->out.len = 0;
	size_t used = split_signs(coder, differences, count);

	if (!used)
		return NULL;
	for (size_t i = 0; i < used; i++)
		all |= coder->values[i];
	/*
	 * Times differ by thousands of nanoseconds whose lowest bits are noise. With those apart
	 * the byte border lies where the leading digits, which are worth coding, begin.
	 */
	unsigned bits = all >> 16 ? LOW_BITS : 0;

	try(vec_push(&coder->out, (uint8_t)bits));
	try(write_plane(coder, coder->signs, count, level));
	if (bits) {
		size_t size = pack_bits(coder->plane, coder->values, used, bits);

		try(write_plane(coder, coder->plane, size, level));
	}
	return write_values(coder, used, bits, level);
}

/* What is left of a column's bytes. */
struct rest {
	const uint8_t *bytes;
	size_t len;
};

static struct kmp_error *malformed(void)
{
	return kmp_error_new(KMP_ERROR_INPUT, "damaged ledger file: a column cannot be decoded");
}

static struct kmp_error *read_plane(struct kmp_coder *coder, struct rest *rest, uint8_t *plane,
				    size_t size)
{
	size_t len = 0;

	if (rest->len < LENGTH_BYTES)
		return malformed();
	for (int i = 0; i < LENGTH_BYTES; i++)
		len |= (size_t)rest->bytes[i] << (8 * i);
	if (len > rest->len - LENGTH_BYTES)
		return malformed();
	size_t got = ZSTD_decompressDCtx(coder->decompressor, plane, size,
					 rest->bytes + LENGTH_BYTES, len);

	if (ZSTD_isError(got) || got != size)
		return malformed();
	rest->bytes += LENGTH_BYTES + len;
	rest->len -= LENGTH_BYTES + len;
	return NULL;
}

/* Add the planes that are left to coder->values, from bit shift on. */
static struct kmp_error *read_values(struct kmp_coder *coder, struct rest *rest, size_t count,
				     unsigned shift)
{
	for (; rest->len; shift += 8) {
		if (shift >= 64)
			return malformed();
		try(read_plane(coder, rest, coder->plane, count));
		for (size_t i = 0; i < count; i++)
			coder->values[i] |= (uint64_t)coder->plane[i] << shift;
	}
	return NULL;
}

struct kmp_error *kmp_decode_numbers(struct kmp_coder *coder, const uint8_t *bytes, size_t len,
				     size_t count, uint32_t *numbers)
{
	struct rest rest = { bytes, len };

	memset(numbers, 0, count * sizeof(*numbers));
	for (unsigned shift = 0; rest.len; shift += 8) {
		if (shift >= 32)
			return malformed();
		try(read_plane(coder, &rest, coder->plane, count));
		for (size_t i = 0; i < count; i++)
			numbers[i] |= (uint32_t)coder->plane[i] << shift;
	}
	return NULL;
}

static void unpack_bits(const uint8_t *bytes, uint64_t *values, size_t count, unsigned bits)
{
	uint64_t mask = (1u << bits) - 1;
	uint64_t held = 0;
	unsigned have = 0;

	for (size_t i = 0; i < count; i++) {
		if (have < bits) {
			held |= (uint64_t)*bytes++ << have;
			have += 8;
		}
		values[i] = held & mask;
		held >>= bits;
		have -= bits;
	}
}

struct kmp_error *kmp_decode_differences(struct kmp_coder *coder, const uint8_t *bytes, size_t len,
					 size_t count, uint64_t *differences)
{
	size_t used = 0;

	if (!len) {
		memset(differences, 0, count * sizeof(*differences));
		return NULL;
	}
	struct rest rest = { bytes + 1, len - 1 };
	unsigned bits = bytes[0];

	if (bits > LOW_BITS_MAX)
		return malformed();
	try(read_plane(coder, &rest, coder->signs, count));
	for (size_t i = 0; i < count; i++)
		used += coder->signs[i] != 0;
	memset(coder->values, 0, used * sizeof(*coder->values));
	if (bits) {
		try(read_plane(coder, &rest, coder->plane, packed_size(used, bits)));
		unpack_bits(coder->plane, coder->values, used, bits);
	}
	try(read_values(coder, &rest, used, bits));
	const uint64_t *next = coder->values;

	for (size_t i = 0; i < count; i++) {
		uint8_t sign = coder->signs[i];

		if (sign > NEGATIVE)
			return malformed();
		differences[i] = !sign ? 0 : sign == POSITIVE ? *next : -*next;
		next += sign != 0;
	}
	return NULL;
}
