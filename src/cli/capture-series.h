/* SPDX-License-Identifier: GPL-2.0-only */
/* kmemprof capture --interval --count: many snapshots of the counts by stack in one file. */
#ifndef KMP_CLI_CAPTURE_SERIES_H
#define KMP_CLI_CAPTURE_SERIES_H

#include "cli/cli.h"

/*
 * Snapshots of from (NULL or `kernel`: the running one) into the ledger file at path, until there
 * are as many as asked for, or a signal comes.
 */
struct kmp_error *cli_capture_series(struct cli_args *args, const char *from, const char *path,
				     bool append);

/* A size in binary units, to standard output. */
void cli_print_size(uint64_t bytes);

#endif
