/* SPDX-License-Identifier: GPL-2.0-only */
/* A command that is run in order to record it. */
#ifndef KMP_CLI_CHILD_H
#define KMP_CLI_CHILD_H

#include <sys/types.h>

#include "cli/cli.h"

/*
 * Start a command that waits until a byte is written to *go; when that is closed without one, it
 * never runs. quiet: what it prints goes nowhere, and it has no input.
 */
struct kmp_error *cli_child_start(char **argv, bool quiet, pid_t *pid, int *go);

#endif
