/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KMP_CLI_SORT_OPTIONS_H
#define KMP_CLI_SORT_OPTIONS_H

#include "cli/cli.h"
#include "cli/sorter.h"

/* All options of page_owner_sort, of 6.1 and 7.3. */
extern const struct cli_option sort_options[];

/* The rules that the options make; free them with sort_rules_deinit(), also after an error. */
struct kmp_error *sort_rules_parse(const struct cli_args *args, struct sort_rules *rules);
void sort_rules_deinit(struct sort_rules *rules);

#endif
