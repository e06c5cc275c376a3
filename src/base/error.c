// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

struct kmp_error kmp_error_no_memory = {
	.kind = KMP_ERROR_MEMORY,
	.errnum = ENOMEM,
	.message = "out of memory",
};

static struct kmp_error *error_create(enum kmp_error_kind kind, int errnum, const char *fmt,
				      va_list args)
{
	struct kmp_error *err = calloc(1, sizeof(*err));
	char *message = NULL;

	if (!err)
		return &kmp_error_no_memory;
	if (vasprintf(&message, fmt, args) < 0) {
		free(err);
		return &kmp_error_no_memory;
	}
	err->kind = kind;
	err->errnum = errnum;
	err->message = message;
	return err;
}

struct kmp_error *kmp_error_new(enum kmp_error_kind kind, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	struct kmp_error *err = error_create(kind, 0, fmt, args);
	va_end(args);
	return err;
}

struct kmp_error *kmp_error_system(int errnum, const char *path, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	struct kmp_error *err = error_create(KMP_ERROR_SYSTEM, errnum, fmt, args);
	va_end(args);
	return kmp_error_at(err, path);
}

struct kmp_error *kmp_error_input(const char *path, uint64_t line, const char *token, size_t len,
				  const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	struct kmp_error *err = error_create(KMP_ERROR_INPUT, 0, fmt, args);
	va_end(args);
	if (err == &kmp_error_no_memory)
		return err;
	err->line = line;
	if (token)
		err->token = strndup(token, len);
	return kmp_error_at(err, path);
}

struct kmp_error *kmp_error_at(struct kmp_error *err, const char *path)
{
	if (err && err != &kmp_error_no_memory && path && !err->path)
		err->path = strdup(path);
	return err;
}

void kmp_error_destroy(struct kmp_error *err)
{
	if (!err || err == &kmp_error_no_memory)
		return;
	free((char *)err->path);
	free((char *)err->token);
	free((char *)err->message);
	free(err);
}

char *kmp_error_format(const struct kmp_error *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	if (err->path)
		fprintf(f, "%s: ", err->path);
	if (err->line)
		fprintf(f, "line %llu: ", (unsigned long long)err->line);
	fputs(err->message, f);
	if (err->token)
		fprintf(f, ": '%s'", err->token);
	if (err->kind == KMP_ERROR_SYSTEM && err->errnum)
		fprintf(f, ": %s", strerror(err->errnum));
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}
