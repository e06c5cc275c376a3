/* SPDX-License-Identifier: GPL-2.0-only */
/* What a kernel log, syslog or a mail puts before a line. */
#ifndef KMP_FORMAT_LOG_PREFIX_H
#define KMP_FORMAT_LOG_PREFIX_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The length of the prefix: blanks, a mail's `> `, and any of `<6>`, `kern  :info  : `,
 * `Nov 30 14:46:13 host kernel: `, `2026-11-30T14:46:13+0000 host kernel: `, `[   30.988789] `,
 * `[Mon Nov 30 14:46:13 2026] `, `[    T1] `. *logged tells whether any of a log's was there.
 */
size_t kmp_log_prefix(const char *text, size_t len, bool *logged);

#endif
