/* SPDX-License-Identifier: GPL-2.0-only */
/* What the running kernel has for us, and if not, why not, in words that help. */
#ifndef KMP_CLI_KERNEL_H
#define KMP_CLI_KERNEL_H

#include "cli/cli.h"

/* If path is CLI_KERNEL: there is a page_owner. */
struct kmp_error *cli_kernel_check(const char *path);

/*
 * The path to read for all that the kernel has. *missing says why there is no page_owner, or is
 * NULL. An error if there are no tags either.
 */
struct kmp_error *cli_kernel_choose(const char **path, const char **missing);

/* After reading from there: are there but zeros, as profiling is off? missing is choose's. */
struct kmp_error *cli_kernel_check_read(const struct kmp_ledger *ledger, const char *missing);

/* Has a tag been charged? */
bool cli_has_counted(const struct kmp_ledger *ledger);

#endif
