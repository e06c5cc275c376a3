/* SPDX-License-Identifier: GPL-2.0-only */
/* Where page frames lie: which are memory, in which node and zone, in blocks of what order. */
#ifndef KMP_SOURCE_ZONES_H
#define KMP_SOURCE_ZONES_H

#include "base/error.h"
#include "base/vec.h"

/* A zone's frames, as /proc/zoneinfo tells. */
struct kmp_zone {
	uint64_t first; /* PFN */
	uint64_t count; /* frames it spans, holes and other nodes' frames among them */
	int32_t node;
	int32_t zone; /* index in its node, as in page_owner's `zone=` */
};

/* Zones that span anything, by their first PFN. An all-zero table is empty. */
struct kmp_zones {
	VEC(struct kmp_zone) zones;
	uint64_t used; /* pages that neither the buddy allocator has nor a CPU's list */
};

/* Read a text like /proc/zoneinfo. KMP_ERROR_INPUT if no zone in it spans anything. */
struct kmp_error *kmp_zones_load(const char *path, struct kmp_zones *zones) must_check;
void kmp_zones_deinit(struct kmp_zones *zones);

/*
 * The zone of a frame, NULL if none spans it. Where nodes' frames interleave, several zones span
 * one frame: then it is the one that begins last.
 */
const struct kmp_zone *kmp_zones_find(const struct kmp_zones *zones, uint64_t pfn);

/* Frames in use, without holes. */
struct kmp_pfn_range {
	uint64_t first;
	uint64_t count;
	uint64_t before; /* frames of all ranges before this one */
};

/* Ranges that neither touch nor overlap, by their first PFN. All-zero: empty. */
struct kmp_pfn_ranges {
	VEC(struct kmp_pfn_range) ranges;
	uint64_t count; /* frames in all */
};

/*
 * The machine's memory: what a text like /proc/iomem calls `System RAM`, whole frames of page_size
 * bytes. If path cannot be read, or hides its addresses as it does without CAP_SYS_ADMIN: what the
 * zones span.
 */
struct kmp_error *kmp_pfn_ranges_load(const char *path, const struct kmp_zones *zones,
				      uint32_t page_size, struct kmp_pfn_ranges *ranges) must_check;
void kmp_pfn_ranges_deinit(struct kmp_pfn_ranges *ranges);

/* The frame's number among those in use, from 0; UINT64_MAX if it is in no range. */
uint64_t kmp_pfn_ranges_index(const struct kmp_pfn_ranges *ranges, uint64_t pfn);

enum { KMP_MIGRATETYPES_MAX = 8, KMP_MIGRATETYPE_SIZE = 24 };

/* What /proc/pagetypeinfo tells. */
struct kmp_pageblocks {
	uint32_t order; /* of a pageblock; 9 if not told */
	uint32_t types; /* migratetypes, by number */
	char names[KMP_MIGRATETYPES_MAX][KMP_MIGRATETYPE_SIZE];
};

/*
 * Read a text like /proc/pagetypeinfo. If path cannot be read, which takes root, *blocks holds
 * order 9 and the types that all kernels have: Unmovable, Movable, Reclaimable, HighAtomic.
 */
struct kmp_error *kmp_pageblocks_load(const char *path, struct kmp_pageblocks *blocks) must_check;

#endif
