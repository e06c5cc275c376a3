/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Carries page owners from one ledger into another: parsers that work side by side each fill a
 * ledger of their own, and what they found is brought together in the order of the input. Numbers
 * in the target are given out as the pages come, so that the result does not depend on how many
 * parsers there were.
 */
#ifndef KMP_LEDGER_MERGE_H
#define KMP_LEDGER_MERGE_H

#include "ledger/ledger.h"

struct kmp_number_map {
	uint32_t *data;
	size_t len;
	size_t cap;
};

/* By number in `from`: the number in `to`, or KMP_NONE for not carried yet. All zero is new. */
struct kmp_merge {
	struct kmp_ledger *from;
	struct kmp_ledger *to;
	struct kmp_number_map dicts[KMP_DICT_COUNT];
	struct kmp_number_map stacks;
	struct kmp_number_map traces;
	struct kmp_number_map tasks;
	struct kmp_number_map charges;
	/* Taken while `from` is looked at, if it may be growing meanwhile; or NULL. */
	void (*lock)(void *arg);
	void (*unlock)(void *arg);
	void *lock_arg;
};

/* Change the numbers of these pages from those of `from` to those of `to`. */
struct kmp_error *kmp_merge_pages(struct kmp_merge *merge, struct kmp_page *pages,
				  size_t count) must_check;

void kmp_merge_deinit(struct kmp_merge *merge);

#endif
