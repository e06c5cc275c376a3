/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is recorded, in a ledger's words: stacks and tasks enter the ledger when the first record
 * that has them is told.
 */
#ifndef KMP_SOURCE_RECORD_WORDS_H
#define KMP_SOURCE_RECORD_WORDS_H

#include "source/record_cursor.h"

struct kmp_record_words {
	const struct kmp_recorder *recorder;
	struct kmp_ledger *ledger;
	struct kmp_frame_facts facts;
	VEC(uint32_t) stacks;	       /* the ledger's numbers by handle */
	VEC(uint32_t) tasks;	       /* and by task number, */
	VEC(struct record_task) known; /* of which each was that of this task */
	uint32_t unattributed_stack;   /* of pages that nobody was seen to allocate */
	uint32_t unattributed_task;
	uint32_t types[RECORD_TYPE + 1];
	bool no_frames;	  /* what /proc/kpageflags and its like tell is not wanted */
	uint64_t unnamed; /* frames that no function is known to hold */
};

/* All must outlive it. kmp_record_words_deinit() also after a failure. */
struct kmp_error *kmp_record_words_init(struct kmp_record_words *words,
					const struct kmp_recorder *recorder,
					const struct kmp_kernel_names *names,
					struct kmp_ledger *ledger) must_check;
void kmp_record_words_deinit(struct kmp_record_words *words);

/* The ledger's number of a handle's stack; KMP_NONE if there is none. */
struct kmp_error *kmp_record_words_stack(struct kmp_record_words *words, uint32_t handle,
					 uint32_t *number) must_check;

/* The page owner of what a cursor found. */
struct kmp_error *kmp_record_words_page(struct kmp_record_words *words,
					const struct kmp_found *found,
					struct kmp_page *page) must_check;

#endif
