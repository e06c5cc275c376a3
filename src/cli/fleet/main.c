// SPDX-License-Identifier: GPL-2.0-only
/* The program kmemprof-fleet, which `kmemprof push` and `kmemprof fleet` become. */
#include <malloc.h>
#include <signal.h>
#include <string.h>

#include "base/error.h"
#include "cli/commands.h"

static const struct cli_command *const verbs[] = { &cmd_push, &cmd_fleet };

static const struct cli_command *verb_of(const char *name)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		if (!strcmp(verbs[i]->name, name))
			return verbs[i];
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const struct cli_command *verb = argc > 1 ? verb_of(argv[1]) : NULL;
	struct cli_args args;

	if (!verb) {
		fputs("kmemprof-fleet: this is a part of kmemprof, which starts it\n", stderr);
		return CLI_USAGE;
	}
	signal(SIGPIPE, SIG_IGN);
	/* A batch takes what the one before it gave back: the kernel need not clear it anew. */
	mallopt(M_MMAP_THRESHOLD, 64 << 20);
	mallopt(M_TRIM_THRESHOLD, 128 << 20);
	struct kmp_error *err = cli_parse(verb, argc - 1, argv + 1, &args);

	if (!err)
		err = verb->run(&args);
	if (!err)
		err = cli_close_output(stdout, "standard output");
	return err ? cli_report_error(err) : args.status;
}
