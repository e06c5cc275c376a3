// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"
#include "cli/commands.h"

static struct kmp_error *run(struct cli_args *args)
{
	if (!args->count) {
		cli_print_overview(stdout);
		return NULL;
	}
	const struct cli_command *command = cli_find(args->rest[0]);

	if (!command)
		return kmp_error_new(KMP_ERROR_USAGE, "unknown verb '%s'", args->rest[0]);
	cli_print_help(command, stdout);
	return NULL;
}

const struct cli_command cmd_help = {
	.name = "help",
	.summary = "lists the verbs, or explains one",
	.synopsis = "[VERB]",
	.options = (const struct cli_option[]){ { 0 } },
	.max_args = 1,
	.run = run,
};
