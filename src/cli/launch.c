// SPDX-License-Identifier: GPL-2.0-only
#include "cli/launch.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/grow.h"

/* Beside us, as it is built; where it is installed, wherever that was moved; where it should be. */
static const char *const places[] = { "%s/", "%s/" KMP_HELPERS_FROM_BIN "/", KMP_HELPERS "/" };

static bool find_program(const char *name, char *path, size_t size)
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

		if (snprintf(path, size, "%s%s%s", start, rest, name) < (int)size &&
		    !access(path, X_OK))
			return true;
	}
	return false;
}

struct words {
	VEC(char *) list; /* NULL-terminated at the end */
};

static void words_deinit(struct words *words)
{
	for (size_t i = 0; i < words->list.len; i++)
		free(words->list.data[i]);
	vec_deinit(&words->list);
}

__attribute__((format(printf, 2, 3))) static struct kmp_error *add_word(struct words *words,
									const char *fmt, ...)
{
	char *word;
	va_list args;

	try(grow_reserve(&words->list, 1));
	va_start(args, fmt);
	int len = vasprintf(&word, fmt, args);
	va_end(args);
	if (len < 0)
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	words->list.data[words->list.len++] = word;
	return NULL;
}

static struct kmp_error *add_option(struct words *words, const struct cli_option *option,
				    const char *value)
{
	return add_word(words, "--%s%s%s", option->name, option->arg ? "=" : "", value);
}

/* The same words again, in one way of writing. */
static struct kmp_error *make_words(const struct cli_args *args, struct words *words)
{
	const struct cli_option *options = args->command->options;

	for (int i = 0; options[i].name; i++) {
		if (args->values[i] && !options[i].repeats)
			try(add_option(words, &options[i], args->values[i]));
	}
	for (int i = 0; i < args->repeated_count; i++)
		try(add_option(words, &options[args->repeated[i].option], args->repeated[i].value));
	try(add_word(words, "--"));
	for (int i = 0; i < args->count; i++)
		try(add_word(words, "%s", args->rest[i]));
	return grow_push(&words->list, NULL);
}

/* Become this program; verb: its first word, or NULL. It is built where there is this library. */
static struct kmp_error *become(const struct cli_args *args, const char *name, const char *verb,
				const char *library)
{
	struct words words cleanup(words_deinit) = { 0 };
	char path[2 * PATH_MAX];

	if (!find_program(name, path, sizeof(path)))
		return kmp_error_new(
			KMP_ERROR_SYSTEM,
			"the program %s is not installed (%s): it is built where there is %s", name,
			KMP_HELPERS, library);
	try(add_word(&words, "%s", name));
	if (verb)
		try(add_word(&words, "%s", verb));
	try(make_words(args, &words));
	execv(path, words.list.data);
	return kmp_error_system(errno, path, "cannot be started");
}

struct kmp_error *cli_serve_run(struct cli_args *args)
{
	return become(args, "kmemprof-serve", NULL, "libmicrohttpd");
}

struct kmp_error *cli_push_run(struct cli_args *args)
{
	return become(args, "kmemprof-fleet", "push", "libcurl");
}

struct kmp_error *cli_fleet_run(struct cli_args *args)
{
	return become(args, "kmemprof-fleet", "fleet", "libcurl");
}
