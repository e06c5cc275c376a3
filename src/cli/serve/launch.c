// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/serve/serve.h"

#define PROGRAM "kmemprof-serve"

/* Beside us, as it is built; where it is installed, wherever that was moved; where it should be. */
static const char *const places[] = { "%s/" PROGRAM, "%s/" KMP_HELPERS_FROM_BIN "/" PROGRAM,
				      KMP_HELPERS "/" PROGRAM };

static bool find_program(char *path, size_t size)
{
	char own[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", own, sizeof(own) - 1);

	own[len < 0 ? 0 : len] = '\0';
	char *slash = strrchr(own, '/');

	if (slash)
		*slash = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const char *rest = places[i][0] == '%' ? places[i] + 2 : places[i];
		const char *start = places[i][0] == '%' ? own : "";

		if (snprintf(path, size, "%s%s", start, rest) < (int)size && !access(path, X_OK))
			return true;
	}
	return false;
}

/* The same words again, in one way of writing. */
static struct kmp_error *make_words(const struct cli_args *args, char **words)
{
	const struct cli_option *options = args->command->options;
	size_t count = 0;

	words[count++] = strdup(PROGRAM);
	for (size_t i = 0; options[i].name; i++) {
		if (!args->values[i])
			continue;
		if (asprintf(&words[count], "--%s%s%s", options[i].name, options[i].arg ? "=" : "",
			     args->values[i]) < 0)
			return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
		count++;
	}
	return words[0] ? NULL : kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
}

static void free_words(char *(*words)[32])
{
	for (size_t i = 0; (*words)[i]; i++)
		free((*words)[i]);
}

struct kmp_error *cli_serve_run(struct cli_args *args)
{
	char *words[32] cleanup(free_words) = { NULL };
	char path[2 * PATH_MAX];

	if (!find_program(path, sizeof(path)))
		return kmp_error_new(KMP_ERROR_SYSTEM,
				     "the program " PROGRAM " is not installed (" KMP_HELPERS
				     "): it is built where there is libmicrohttpd");
	try(make_words(args, words));
	execv(path, words);
	return kmp_error_system(errno, path, "cannot be started");
}
