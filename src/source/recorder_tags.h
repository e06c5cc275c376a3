/* SPDX-License-Identifier: GPL-2.0-only */
/* Tags of what the recorder saw: kernel objects by their call sites, pages by their stacks. */
#ifndef KMP_SOURCE_RECORDER_TAGS_H
#define KMP_SOURCE_RECORDER_TAGS_H

#include "source/recorder.h"
#include "source/symbols.h"

/* Which functions are the allocator's, and what is to be traced. */
struct kmp_error *kmp_recorder_tags_init(struct kmp_recorder *recorder) must_check;

/* Size the tables of tags and tell the programs what they must know, before they are loaded. */
struct kmp_error *kmp_recorder_tags_prepare(struct kmp_recorder *recorder) must_check;

/* What a tag's or a context's number holds. */
struct kmp_error *kmp_recorder_sum(const struct kmp_recorder *recorder, uint32_t number,
				   struct record_sum *sum) must_check;

/*
 * The first frame that is the allocator's (0 if none is): before it the tracing itself may stand.
 * The first address outside the allocator, beyond those inside; the outermost if there is none.
 */
uint32_t kmp_recorder_first_frame(const struct kmp_recorder *recorder,
				  const struct record_stack *stack);
uint64_t kmp_recorder_site(const struct kmp_recorder *recorder, const struct record_stack *stack);

/* Add the tags to the ledger. */
struct kmp_error *kmp_recorder_tags_read(struct kmp_recorder *recorder,
					 const struct kmp_symbols *symbols,
					 struct kmp_ledger *ledger) must_check;

/*
 * The same alone, with the names of the last reading as kmp_recorder_read() has them: the two must
 * not run at once.
 */
struct kmp_error *kmp_recorder_read_tags(struct kmp_recorder *recorder,
					 struct kmp_ledger *ledger) must_check;

#endif
