/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A page table as Linux 7.3 prints it. All text that records have in common is made once, so that
 * a record is a few copies and numbers: the reader of a mount waits for the copy to it, not for us.
 *
 * Whatever kernel the pages are from, the form is that of 7.3, which today's tools read: what an
 * older kernel did not tell is printed as pid -1, tgid -1, an empty name and 0 ns.
 */
#ifndef KMP_FORMAT_PAGE_TEXT_H
#define KMP_FORMAT_PAGE_TEXT_H

#include "base/arena.h"
#include "ledger/page_table.h"

struct kmp_piece {
	const char *text;
	uint32_t len;
};

struct kmp_common_text {
	struct kmp_piece head;	  /* up to `, pid ` */
	struct kmp_piece type;	  /* ` type Movable Block ` */
	struct kmp_piece flags;	  /* ` type Movable Flags …` and the line's end */
	struct kmp_piece trailer; /* lines behind the stack */
};

struct kmp_page_text {
	const struct kmp_page_table *table; /* not owned */
	struct kmp_arena arena;
	VEC(struct kmp_common_text) commons;
	VEC(struct kmp_piece) tasks;   /* `7, tgid 8 (comm), ts ` by task; the last for none */
	VEC(struct kmp_piece) frames;  /* by stack; the last for none */
	VEC(struct kmp_piece) handles; /* `handle: 7` lines by stack */
};

/* Make the texts of a finished table; kmp_page_text_deinit() also after a failure. */
struct kmp_error *kmp_page_text_init(struct kmp_page_text *text,
				     const struct kmp_page_table *table) must_check;
void kmp_page_text_deinit(struct kmp_page_text *text);

/* Bytes that the record of a row has at most. */
size_t kmp_page_text_bound(const struct kmp_page_text *text, size_t row, enum kmp_mode mode);

/* Print a row at p, where kmp_page_text_bound() bytes are free; the end of what was printed. */
char *kmp_page_text_put(const struct kmp_page_text *text, size_t row, enum kmp_mode mode, char *p);

#endif
