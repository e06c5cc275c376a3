/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is written to a page_owner descriptor: `mode=stack|handle|stack_handle` and `nid=LIST`, as
 * Linux 7.3 takes it.
 */
#ifndef KMP_LEDGER_PAGE_FILTER_H
#define KMP_LEDGER_PAGE_FILTER_H

#include "base/nodelist.h"
#include "kmemprof/kmemprof.h"

struct kmp_page_filter {
	enum kmp_mode mode;
	bool has_nodes;
	struct kmp_nodelist nodes;
};

/* Which nodes there are. */
struct kmp_node_limits {
	unsigned possible;	    /* numbers below this can be named, as by MAX_NUMNODES */
	struct kmp_nodelist memory; /* those that have memory */
};

/*
 * Apply the words of a write, all or none: 0, or EINVAL or EOVERFLOW and nothing has changed. A
 * NUL ends the text.
 */
int kmp_page_filter_apply(struct kmp_page_filter *filter, const struct kmp_node_limits *limits,
			  const char *text, size_t len) __attribute__((warn_unused_result));

#endif
