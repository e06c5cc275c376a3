/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows of allocinfo out of lines: those that a mail program wrapped are put together again. Fill
 * in the two functions; deinit frees.
 */
#ifndef KMP_FORMAT_TAG_JOINER_H
#define KMP_FORMAT_TAG_JOINER_H

#include "format/tag_row.h"

struct kmp_tag_joiner {
	/* A row or another line, of any kind but OPEN; valid during the call. */
	struct kmp_error *(*row)(struct kmp_tag_joiner *joiner, const struct kmp_tag_row *row,
				 uint64_t line);
	/* Is this OPEN row worth waiting for its continuation? */
	bool (*wanted)(struct kmp_tag_joiner *joiner, const struct kmp_tag_row *row);
	VEC(char) held; /* an OPEN row's text */
	uint64_t held_line;
	unsigned held_parts;
};

/* Take a line. */
struct kmp_error *kmp_tag_joiner_feed(struct kmp_tag_joiner *joiner, const char *text, size_t len,
				      uint64_t line) must_check;

/* No more lines: an OPEN row that still waits comes as BAD. */
struct kmp_error *kmp_tag_joiner_finish(struct kmp_tag_joiner *joiner) must_check;

void kmp_tag_joiner_deinit(struct kmp_tag_joiner *joiner);

#endif
