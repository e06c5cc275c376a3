/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the running kernel tells of page frames beside the recording: flags, node and zone, memory
 * cgroup, whether a frame is in use at all. It is read when it is asked for, some frames at a time.
 */
#ifndef KMP_SOURCE_FRAME_FACTS_H
#define KMP_SOURCE_FRAME_FACTS_H

#include "source/kernel_names.h"
#include "source/kpage.h"
#include "source/memcg_names.h"

enum { KMP_FLAGS_SLOTS = 1024, KMP_CHARGE_SLOTS = 64, KMP_FACTS_WINDOW = 512 };

/* Texts that were made before, by what they were made from; a slot's number may be KMP_NONE. */
struct kmp_flags_slot {
	uint64_t kpf;
	const struct kmp_zone *zone;
	uint32_t number;
};

struct kmp_charge_slot {
	uint64_t inode;
	uint32_t number;
};

struct kmp_frame_facts {
	const struct kmp_kernel_names *names;
	struct kmp_ledger *ledger;
	struct kmp_kpage flags_file;
	struct kmp_kpage cgroup_file;	/* fd -1: the kernel has none */
	struct kmp_memcg_names *memcgs; /* or NULL */
	uint64_t start;			/* of the window */
	size_t have;			/* frames in it */
	uint64_t flags[KMP_FACTS_WINDOW];
	uint64_t cgroups[KMP_FACTS_WINDOW]; /* inode numbers */
	uint64_t pfn;			    /* the frame that was asked for last */
	uint64_t pfn_flags;
	uint64_t pfn_cgroup;
	uint32_t last_mask;
	uint32_t last_gfp;
	struct kmp_flags_slot flags_slots[KMP_FLAGS_SLOTS];
	struct kmp_charge_slot charge_slots[KMP_CHARGE_SLOTS];
};

/* Names and ledger must outlive it. kmp_frame_facts_deinit() also after a failure. */
struct kmp_error *kmp_frame_facts_init(struct kmp_frame_facts *facts,
				       const struct kmp_kernel_names *names,
				       struct kmp_ledger *ledger) must_check;
void kmp_frame_facts_deinit(struct kmp_frame_facts *facts);

/* What was read is old: read again when asked. */
void kmp_frame_facts_forget(struct kmp_frame_facts *facts);

/* Is an allocation's first frame here, by the kernel's word? Its order, as far as that tells. */
struct kmp_error *kmp_frame_facts_in_use(struct kmp_frame_facts *facts, uint64_t pfn, bool *in_use,
					 uint32_t *order) must_check;

/* Fill flags, block and charge of a page owner. */
struct kmp_error *kmp_frame_facts_page(struct kmp_frame_facts *facts, uint64_t pfn,
				       struct kmp_page *page) must_check;

/* The number in KMP_DICT_GFP of a mask. */
struct kmp_error *kmp_frame_facts_gfp(struct kmp_frame_facts *facts, uint32_t mask,
				      uint32_t *number) must_check;

#endif
