/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The coding of one column of a chunk. Values are cut into planes (the first bytes of all, the
 * second bytes of all, …), and each plane is a zstd frame, behind its length (4 bytes, little
 * endian). Planes of which nothing but zeros would remain are left out; a column of zeros has no
 * bytes at all.
 *
 * Numbers: the planes of all values.
 *
 * Differences: one byte, how many low bits of the magnitudes are packed apart; a plane with a
 * sign for each value (0: zero, 1: positive, 2: negative); then, for those that are not zero, a
 * plane of the packed low bits and the planes of the rest of the magnitudes. The sign has a plane
 * of its own because a zigzag coding shifts magnitudes off their byte borders, which costs zstd's
 * Huffman coder 6 %.
 */
#ifndef KMP_STORE_COLUMN_H
#define KMP_STORE_COLUMN_H

#include <zstd.h>

#include "base/vec.h"

/* Scratch memory for coding columns of up to max values. */
struct kmp_coder {
	ZSTD_CCtx *compressor;
	ZSTD_DCtx *decompressor;
	size_t max;
	uint8_t *plane;
	uint8_t *signs;
	uint64_t *values;
	VEC(uint8_t) out; /* the column that was coded last */
};

/* A coder for columns of up to max values, either way. */
struct kmp_error *kmp_coder_init(struct kmp_coder *coder, size_t max, bool writes) must_check;

void kmp_coder_deinit(struct kmp_coder *coder);

/* Code into coder->out; level is zstd's. */
struct kmp_error *kmp_code_numbers(struct kmp_coder *coder, const uint32_t *numbers, size_t count,
				   int level) must_check;
struct kmp_error *kmp_code_differences(struct kmp_coder *coder, const uint64_t *differences,
				       size_t count, int level) must_check;

/* Decode; KMP_ERROR_INPUT unless these are len bytes that count values could be coded to. */
struct kmp_error *kmp_decode_numbers(struct kmp_coder *coder, const uint8_t *bytes, size_t len,
				     size_t count, uint32_t *numbers) must_check;
struct kmp_error *kmp_decode_differences(struct kmp_coder *coder, const uint8_t *bytes, size_t len,
					 size_t count, uint64_t *differences) must_check;

#endif
