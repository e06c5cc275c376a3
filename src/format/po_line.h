/* SPDX-License-Identifier: GPL-2.0-only */
/* One line of page_owner text as people have it, and what it is. */
#ifndef KMP_FORMAT_PO_LINE_H
#define KMP_FORMAT_PO_LINE_H

#include "base/vec.h"

/* A line without its end, a kernel log's prefix and NULs. */
struct po_line {
	const char *text;
	size_t len;
	const char *next; /* where the following line begins */
	bool prefixed;	  /* a kernel log's prefix was there */
	bool ended;	  /* a newline ended it */
};

/* Where a line is put whose NULs were taken out. All zero is empty; vec_deinit() frees. */
struct po_line_buffer {
	char *data;
	size_t len;
	size_t cap;
};

/* The line at `at`, which is before `end`; its text is valid until the buffer's next use. */
struct kmp_error *kmp_po_line(const char *at, const char *end, struct po_line_buffer *clean,
			      struct po_line *line) must_check;

/* The line without what mail puts before it. */
struct po_line po_dedented(struct po_line line);

/* Nothing but blanks: the end of a record. */
bool po_is_blank(const struct po_line *line);

bool po_line_begins(const struct po_line *line, const char *word);

/* The first line of a record. */
bool po_is_header(const struct po_line *line);

/* `PFN ` and a number; a task name can hold `PFN ` alone. */
bool po_is_pfn(const struct po_line *line);

/*
 * `N times:`, `N times, M pages:`, `N times, M pages, allocated by SLAB :` above a record; pages
 * is 0 where M is missing, labels are bits.
 */
bool po_is_sorted(const struct po_line *line, uint64_t *times, uint64_t *pages, uint32_t *labels);
enum { PO_LABEL_SLAB = 1, PO_LABEL_CMA = 2 };

#endif
