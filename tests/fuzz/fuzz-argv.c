// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command line: the first byte chooses the verb, the rest is cut into words at NULs. Every
 * value must come from argv, and what is no option must be left in order of its number.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { WORDS_MAX = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct cli_args *args, char **argv, int argc)
{
	assert(args->count >= 0 && args->count < argc);
	assert(args->rest + args->count == argv + argc);
	assert(!args->rest[args->count]);
	for (size_t i = 0; args->command->options[i].name; i++) {
		const char *value = cli_value(args, args->command->options[i].name);
		uint64_t number;

		if (value && args->command->options[i].arg)
			kmp_error_destroy(
				cli_number(args, args->command->options[i].name, &number));
		else
			assert(!value || !*value);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t verbs = 0;

	while (cli_commands[verbs])
		verbs++;
	if (!size || !verbs)
		return 0;
	const struct cli_command *command = cli_commands[data[0] % verbs];
	char *argv[WORDS_MAX + 2] = { (char *)command->name };
	char *text = malloc(size);
	int argc = 1;

	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	for (char *word = text; word < text + size && argc <= WORDS_MAX; word += strlen(word) + 1)
		argv[argc++] = word;
	struct cli_args args;
	struct kmp_error *err = cli_parse(command, argc, argv, &args);

	assert(!err || err->kind == KMP_ERROR_USAGE);
	if (!err && !args.help)
		check(&args, argv, argc);
	kmp_error_destroy(err);
	free(text);
	return 0;
}
