/* SPDX-License-Identifier: GPL-2.0-only */
/* Tags of what the recorder saw: kernel objects by their call sites, pages by their stacks. */
#ifndef KMP_SOURCE_RECORDER_TAGS_H
#define KMP_SOURCE_RECORDER_TAGS_H

#include "source/recorder.h"
#include "source/symbols.h"

/* Size the tables of tags and say which functions are the allocator's, before the loading. */
struct kmp_error *kmp_recorder_tags_prepare(struct kmp_recorder *recorder) must_check;

/* Add the tags to the ledger. */
struct kmp_error *kmp_recorder_tags_read(struct kmp_recorder *recorder,
					 const struct kmp_symbols *symbols,
					 struct kmp_ledger *ledger) must_check;

#endif
