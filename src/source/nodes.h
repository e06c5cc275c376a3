/* SPDX-License-Identifier: GPL-2.0-only */
/* A sink that hands on the page owners of some nodes alone. */
#ifndef KMP_SOURCE_NODES_H
#define KMP_SOURCE_NODES_H

#include "base/error.h"
#include "base/nodelist.h"

struct kmp_node_sink {
	struct kmp_sink sink; /* to hand to a reader */
	const struct kmp_sink *next;
	struct kmp_nodelist nodes;
};

/* nodes in the kernel's list form: KMP_ERROR_USAGE if it is not. next must outlive it. */
struct kmp_error *kmp_node_sink_init(struct kmp_node_sink *wanted, const char *nodes,
				     const struct kmp_sink *next) must_check;

#endif
