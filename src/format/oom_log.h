/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of the largest tags that the kernel logs when memory runs out or an allocation fails:
 *
 *     [   30.988768] Memory allocations (profiling is currently turned on):
 *     [   30.988789]     38.4 MiB     5505 mm/slub.c:3075 func:alloc_slab_page
 *
 * among any other lines. A log can hold several reports, each a moment of its own: the last one
 * that has rows is read, and a warning tells of the others. Its facts say top_only, and
 * profiling_off if the report says so.
 */
#ifndef KMP_FORMAT_OOM_LOG_H
#define KMP_FORMAT_OOM_LOG_H

#include "base/lines.h"

/*
 * Read a log's last report into the ledger's tags; facts.kind becomes `oom report`.
 * KMP_ERROR_INPUT where there is none.
 */
struct kmp_error *kmp_oom_log_read(struct kmp_lines *lines, struct kmp_ledger *ledger) must_check;

/*
 * Do these first bytes of a file hold such a report, or a kernel log in which it may come later?
 * Ask this last: other things are found in kernel logs as well.
 */
bool kmp_oom_log_looks_like(const char *head, size_t len);

/*
 * Is this line a report's title: `Memory allocations (profiling is currently turned on):`, or, of
 * early kernels, `Memory allocations:`? *off tells whether profiling was off.
 */
bool kmp_oom_log_is_title(const char *text, size_t len, bool *off);

#endif
