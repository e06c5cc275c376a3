/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ledger's inside. Each list of distinct things is a pool or a vector with an index; numbers
 * are given out in order of first appearance and never change.
 */
#ifndef KMP_LEDGER_LEDGER_H
#define KMP_LEDGER_LEDGER_H

#include "base/pool.h"

struct kmp_frame_list {
	uint32_t first; /* in kmp_ledger.trace_frames */
	uint32_t depth;
};

enum { KMP_DICT_COUNT = KMP_DICT_EXTRA + 1 };

struct kmp_zone_name {
	int32_t node;
	int32_t zone;
	uint32_t name; /* in kmp_ledger.names */
};

struct kmp_ledger {
	uint64_t serial; /* no other ledger of this process has it, or had */
	struct kmp_pool dicts[KMP_DICT_COUNT];
	struct kmp_pool names;	      /* strings of facts, tags, warnings, zones */
	VEC(uint64_t) addresses;      /* by frame number; may be shorter than the dictionary */
	VEC(struct kmp_place) places; /* by flags number */
	VEC(uint32_t) trace_frames;
	VEC(struct kmp_frame_list) traces;
	struct kmp_index trace_index;
	VEC(struct kmp_stack) stacks;
	struct kmp_index stack_index;
	struct kmp_index handle_index; /* stacks that have a handle, by the handle alone */
	struct kmp_index traced_index; /* stacks that have both, by the trace alone */
	VEC(struct kmp_task) tasks;
	struct kmp_index task_index;
	VEC(struct kmp_charge) charges;
	struct kmp_index charge_index;
	VEC(struct kmp_zone_name) zones;
	VEC(struct kmp_page) pages;
	VEC(struct kmp_tag) tags;
	VEC(const char *) warnings;
	struct kmp_facts facts;
	struct kmp_losses losses;
};

/* A string that lives as long as the ledger. */
struct kmp_error *kmp_ledger_name(struct kmp_ledger *ledger, const char *text, size_t len,
				  const char **out) must_check;

/* The number of the stack with this handle, or KMP_NONE. */
uint32_t kmp_ledger_find_handle(const struct kmp_ledger *ledger, uint32_t handle);

/* How many handles there are whose trace is not known. */
size_t kmp_ledger_unresolved(const struct kmp_ledger *ledger);

/* Handles from here on are ours: the kernel's own never get so high. */
enum { KMP_OWN_HANDLE = 0x40000000 };

/* Give each stack without a handle one of ours. */
struct kmp_error *kmp_ledger_own_handles(struct kmp_ledger *ledger) must_check;

/* A page of which nothing is told; records and pages are the caller's. */
#define KMP_PAGE_BLANK                                                                             \
	.pfn = KMP_UNKNOWN, .block = KMP_UNKNOWN, .ts = KMP_UNKNOWN, .free_ts = KMP_UNKNOWN,       \
	.stack = KMP_NONE, .task = KMP_NONE, .gfp = KMP_NONE, .flags = KMP_NONE,                   \
	.charge = KMP_NONE, .type = KMP_NONE, .block_type = KMP_NONE, .reason = KMP_NONE,          \
	.extra = KMP_NONE
extern const struct kmp_page kmp_page_blank;

/* A sink that keeps the pages in the ledger. */
extern const struct kmp_sink kmp_keep_pages;

#endif
