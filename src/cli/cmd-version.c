// SPDX-License-Identifier: GPL-2.0-only
#include "cli/commands.h"

static struct kmp_error *run(struct cli_args *args)
{
	printf("kmemprof %s\n", kmp_version());
	return NULL;
}

const struct cli_command cmd_version = {
	.name = "version",
	.summary = "prints the version and what was built in",
	.synopsis = "",
	.options = (const struct cli_option[]){ { 0 } },
	.run = run,
};
