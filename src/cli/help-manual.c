// SPDX-License-Identifier: GPL-2.0-only
/* What manual pages have of the command table, as scdoc. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/help-kinds.h"

/* What scdoc gives a meaning loses it. */
static void print_escaped(const char *text, size_t len, FILE *out)
{
	for (const char *p = text; p < text + len; p++) {
		if (strchr("\\*_#|[];+-~^`<>", *p))
			fputc('\\', out);
		fputc(*p, out);
	}
}

static void print_text(const char *text, FILE *out)
{
	print_escaped(text, strlen(text), out);
}

/* `[FILE]`, with what is to be replaced underlined. */
static void print_synopsis(const char *synopsis, FILE *out)
{
	while (*synopsis) {
		size_t len = strcspn(synopsis, " []");

		if (!len) {
			print_escaped(synopsis++, 1, out);
			continue;
		}
		bool placeholder = isupper((unsigned char)*synopsis);

		if (placeholder)
			fputc('_', out);
		print_escaped(synopsis, len, out);
		if (placeholder)
			fputc('_', out);
		synopsis += len;
	}
}

static void print_options(const struct cli_option *options, FILE *out)
{
	fputs("\n# OPTIONS\n", out);
	for (const struct cli_option *o = options; o->name; o++) {
		fputs("\n*", out);
		if (o->letter)
			fprintf(out, "\\-%c, ", o->letter);
		fputs("\\-\\-", out);
		print_text(o->name, out);
		fputc('*', out);
		if (o->arg) {
			fputs(" _", out);
			print_text(o->arg, out);
			fputc('_', out);
		}
		fputs("\n\t", out);
		print_text(o->help, out);
		fputc('\n', out);
	}
	fputs("\n*\\-h, \\-\\-help*\n\tprints the synopsis and the options\n", out);
}

static void print_all(FILE *out)
{
	fputs("kmemprof(1) \"kmemprof " KMP_VERSION
	      "\" \"kmemprof\"\n\n# NAME\n\n"
	      "kmemprof \\- who owns the memory of a Linux machine\n\n# SYNOPSIS\n\n"
	      "*kmemprof* _VERB_ [_OPTIONS_] …\n\n# VERBS\n",
	      out);
	for (size_t i = 0; cli_commands[i]; i++) {
		fprintf(out, "\n*kmemprof-%s*(1)\n\t", cli_commands[i]->name);
		print_text(cli_commands[i]->summary, out);
		fputc('\n', out);
	}
}

void cli_print_manual(const struct cli_command *command, FILE *out)
{
	if (!command) {
		print_all(out);
		return;
	}
	const char *prefix = command->own_program ? "" : "kmemprof-";

	fprintf(out, "%s%s(1) \"kmemprof %s\" \"kmemprof\"\n\n# NAME\n\n%s", prefix, command->name,
		KMP_VERSION, prefix);
	print_text(command->name, out);
	fputs(" \\- ", out);
	print_text(command->summary, out);
	fprintf(out, "\n\n# SYNOPSIS\n\n*%s", command->own_program ? "" : "kmemprof ");
	print_text(command->name, out);
	fprintf(out, "*%s%s", command->options[0].name ? " [_OPTIONS_]" : "",
		command->synopsis[0] ? " " : "");
	print_synopsis(command->synopsis, out);
	fputs("\n", out);
	if (command->details) {
		fputs("\n# DESCRIPTION\n\n", out);
		print_text(command->details, out);
	}
	print_options(command->options, out);
}
