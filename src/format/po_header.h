/* SPDX-License-Identifier: GPL-2.0-only */
/* A record's first two lines, of every kernel, read leniently. */
#ifndef KMP_FORMAT_PO_HEADER_H
#define KMP_FORMAT_PO_HEADER_H

#include "format/po_parser.h"

/* What the lines of one record told so far. */
struct po_record {
	struct kmp_page page;
	int64_t pid;
	int64_t tgid;
	uint32_t comm;
	bool no_unit; /* a time in `s`, which is ns all the same */
	VEC(char) extra;
};

/* Start a record anew; the extra lines' memory is kept. */
void kmp_po_record_init(struct po_record *record);

/*
 * Parse a whole header, lines joined; a NUL and SCAN_PAD bytes stand behind it. *reason is NULL if
 * it is complete, else tells what is wrong with it.
 */
struct kmp_error *kmp_po_header(struct kmp_po_parser *p, const char *text, size_t len,
				struct po_record *record, const char **reason) must_check;

/* Does the header's task name begin and not end? Then the next line belongs to the name. */
bool kmp_po_comm_is_open(const char *text, size_t len);

/* The same as kmp_po_header() for a PFN line. */
struct kmp_error *kmp_po_pfn_line(struct kmp_po_parser *p, const char *text, size_t len,
				  struct po_record *record, const char **reason) must_check;

/* Keep a line, or a part of one, with the record. */
struct kmp_error *kmp_po_keep(struct po_record *record, const char *text, size_t len) must_check;

#endif
