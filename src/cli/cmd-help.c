// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/old-names.h"

static struct kmp_error *print(const struct cli_command *command, const char *format)
{
	if (!strcmp(format, "text") && command)
		cli_print_help(command, stdout);
	else if (!strcmp(format, "text"))
		cli_print_overview(stdout);
	else if (!strcmp(format, "scdoc"))
		cli_print_manual(command, stdout);
	else if (!strcmp(format, "bash"))
		cli_print_bash(stdout);
	else if (!strcmp(format, "zsh"))
		cli_print_zsh(stdout);
	else
		return kmp_error_new(KMP_ERROR_USAGE, "help has no format '%s'", format);
	return NULL;
}

static struct kmp_error *run(struct cli_args *args)
{
	const char *format = cli_value(args, "format");
	const struct cli_command *command = NULL;

	if (args->count) {
		command = cli_find(args->rest[0]);
		if (!command)
			command = cli_old_name(args->rest[0]);
		if (!command)
			return kmp_error_new(KMP_ERROR_USAGE, "unknown verb '%s'", args->rest[0]);
	}
	return print(command, format ? format : "text");
}

const struct cli_command cmd_help = {
	.name = "help",
	.summary = "lists the verbs, or explains one",
	.synopsis = "[VERB]",
	.details =
		"The formats beside text are made from the same table of verbs: scdoc, the part "
		"of\n"
		"a manual page that it tells, and bash and zsh, which complete verbs, options and\n"
		"their arguments. Where the package did not install them:\n"
		"'source <(kmemprof help --format bash)'.\n",
	.options =
		(const struct cli_option[]){
			{ "format", 'f', "FORMAT", "text, scdoc, bash or zsh",
			  "text scdoc bash zsh" },
			{ 0 },
		},
	.max_args = 1,
	.run = run,
};
