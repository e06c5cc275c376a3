// SPDX-License-Identifier: GPL-2.0-only
/* The completion for bash: the command table, and complete.bash, which knows how to use it. */
#include "cli/help-kinds.h"
#include "cli/complete-bash.h"

static char letter_of(enum cli_kind kind)
{
	static const char letters[] = {
		[CLI_KIND_NONE] = '-', [CLI_KIND_FILE] = 'f',	 [CLI_KIND_DIRECTORY] = 'd',
		[CLI_KIND_VERB] = 'v', [CLI_KIND_COMMAND] = 'c', [CLI_KIND_WORDS] = 'w',
		[CLI_KIND_LIST] = 'l', [CLI_KIND_OTHER] = 'x',
	};

	return letters[kind];
}

static void print_command(const struct cli_command *command, void *arg)
{
	FILE *out = arg;
	const char *synopsis = command->synopsis, *word;
	bool first = true;
	enum cli_kind kind;
	size_t len;

	fprintf(out, "\t%s)\n\t\trest=", command->name);
	while ((kind = cli_next_kind(&synopsis, &word, &len)) != CLI_KIND_NONE) {
		fputc(letter_of(first && command->words ? CLI_KIND_WORDS : kind), out);
		first = false;
	}
	fprintf(out, "\n\t\twords='%s'\n\t\toptions='", command->words ? command->words : "");
	for (const struct cli_option *o = command->options; o->name; o++)
		fprintf(out, "%s%c %s %c%s%s", o == command->options ? "" : "\n",
			o->letter ? o->letter : '-', o->name, letter_of(cli_option_kind(o)),
			o->words ? " " : "", o->words ? o->words : "");
	fputs("'\n\t\t;;\n", out);
}

void cli_print_bash(FILE *out)
{
	fputs("_kmemprof_verbs='", out);
	for (size_t i = 0; cli_commands[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", cli_commands[i]->name);
	fputs("'\n\n_kmemprof_table() { # COMMAND\n\tcase $1 in\n", out);
	cli_each_command(print_command, out);
	fputs("\t*) return 1 ;;\n\tesac\n}\n\n", out);
	fputs(cli_complete_bash, out);
}
