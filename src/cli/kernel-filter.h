/* SPDX-License-Identifier: GPL-2.0-only */
/* The running kernel's own filter, of Linux 7.3. */
#ifndef KMP_CLI_KERNEL_FILTER_H
#define KMP_CLI_KERNEL_FILTER_H

#include "cli/cli.h"

/*
 * Let the kernel, or whoever serves a page_owner as it does, filter by mode and nodes (NULL: as it
 * is) and copy what it prints to the option `output`. from is page_owner or the directory that it
 * is in, NULL the kernel's. *done is left false where that cannot be: then nothing was written.
 */
struct kmp_error *cli_kernel_filter(struct cli_args *args, const char *from, const char *mode,
				    const char *nodes, bool *done);

#endif
