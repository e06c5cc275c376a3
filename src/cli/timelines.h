/* SPDX-License-Identifier: GPL-2.0-only */
/* What a page draws of a history over time. */
#ifndef KMP_CLI_TIMELINES_H
#define KMP_CLI_TIMELINES_H

#include "cli/cli.h"

enum { CLI_TIMELINES = 3 };

/* All-zero is empty; cli_timelines_deinit() frees. */
struct cli_timelines {
	struct kmp_timeline *list[CLI_TIMELINES];
	size_t count;
};

/* Those of the history at path (`FILE`, `FILE@WHEN`: until then); none if it is no history. */
struct kmp_error *cli_timelines_read(const char *path, struct cli_timelines *timelines);

void cli_timelines_deinit(struct cli_timelines *timelines);

#endif
