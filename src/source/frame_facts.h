/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the running kernel tells of page frames beside the recording: flags, node and zone, memory
 * cgroup, whether a frame is in use at all; and the names of masks.
 */
#ifndef KMP_SOURCE_FRAME_FACTS_H
#define KMP_SOURCE_FRAME_FACTS_H

#include "base/vec.h"
#include "source/gfp_names.h"
#include "source/memcg_names.h"
#include "source/page_flags.h"
#include "source/zones.h"

enum { KMP_FLAGS_SLOTS = 1024, KMP_CHARGE_SLOTS = 64 };

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
	struct kmp_ledger *ledger;
	uint32_t unattributed_stack; /* of pages that nobody was seen to allocate */
	uint32_t unattributed_task;
	int flags_fd;
	int cgroup_fd;	       /* -1: the kernel has no kpagecgroup */
	VEC(uint64_t) flags;   /* of the section, by PFN - start */
	VEC(uint64_t) cgroups; /* inode numbers, likewise */
	uint64_t start;
	uint32_t last_mask;
	uint32_t last_gfp;
	struct kmp_gfp_table gfp;
	struct kmp_page_flag_table flag_names;
	struct kmp_zones zones;
	struct kmp_pageblocks blocks;
	struct kmp_memcg_names *memcgs; /* or NULL */
	struct kmp_flags_slot flags_slots[KMP_FLAGS_SLOTS];
	struct kmp_charge_slot charge_slots[KMP_CHARGE_SLOTS];
};

struct kmp_error *kmp_frame_facts_init(struct kmp_frame_facts *facts,
				       struct kmp_ledger *ledger) must_check;
void kmp_frame_facts_deinit(struct kmp_frame_facts *facts);

/* Read what is told of count frames from start on; the functions below ask of these. */
struct kmp_error *kmp_frame_facts_section(struct kmp_frame_facts *facts, uint64_t start,
					  uint64_t count) must_check;

/* Is an allocation's first frame here, by the kernel's word? Its order, as far as that tells. */
bool kmp_frame_facts_in_use(const struct kmp_frame_facts *facts, uint64_t pfn, uint32_t *order);

/* Fill flags, block and charge of a page owner. */
struct kmp_error *kmp_frame_facts_page(struct kmp_frame_facts *facts, uint64_t pfn,
				       struct kmp_page *page) must_check;

/* The number in KMP_DICT_GFP of a mask. */
struct kmp_error *kmp_frame_facts_gfp(struct kmp_frame_facts *facts, uint32_t mask,
				      uint32_t *number) must_check;

#endif
