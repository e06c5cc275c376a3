/* SPDX-License-Identifier: GPL-2.0-only */
/* Walks what is recorded in the order of the page frames, while it changes. */
#ifndef KMP_SOURCE_RECORD_CURSOR_H
#define KMP_SOURCE_RECORD_CURSOR_H

#include "base/nodelist.h"
#include "source/frame_facts.h"
#include "source/recorder.h"

/* An allocation, as it was at one moment. */
struct kmp_found {
	uint64_t pfn;
	uint32_t order;
	bool attributed;	   /* false: in use, but nobody was seen to allocate it */
	struct record_page record; /* of one that is attributed */
};

struct kmp_record_cursor {
	const struct kmp_recorder *recorder;
	struct kmp_frame_facts *facts;
	const struct kmp_nodelist *nodes; /* only these; NULL: all */
	uint64_t next;			  /* the PFN to go on at */
	uint64_t covered;  /* frames before it belong to an allocation that was found */
	size_t section;	   /* none before it is of interest */
	uint64_t zone_end; /* frames before it are of node */
	int32_t node;
};

/* At the first frame. */
void kmp_record_cursor_init(struct kmp_record_cursor *cursor, const struct kmp_recorder *recorder,
			    struct kmp_frame_facts *facts);

/* Go on at this PFN: at the first allocation that begins there or after. */
void kmp_record_cursor_seek(struct kmp_record_cursor *cursor, uint64_t pfn);

/* The next allocation; *end if there is none. */
struct kmp_error *kmp_record_cursor_next(struct kmp_record_cursor *cursor, struct kmp_found *found,
					 bool *end) must_check;

#endif
