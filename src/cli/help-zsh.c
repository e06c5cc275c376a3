// SPDX-License-Identifier: GPL-2.0-only
/* The completion for zsh: a function for each command, all made of _arguments. */
#include <stdio.h>
#include <string.h>

#include "cli/help-kinds.h"

/* Inside single quotes, and inside a specification where colons and brackets have a meaning. */
static void print_quoted(const char *text, size_t len, FILE *out)
{
	for (const char *p = text; p < text + len; p++) {
		if (*p == '\'')
			fputs("'\\'", out);
		else if (strchr(":[]\\", *p))
			fputc('\\', out);
		fputc(*p, out);
	}
}

static void print_action(enum cli_kind kind, const char *words, FILE *out)
{
	switch (kind) {
	case CLI_KIND_FILE:
		fputs("_files", out);
		break;
	case CLI_KIND_DIRECTORY:
		fputs("_files -/", out);
		break;
	case CLI_KIND_VERB:
		fputs("_kmemprof_verbs", out);
		break;
	case CLI_KIND_COMMAND:
		fputs("_normal", out);
		break;
	case CLI_KIND_WORDS:
		fprintf(out, "(%s)", words);
		break;
	case CLI_KIND_LIST:
		fprintf(out, "_sequence compadd - %s", words);
		break;
	case CLI_KIND_OTHER:
	case CLI_KIND_NONE:
		fputc(' ', out);
		break;
	}
}

static void print_option(const struct cli_option *option, FILE *out)
{
	if (option->letter)
		fprintf(out, " \\\n\t\t'(-%c --%s)'{-%c%s,--%s%s}'[", option->letter, option->name,
			option->letter, option->arg ? "+" : "", option->name,
			option->arg ? "=" : "");
	else
		fprintf(out, " \\\n\t\t'--%s%s[", option->name, option->arg ? "=" : "");
	print_quoted(option->help, strlen(option->help), out);
	fputc(']', out);
	if (option->arg) {
		fputc(':', out);
		print_quoted(option->arg, strlen(option->arg), out);
		fputc(':', out);
		print_action(cli_option_kind(option), option->words, out);
	}
	fputc('\'', out);
}

static void print_arguments(const struct cli_command *command, FILE *out)
{
	const char *synopsis = command->synopsis, *word;
	enum cli_kind kind;
	size_t len;

	for (int n = 1; (kind = cli_next_kind(&synopsis, &word, &len)) != CLI_KIND_NONE; n++) {
		if (kind == CLI_KIND_COMMAND) {
			fputs(" \\\n\t\t'(-):COMMAND:_command_names -e'"
			      " \\\n\t\t'*::argument:_normal'",
			      out);
			continue;
		}
		fprintf(out, " \\\n\t\t'%d:", n);
		print_quoted(word, len, out);
		fputc(':', out);
		if (n == 1 && command->words)
			kind = CLI_KIND_WORDS;
		print_action(kind, command->words, out);
		fputc('\'', out);
	}
}

static void print_command(const struct cli_command *command, void *arg)
{
	FILE *out = arg;

	fprintf(out, "\n_kmemprof_%s() {\n\t_arguments -s -S", command->name);
	for (const struct cli_option *o = command->options; o->name; o++)
		print_option(o, out);
	fputs(" \\\n\t\t'(- *)--help[explain this verb]'", out);
	print_arguments(command, out);
	fputs("\n}\n", out);
}

void cli_print_zsh(FILE *out)
{
	fputs("#compdef kmemprof page_owner_filter page_owner_sort\n"
	      "# Made from the table of commands by `kmemprof help --format zsh`.\n"
	      "\n_kmemprof_verbs() {\n\tlocal -a verbs=(",
	      out);
	for (size_t i = 0; cli_commands[i]; i++) {
		const char *summary = cli_commands[i]->summary;

		fprintf(out, "\n\t\t'%s:", cli_commands[i]->name);
		print_quoted(summary, strlen(summary), out);
		fputc('\'', out);
	}
	fputs("\n\t)\n\n\t_describe -t verbs verb verbs\n}\n", out);
	cli_each_command(print_command, out);
	fputs("\n_kmemprof() {\n"
	      "\tlocal curcontext=$curcontext state line\n"
	      "\n"
	      "\tif [[ $service == page_owner_* ]]; then\n"
	      "\t\t_kmemprof_$service\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\t_arguments -C '1:verb:_kmemprof_verbs' '*::argument:->argument' && return\n"
	      "\t[[ $state == argument ]] || return 1\n"
	      "\tcurcontext=\"${curcontext%:*}-$words[1]:\"\n"
	      "\t(( $+functions[_kmemprof_$words[1]] )) && _kmemprof_$words[1]\n"
	      "}\n"
	      "\n"
	      "_kmemprof \"$@\"\n",
	      out);
}
