/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /proc/allocinfo, versions 1.0 and 2.0, and what people make of it: sorted, cut, without the
 * header, through numfmt, wrapped by a mail. The rows are those of format/tag_row.h.
 *
 * What is kept apart: per-node rows (parts of a tag's figures) are not added to anything, and a
 * warning says that they were there. Rows that cannot be understood are losses.
 * A file that was put together from several readings gets a warning, too: their figures add up.
 *
 * facts.top_only is set where the rows come in order of size and none is 0 or below: the kernel
 * prints its thousands of tags in the order of its source, most of them 0, so such a file was
 * sorted and cut. (With the header in place, 5 rows must agree: a few can be in order by chance.)
 */
#ifndef KMP_FORMAT_ALLOCINFO_H
#define KMP_FORMAT_ALLOCINFO_H

#include "base/lines.h"

/* Read all lines into the ledger's tags and facts; facts.kind becomes `allocinfo`. */
struct kmp_error *kmp_allocinfo_read(struct kmp_lines *lines, struct kmp_ledger *ledger) must_check;

/* Do these first bytes of a file look like it? */
bool kmp_allocinfo_looks_like(const char *head, size_t len);

#endif
