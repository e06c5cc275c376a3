/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One line of allocinfo, in any of the forms it is met in:
 *
 *     SIZE CALLS FILE:LINE [MODULE] func:NAME accurate:no
 *
 * with blanks anywhere between, behind a log's or a mail's prefix. SIZE may be negative, rounded
 * (`2.8M`, `29Gi`, `38.4 MiB`: always binary multiples) and marked with an asterisk for "not
 * accurate"; a column of numbers may stand before FILE or behind the name, and further words too.
 */
#ifndef KMP_FORMAT_TAG_ROW_H
#define KMP_FORMAT_TAG_ROW_H

#include "base/vec.h"

enum kmp_row_kind {
	KMP_ROW_BLANK,	/* empty, a comment, or decoration such as `...` */
	KMP_ROW_HEADER, /* `allocinfo - version: 2.0`, or the columns' titles */
	KMP_ROW_TAG,	/* a tag */
	KMP_ROW_NODE,	/* `nid0 SIZE CALLS`: a node's part of a tag */
	KMP_ROW_OPEN,	/* the beginning of a tag: the line ended before the function */
	KMP_ROW_BAD,	/* meant as a row, but `reason` */
	KMP_ROW_OTHER	/* something else */
};

struct kmp_span {
	const char *text;
	size_t len;
};

/* A parsed line; the spans point into it. */
struct kmp_tag_row {
	enum kmp_row_kind kind;
	const char *reason; /* BAD, OPEN, OTHER: why it is no tag; static */
	unsigned version;   /* HEADER: the major version, 0: not told */
	int64_t bytes;
	int64_t calls;
	uint64_t line;
	struct kmp_span text; /* the line without its prefix and blanks around it */
	struct kmp_span file;
	struct kmp_span module;
	struct kmp_span function;
	struct kmp_span column; /* a number before FILE */
	struct kmp_span rest;	/* the words behind the function */
	bool inaccurate;
	bool approximate;
	bool logged; /* it had a kernel log's prefix */
};

/* Parse a line of any bytes. */
void kmp_tag_row_parse(const char *text, size_t len, struct kmp_tag_row *row);

/* Bytes that a tag's strings live in; an all-zero one is empty, vec_deinit() frees. */
struct kmp_tag_buffer {
	VEC(char) bytes;
};

/* The tag that a KMP_ROW_TAG tells; its strings live in the buffer until the next call. */
struct kmp_error *kmp_tag_row_get(const struct kmp_tag_row *row, struct kmp_tag_buffer *buffer,
				  struct kmp_tag *tag) must_check;

#endif
