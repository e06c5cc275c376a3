/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All page owners of a machine in memory, 32 bytes each: a row tells PFN, time, stack, task,
 * pageblock, and the number of what it has in common with thousands of others (order, mask, flags,
 * types, charge). Rows stand in the order of their PFNs; runs of one node are known, so that what
 * is asked of other nodes costs nothing.
 */
#ifndef KMP_LEDGER_PAGE_TABLE_H
#define KMP_LEDGER_PAGE_TABLE_H

#include "ledger/ledger.h"

struct kmp_row {
	uint64_t pfn;
	uint64_t ts;
	uint32_t stack;
	uint32_t task;
	uint32_t common;
	uint32_t block; /* KMP_NONE: not told */
};

/* Rows first to end (exclusive) are of one node. */
struct kmp_run {
	size_t first;
	size_t end;
	int32_t node;
};

struct kmp_page_table {
	struct kmp_ledger *ledger; /* not owned */
	VEC(struct kmp_row) rows;
	VEC(struct kmp_page) commons; /* what a row tells is unset in them */
	struct kmp_index common_index;
	uint32_t last_common;
	VEC(uint64_t) free_ts; /* by row, as kernels 5.13 to 6.6 tell; empty for others */
	VEC(struct kmp_run) runs;
	uint64_t left_out; /* entries without a PFN, which are no rows */
	bool sorted;
};

/* An empty table whose numbers are those of ledger. */
void kmp_page_table_init(struct kmp_page_table *table, struct kmp_ledger *ledger);
void kmp_page_table_deinit(struct kmp_page_table *table);

/* A sink that fills the table. */
struct kmp_sink kmp_page_table_sink(struct kmp_page_table *table);

/* Put the rows in order and find the runs; then the table can be read. */
struct kmp_error *kmp_page_table_finish(struct kmp_page_table *table) must_check;

/* The first row of a PFN at or after this one; rows.len if there is none. */
size_t kmp_page_table_find(const struct kmp_page_table *table, uint64_t pfn);

/* The run that a row (below rows.len) is in. */
size_t kmp_page_table_run(const struct kmp_page_table *table, size_t row);

#endif
