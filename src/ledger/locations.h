/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The allocating locations behind a ledger's tags: the kernel prints a location once for each
 * place that its macro was used in, so tags of the same file (however spelled), line, module and
 * function add up. An all-zero struct is empty; deinit frees.
 */
#ifndef KMP_LEDGER_LOCATIONS_H
#define KMP_LEDGER_LOCATIONS_H

#include "base/pool.h"

struct kmp_location {
	uint32_t file; /* normalised; this and the following: numbers in texts */
	uint32_t module;
	uint32_t function;
	uint32_t printed; /* the file as first read */
	uint64_t line;	  /* 0: not told */
	struct kmp_sums sums;
	const char *fault; /* what is inconsistent in it, or NULL; static */
	bool respelled;	   /* the file was spelled in other ways, too */
	bool approximate;
};

struct kmp_locations {
	struct kmp_pool texts;
	VEC(struct kmp_location) list;
	VEC(char) path; /* scratch */
	struct kmp_index index;
};

/*
 * Add up the tags of a ledger that pass a filter (NULL: all): the criteria on texts and lines hold
 * for tags, those on sizes and accuracy for locations.
 */
struct kmp_error *kmp_locations_fill(struct kmp_locations *locations,
				     const struct kmp_ledger *ledger,
				     const struct kmp_tag_filter *filter) must_check;

void kmp_locations_deinit(struct kmp_locations *locations);

#endif
