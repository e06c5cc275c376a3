/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A chunk: some thousand page owners in columns, and what is stored of them. The owner tells most
 * of a page; what is stored is how the rest differs from what one would expect:
 *
 *     records    from 1, or the owner's in an earlier snapshot
 *     pages      from records << order, or the owner's in an earlier snapshot
 *     pfn        from the end of the page owner before
 *     block      from pfn >> shift, as the one before differed
 *     ts         from the one before
 *     free_ts    from the one before
 */
#ifndef KMP_STORE_CHUNK_H
#define KMP_STORE_CHUNK_H

#include "store/column.h"
#include "store/tuples.h"

/* The stored columns, in the order of the table: what is read most comes first. */
enum kmp_stored {
	STORED_OWNER,
	STORED_STATE,
	STORED_RECORDS,
	STORED_PAGES,
	STORED_PFN,
	STORED_BLOCK,
	STORED_FREE_TS,
	STORED_TS,
	STORED_COUNT
};

struct kmp_chunk {
	size_t count;
	size_t max;
	unsigned block_shift;
	uint32_t *owner;
	uint32_t *state;
	uint64_t *values[STORED_COUNT]; /* from STORED_RECORDS on */
	uint8_t *orders;		/* of the owners, while coding */
	uint64_t *differences;		/* scratch */
	/* Of owners numbered below base_count: the sums that records and pages are expected to be.
	 */
	const struct kmp_owner_sums *base;
	size_t base_count;
};

struct kmp_error *kmp_chunk_init(struct kmp_chunk *chunk, size_t max) must_check;

void kmp_chunk_deinit(struct kmp_chunk *chunk);

/* Set block_shift, which kmp_chunk_code() uses. */
void kmp_chunk_find_shift(struct kmp_chunk *chunk);

/* Code a column into coder->out; needs chunk->orders for STORED_PAGES. */
struct kmp_error *kmp_chunk_code(struct kmp_chunk *chunk, enum kmp_stored column,
				 struct kmp_coder *coder, int level) must_check;

/*
 * Decode a column into the chunk. Pages need orders and records, pfn needs pages, block needs
 * pfn: in the order of enum kmp_stored.
 */
struct kmp_error *kmp_chunk_decode(struct kmp_chunk *chunk, enum kmp_stored column,
				   struct kmp_coder *coder, const uint8_t *bytes,
				   size_t len) must_check;

#endif
