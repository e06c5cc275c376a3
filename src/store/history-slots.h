/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page owners of a sample, added up by what tells series apart. Each kind of page owners is a slot,
 * whose numbers are those of a ledger of its own, which holds nothing but what slots refer to.
 */
#ifndef KMP_STORE_HISTORY_SLOTS_H
#define KMP_STORE_HISTORY_SLOTS_H

#include "ledger/merge.h"

struct kmp_slot {
	/* In the slots' own ledger; KMP_NONE: not told, or not told apart. */
	uint32_t stack;
	uint32_t task;
	uint32_t order;
	uint32_t gfp;
	uint32_t type;
	uint32_t node;
	uint32_t zone;
};

struct kmp_slot_sums {
	uint64_t pages;
	uint64_t records;
};

struct kmp_slots {
	uint32_t columns;
	bool pids;
	bool zones;
	struct kmp_ledger *own;
	struct kmp_pool slots;		/* of struct kmp_slot */
	VEC(struct kmp_slot_sums) sums; /* by slot, of this sample */
	uint64_t entries;		/* page owners of this sample */
	/* Of the ledger that page owners refer to now. */
	uint64_t ledger;	   /* its serial, 0: none yet */
	struct kmp_merge merge;	   /* into own */
	struct kmp_pool raw;	   /* the same tuples in its numbers */
	VEC(uint32_t) slot_of_raw; /* by number in raw */
	VEC(uint32_t) unresolved;  /* its stacks whose handle alone is known */
};

/* slots->columns, pids and zones are set, the rest zero. */
struct kmp_error *kmp_slots_init(struct kmp_slots *slots) must_check;

/* Add up. */
struct kmp_error *kmp_slots_take(struct kmp_slots *slots, struct kmp_ledger *ledger,
				 const struct kmp_page *pages, size_t count) must_check;

/* Resolve in slots->own what the ledger has resolved since; *any tells if there was something. */
struct kmp_error *kmp_slots_resolve(struct kmp_slots *slots, const struct kmp_ledger *ledger,
				    bool *any) must_check;

static inline const struct kmp_slot *kmp_slots_get(const struct kmp_slots *slots, size_t number)
{
	return (const void *)slots->slots.strings.data[number].text;
}

/* Begin the next sample. */
void kmp_slots_clear(struct kmp_slots *slots);

void kmp_slots_deinit(struct kmp_slots *slots);

#endif
