/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KMP_CLI_TAG_FILTER_H
#define KMP_CLI_TAG_FILTER_H

#include "cli/cli.h"

/* Which tags: options module, function, file, line, min-size, max-size, accurate. KMP_ERROR_USAGE.
 */
struct kmp_error *cli_tag_filter(const struct cli_args *args, struct kmp_tag_filter *filter);

#endif
