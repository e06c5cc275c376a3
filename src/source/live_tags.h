/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * allocinfo over a recording that goes on: a picture of its tags, which is renewed when it is asked
 * for and too old. A tag that was there once stays, at its place, with zeros when nothing of it is
 * held; new ones come behind, as when the kernel loads a module. Any number of threads may ask.
 */
#ifndef KMP_SOURCE_LIVE_TAGS_H
#define KMP_SOURCE_LIVE_TAGS_H

#include "source/recorder.h"

struct kmp_live_tags;

enum kmp_live_age {
	KMP_LIVE_RECENT, /* the picture may be a tenth of a second old, or more if that costs much
			  */
	KMP_LIVE_NOW,	 /* it must have been begun after the question */
};

/*
 * No tags yet; they go into `tags`, which nobody else may change. The recorder must outlive it, and
 * so must the tags.
 */
struct kmp_error *kmp_live_tags_create(struct kmp_recorder *recorder, struct kmp_tags *tags,
				       struct kmp_live_tags **live) must_check;

/* NULL is accepted. */
void kmp_live_tags_destroy(struct kmp_live_tags *live);

/*
 * Have a picture of this age, which no other thread changes until kmp_live_tags_leave(). After a
 * failure it has not been entered.
 */
struct kmp_error *kmp_live_tags_enter(struct kmp_live_tags *live, enum kmp_live_age age) must_check;
void kmp_live_tags_leave(struct kmp_live_tags *live);

#endif
