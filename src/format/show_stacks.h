/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of page_owner_stacks: show_stacks (with nr_base_pages, or 6.9-rc's stack_count),
 * show_handles and show_stacks_handles, also as mail and blogs print them: indented, with `...`
 * where something was left out.
 */
#ifndef KMP_FORMAT_SHOW_STACKS_H
#define KMP_FORMAT_SHOW_STACKS_H

#include "base/lines.h"

/*
 * Which of the three files starts so: `show_stacks`, `show_handles` or `show_stacks_handles`, and
 * NULL for none of them. An entry must end within these bytes; 4 KiB are enough.
 */
const char *kmp_show_stacks_kind(const char *head, size_t len);

static inline bool kmp_show_stacks_looks_like(const char *head, size_t len)
{
	return kmp_show_stacks_kind(head, len) != NULL;
}

/*
 * Read one. Each entry that tells a count becomes a page owner, for the sink, or for the ledger
 * where sink is NULL: its records are not told (0), except by stack_count, which counts them and
 * leaves the pages unknown (KMP_FORM_APPROXIMATE). Entries without a count, those of
 * show_stacks_handles, only resolve their handle in the ledger. What cannot be used is counted in
 * the ledger's losses.
 */
struct kmp_error *kmp_show_stacks_read(struct kmp_lines *lines, struct kmp_ledger *ledger,
				       const struct kmp_sink *sink) must_check;

#endif
