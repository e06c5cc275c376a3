/* SPDX-License-Identifier: GPL-2.0-only */
/* A ledger file being written: what its parts share. */
#ifndef KMP_STORE_WRITER_H
#define KMP_STORE_WRITER_H

#include "store/chunk.h"
#include "store/dicts.h"
#include "store/temp.h"

enum {
	/* zstd's level for a file of one chunk: it takes milliseconds. */
	STORE_LEVEL_SMALL = 19,
	STORE_LEVEL_LARGE = 6
};

/* Where a snapshot's rows begin. */
struct kmp_first_rows {
	int64_t snapshot;
	int64_t owner;
	int64_t state;
	int64_t chunk;
	int64_t tag;
};

struct kmp_store {
	struct kmp_temp temp;
	bool append;
	bool packed; /* when it is complete */
	sqlite3 *db; /* NULL: not begun */
	sqlite3_stmt *add_chunk;
	uint64_t ledger; /* serial of the one whose numbers the page owners hold, 0: none */
	/*
	 * Owners that an earlier snapshot of this session wrote and this one has too, by number,
	 * with the sums that they were written with. Their rows are shared.
	 */
	VEC(struct kmp_owner_sums) base;
	size_t base_states;
	VEC(char) stacks; /* the ids of the ledger's stacks, coded */
	struct kmp_tuples tuples;
	struct kmp_chunk chunk;
	struct kmp_coder coder;
	struct kmp_dicts dicts;
	struct kmp_first_rows first;
	uint64_t entries;
	uint64_t chunks;
	uint64_t records;
	uint64_t pages;
	uint32_t form; /* of most owners */
};

/* Write all but chunks and dictionaries, which stand in the file by then. */
struct kmp_error *kmp_writer_rows(struct kmp_store *store,
				  const struct kmp_ledger *ledger) must_check;

#endif
