/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KMP_CLI_TREND_H
#define KMP_CLI_TREND_H

#include "cli/cli.h"

/* Read the options of `trend` about this history, but for --where. KMP_ERROR_USAGE. */
struct kmp_error *cli_trend_options(const struct cli_args *args, const struct kmp_history *history,
				    struct kmp_trend_options *options);

#endif
