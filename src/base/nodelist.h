/* SPDX-License-Identifier: GPL-2.0-only */
/* A set of NUMA nodes in the kernel's list form: `0,2-4,7`, `0-7:1/4` (the first of every four). */
#ifndef KMP_BASE_NODELIST_H
#define KMP_BASE_NODELIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most nodes that any kernel can be built for. */
enum { KMP_NODES_MAX = 1024 };

struct kmp_nodelist {
	uint64_t bits[KMP_NODES_MAX / 64];
};

/*
 * Read a list of node numbers below limit (1 to KMP_NODES_MAX; `N` is the last one, `all` every
 * one). A NUL among the len bytes ends the text. 0, or what the kernel answers: EINVAL for a
 * malformed or empty list, EOVERFLOW for a number beyond 32 bits, ERANGE for one that is not below
 * limit. *list is untouched on failure.
 */
int kmp_nodelist_parse(const char *text, size_t len, unsigned limit, struct kmp_nodelist *list)
	__attribute__((warn_unused_result));

/* Is this node in the list? No list holds a node below 0. */
static inline bool kmp_nodelist_has(const struct kmp_nodelist *list, int32_t node)
{
	return node >= 0 && node < KMP_NODES_MAX && (list->bits[node / 64] >> (node % 64) & 1);
}

/* Does every node of the list stand in other as well? */
bool kmp_nodelist_within(const struct kmp_nodelist *list, const struct kmp_nodelist *other);

#endif
