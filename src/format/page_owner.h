/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads page_owner text of every kernel: out-of-tree 2.6, 3.19 to 7.3, page_owner_sort's output,
 * dump_page()'s lines in a kernel log. The text comes in blocks of whole records, so that several
 * parsers can work on one file; each fills a ledger of its own, see ledger/merge.h.
 *
 * What current kernels print is read by po_fast.c. Whatever it does not expect (old headers, mail's
 * line ends, log lines in between) goes to po_slow.c, record by record.
 */
#ifndef KMP_FORMAT_PAGE_OWNER_H
#define KMP_FORMAT_PAGE_OWNER_H

#include "base/vec.h"

struct kmp_po_parser;

struct kmp_po_skip {
	uint64_t line; /* in the block, from 0 */
	const char *reason;
};

/* What a block held. vec_deinit() the two vectors. */
struct kmp_po_result {
	VEC(struct kmp_page) pages;
	VEC(struct kmp_po_skip) skips;
	uint64_t lines;	  /* newlines in the block */
	uint64_t cut;	  /* records that the end of the file cut */
	uint64_t stray;	  /* lines between records that belong to none */
	uint64_t foreign; /* log lines within records */
	uint64_t extra;	  /* lines of vendor kernels, kept with their records */
	uint64_t no_unit; /* times in `s`, which are ns all the same */
};

/* Lines of one log prefix are a kernel log: see kmp_po_looks_like(). */
enum kmp_po_likeness { KMP_PO_NOT, KMP_PO_RECORDS, KMP_PO_SORTED, KMP_PO_DUMP_PAGE };

/* What the beginning of a text looks like. */
enum kmp_po_likeness kmp_po_looks_like(const char *head, size_t len);

/* A parser that fills ledger; kmp_po_parser_destroy() leaves the ledger alone. */
struct kmp_error *kmp_po_parser_create(struct kmp_ledger *ledger,
				       struct kmp_po_parser **parser) must_check;
void kmp_po_parser_destroy(struct kmp_po_parser *parser);

/*
 * Where the last record of the text begins: what is before it are whole records. 0 if no record
 * begins behind the first byte.
 */
size_t kmp_po_split(const char *text, size_t len);

/*
 * Parse a block of whole records; at_end if the file ends with it. SCAN_PAD readable bytes stand
 * behind it. The result's vectors are reused, its counts set anew.
 */
struct kmp_error *kmp_po_parse(struct kmp_po_parser *parser, const char *text, size_t len,
			       bool at_end, struct kmp_po_result *result) must_check;

#endif
