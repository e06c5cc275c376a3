/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The coding of a sample: what changed since the sample before, or since nothing at all. Each
 * series has a value (pages, or bytes) and a count (records, or calls). In a zstd frame, numbers
 * of 7 bits a byte, lowest first, the eighth bit set in all but the last:
 *
 *     how many series changed
 *     how many bytes the next two lists take
 *     their numbers, from 0, as differences from the number before plus 1
 *     the changes of their values
 *     the changes of their counts, as differences from what the change of the value makes likely
 *
 * Changes are signed: twice the magnitude, less 1 if it is negative. What is likely: the value's
 * change divided by what an allocation had before, where that is a whole number. A sample without
 * changes has no bytes.
 */
#ifndef KMP_STORE_HISTORY_CODE_H
#define KMP_STORE_HISTORY_CODE_H

#include <zstd.h>

#include "base/vec.h"

/* The figures of all series at one moment; those past len are zero. */
struct kmp_figures {
	uint64_t *values;
	uint64_t *counts;
	size_t len;
	size_t cap;
};

struct kmp_sample_coder {
	ZSTD_CCtx *compressor;
	ZSTD_DCtx *decompressor;
	VEC(uint8_t) plain;
	VEC(uint8_t) packed; /* what was coded last */
	/* What was decoded last: which series changed, and by how much their values did. */
	VEC(uint32_t) changed;
	VEC(int64_t) deltas;
};

void kmp_sample_coder_deinit(struct kmp_sample_coder *coder);

/* Room for len series; new ones are zero. */
struct kmp_error *kmp_figures_reach(struct kmp_figures *figures, size_t len) must_check;
void kmp_figures_clear(struct kmp_figures *figures);
void kmp_figures_deinit(struct kmp_figures *figures);

/* Code into coder->packed how `now` differs from `before`, which may be NULL: from zeros. */
struct kmp_error *kmp_sample_code(struct kmp_sample_coder *coder, const struct kmp_figures *before,
				  const struct kmp_figures *now) must_check;

/*
 * Apply a coded sample to the figures of the one before, or to zeros. max: there are no more
 * series. With values_only the counts are left as they are. KMP_ERROR_INPUT for what could not
 * have been coded.
 */
struct kmp_error *kmp_sample_decode(struct kmp_sample_coder *coder, const uint8_t *bytes,
				    size_t len, size_t max, bool values_only,
				    struct kmp_figures *figures) must_check;

#endif
