/* SPDX-License-Identifier: GPL-2.0-only */
/* What a mount serves: a source's pages, stacks and tags, as the kernel's files show them. */
#ifndef KMP_SERVE_SERVED_H
#define KMP_SERVE_SERVED_H

#include <stdatomic.h>

#include "base/error.h"

struct kmp_served {
	struct kmp_ledger *ledger;
	struct kmp_pages *pages;
	struct kmp_groups *stacks; /* by stack and handle, the kernel's own figures where told */
	struct kmp_groups *all_stacks; /* for show_stacks_handles: those without pages too */
	struct kmp_tags *tags;
	_Atomic uint64_t threshold; /* count_threshold */
};

/* Read a whole source. kmp_served_deinit() also after a failure. */
struct kmp_error *kmp_served_init(struct kmp_served *served, const char *path,
				  const struct kmp_source_options *options) must_check;
void kmp_served_deinit(struct kmp_served *served);

#endif
