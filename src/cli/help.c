// SPDX-License-Identifier: GPL-2.0-only
#include "cli/cli.h"

void cli_print_help(const struct cli_command *command, FILE *out)
{
	fprintf(out, "usage: %s%s%s%s%s\n\n%s\n", command->own_program ? "" : "kmemprof ",
		command->name, command->options[0].name ? " [OPTIONS]" : "",
		command->synopsis[0] ? " " : "", command->synopsis, command->summary);
	if (command->options[0].name)
		fputs("\noptions:\n", out);
	for (const struct cli_option *o = command->options; o->name; o++) {
		char left[64];
		char letter[8] = "    ";

		if (o->letter)
			snprintf(letter, sizeof(letter), "-%c, ", o->letter);
		snprintf(left, sizeof(left), "%s--%s%s%s", letter, o->name, o->arg ? " " : "",
			 o->arg ? o->arg : "");
		fprintf(out, "  %-28s %s\n", left, o->help);
	}
	if (command->details)
		fprintf(out, "\n%s", command->details);
}

void cli_print_overview(FILE *out)
{
	fputs("kmemprof: who owns the memory of a Linux machine?\n\n"
	      "usage: kmemprof VERB [OPTIONS] …\n\nverbs:\n",
	      out);
	for (size_t i = 0; cli_commands[i]; i++)
		fprintf(out, "  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
	fputs("\n'kmemprof help VERB' tells more.\n", out);
}
