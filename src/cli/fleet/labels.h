/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KMP_CLI_FLEET_LABELS_H
#define KMP_CLI_FLEET_LABELS_H

#include "cli/cli.h"
#include "cli/fleet/row.h"

/*
 * The options `label`, NAME=VALUE: how many, then names and values as texts. KMP_ERROR_USAGE for
 * other words, and for a name that comes twice.
 */
struct kmp_error *labels_read(const struct cli_args *args, struct row_writer *labels);

#endif
