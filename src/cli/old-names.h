/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of the kernel tree's tools: invoked under one of them, the program takes the options
 * of that tool.
 */
#ifndef KMP_CLI_OLD_NAMES_H
#define KMP_CLI_OLD_NAMES_H

#include "cli/cli.h"

/* Their commands, NULL-terminated. */
extern const struct cli_command *const cli_old_commands[];

/* The command that a program of this path stands for, or NULL. */
const struct cli_command *cli_old_name(const char *path);

/* Their exit status: they know no difference between a wrong option and a failure. */
int cli_old_status(int status);

#endif
