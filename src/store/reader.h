/* SPDX-License-Identifier: GPL-2.0-only */
/* A ledger file being read: what its parts share. */
#ifndef KMP_STORE_READER_H
#define KMP_STORE_READER_H

#include "store/chunk.h"
#include "store/load.h"
#include "store/store.h"

enum { READER_BATCH = 512 }; /* page owners for a call of the sink */

/* A row of the snapshot table, but for its texts. */
struct kmp_snapshot {
	int64_t id;
	uint32_t holds;
	uint64_t entries;
	uint64_t stacks;
	uint32_t form; /* of owners that tell none */
	int64_t first_owner;
	uint64_t owners;
	int64_t first_state;
	uint64_t states;
	int64_t first_chunk;
	uint64_t chunks;
	int64_t first_tag;
	uint64_t tags;
};

struct kmp_store_reader {
	char *path;
	sqlite3 *db;
	unsigned snapshots;
	struct kmp_snapshot snapshot;
	struct kmp_loader loader;
	/* What is read of page owners. */
	const struct kmp_sink *sink;
	struct kmp_chunk chunk;
	struct kmp_coder coder;
	struct kmp_page *owners; /* what each owner tells of a page */
	/* Of owners whose rows are an earlier snapshot's: what they add up to there. */
	VEC(struct kmp_owner_sums) base;
	struct kmp_page *states; /* what each state tells */
	struct kmp_page batch[READER_BATCH];
	size_t batched;
};

/*
 * The next of a snapshot's rows, which are numbered without gaps: id and snapshot stand in columns
 * 0 and 1. KMP_ERROR_INPUT if it is another.
 */
struct kmp_error *kmp_reader_expect_row(struct kmp_store_reader *reader, sqlite3_stmt *stmt,
					int64_t id) must_check;

/* Page owners to reader->sink. */
struct kmp_error *kmp_reader_pages(struct kmp_store_reader *reader) must_check;

#endif
