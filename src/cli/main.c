// SPDX-License-Identifier: GPL-2.0-only
#include <signal.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/old-names.h"

static int run_command(const struct cli_command *command, int argc, char **argv)
{
	struct cli_args args;
	struct kmp_error *err = cli_parse(command, argc, argv, &args);

	if (!err && args.help)
		cli_print_help(command, stdout);
	else if (!err)
		err = command->run(&args);
	if (!err)
		err = cli_close_output(stdout, "standard output");
	return err ? cli_report_error(err) : args.status;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* `--help` and `--version` are what everybody tries first. */
static const char *verb_of(const char *word)
{
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return "help";
	if (!strcmp(word, "--version") || !strcmp(word, "-V"))
		return "version";
	return word;
}

int main(int argc, char **argv)
{
	const struct cli_command *command;

	/* `| head` ends us quietly, as it ends the kernel tree's tools. */
	signal(SIGPIPE, SIG_DFL);
	if (argc < 1)
		return CLI_USAGE;
	command = cli_old_name(argv[0]);
	if (command)
		return cli_old_status(run_command(command, argc, argv));
	if (argc < 2) {
		cli_print_overview(stderr);
		return CLI_USAGE;
	}
	command = cli_find(verb_of(argv[1]));
	if (!command) {
		fprintf(stderr, "kmemprof: unknown verb '%s'; see 'kmemprof help'\n",
			base_name(argv[1]));
		return CLI_USAGE;
	}
	return run_command(command, argc - 1, argv + 1);
}
