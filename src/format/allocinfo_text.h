/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The text of /proc/allocinfo, version 2.0, over a store of tags, read by byte offset. It is made
 * piece by piece as the reader comes to it, with the figures of that moment. A piece stays as it
 * is while reads fall into it, so that no read tears a number; where pieces begin is remembered,
 * so that going back is cheap; offset 0 forgets all and begins with new figures.
 */
#ifndef KMP_FORMAT_ALLOCINFO_TEXT_H
#define KMP_FORMAT_ALLOCINFO_TEXT_H

#include "ledger/tag_store.h"

struct kmp_allocinfo_mark {
	uint64_t offset;
	size_t tag;
};

/* All zero is a text not read yet; deinit frees. */
struct kmp_allocinfo_text {
	VEC(char) piece;
	uint64_t start;			      /* offset of the piece */
	size_t next;			      /* the first tag behind the piece */
	VEC(struct kmp_allocinfo_mark) marks; /* beginnings, the piece's own is the last */
};

/* As pread(): bytes read, size of them unless the text ends before; 0 at the end; -ENOMEM. */
int64_t kmp_allocinfo_text_read(struct kmp_allocinfo_text *text, struct kmp_tags *tags, char *buf,
				size_t size, uint64_t offset);

void kmp_allocinfo_text_deinit(struct kmp_allocinfo_text *text);

#endif
