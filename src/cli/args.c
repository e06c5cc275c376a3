// SPDX-License-Identifier: GPL-2.0-only
/* Options by the command's table, through getopt_long(). */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli.h"

enum { OPTIONS_MAX = sizeof(((struct cli_args *)0)->values) / sizeof(char *), HELP = 1000 };

static size_t fill_options(const struct cli_option *options, struct option *longs, char *shorts)
{
	size_t n = 0;
	char *s = shorts;

	*s++ = ':';
	for (; options[n].name && n < OPTIONS_MAX; n++) {
		longs[n] = (struct option){ options[n].name,
					    options[n].arg ? required_argument : no_argument, NULL,
					    (int)n + HELP + 1 };
		if (options[n].letter) {
			*s++ = options[n].letter;
			if (options[n].arg)
				*s++ = ':';
		}
	}
	longs[n] = (struct option){ "help", no_argument, NULL, HELP };
	*s++ = 'h';
	*s = '\0';
	return n;
}

/* The option that getopt_long() stumbled over, as typed. */
static struct kmp_error *bad_option(const struct cli_command *command, int got, const char *word)
{
	const char *what = got == ':'		  ? "option '%s%s' needs an argument"
			   : command->own_program ? "unknown option '%s%s'; '%s --help' tells more"
						  : "unknown option '%s%s'; see 'kmemprof help %s'";
	char letter[2] = { (char)optopt, '\0' };
	bool is_letter = optopt > 0 && optopt < HELP && strncmp(word, "--", 2);

	return kmp_error_new(KMP_ERROR_USAGE, what, is_letter ? "-" : "", is_letter ? letter : word,
			     command->name);
}

static int option_number(const struct cli_option *options, int got)
{
	if (got > HELP)
		return got - HELP - 1;
	for (int i = 0; options[i].name; i++) {
		if (options[i].letter == got)
			return i;
	}
	return -1;
}

static struct kmp_error *take(struct cli_args *args, int number, const char *value)
{
	const struct cli_option *option = &args->command->options[number];

	args->values[number] = value;
	if (!option->repeats)
		return NULL;
	if (args->repeated_count == CLI_REPEATS)
		return kmp_error_new(KMP_ERROR_USAGE, "--%s: at most %d of them", option->name,
				     (int)CLI_REPEATS);
	args->repeated[args->repeated_count].option = number;
	args->repeated[args->repeated_count++].value = value;
	return NULL;
}

struct kmp_error *cli_parse(const struct cli_command *command, int argc, char **argv,
			    struct cli_args *args)
{
	struct option longs[OPTIONS_MAX + 2] = { 0 };
	char shorts[2 * OPTIONS_MAX + 4];
	int got;

	*args = (struct cli_args){ .command = command };
	fill_options(command->options, longs, shorts);
	optind = 0;
	opterr = 0;
	while ((got = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		int number = option_number(command->options, got);

		if (number < 0 && (got == HELP || got == 'h')) {
			args->help = true;
			return NULL;
		}
		if (number < 0)
			return bad_option(command, got, argv[optind - 1]);
		try(take(args, number, optarg ? optarg : ""));
	}
	args->rest = argv + optind;
	args->count = argc - optind;
	if (args->count < command->min_args ||
	    (command->max_args >= 0 && args->count > command->max_args))
		return kmp_error_new(KMP_ERROR_USAGE,
				     command->own_program
					     ? "usage: %s [OPTIONS] %s; '%s --help' tells more"
					     : "usage: kmemprof %s [OPTIONS] %s; see 'kmemprof "
					       "help %s'",
				     command->name, command->synopsis, command->name);
	return NULL;
}

const char *cli_value(const struct cli_args *args, const char *option)
{
	const struct cli_option *options = args->command->options;

	for (size_t i = 0; options[i].name; i++) {
		if (!strcmp(options[i].name, option))
			return args->values[i];
	}
	return NULL;
}

const char *cli_next_value(const struct cli_args *args, const char *option, int *position)
{
	while (*position < args->repeated_count) {
		int at = (*position)++;

		if (!strcmp(args->command->options[args->repeated[at].option].name, option))
			return args->repeated[at].value;
	}
	return NULL;
}

struct kmp_error *cli_number(const struct cli_args *args, const char *option, uint64_t *value)
{
	const char *text = cli_value(args, option);
	char *end;

	errno = 0;
	unsigned long long number = strtoull(text, &end, 0);
	if (errno || end == text || *end || strchr(text, '-'))
		return kmp_error_new(KMP_ERROR_USAGE, "--%s: '%s' is not a whole number", option,
				     text);
	*value = number;
	return NULL;
}
