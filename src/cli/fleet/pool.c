// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/pool.h"

#include <stdarg.h>

void pool_deinit(struct pool *pool)
{
	for (size_t i = 0; i < pool->pieces.len; i++)
		free(pool->pieces.data[i]);
	vec_deinit(&pool->pieces);
}

static struct kmp_error *no_memory(void)
{
	return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
}

struct kmp_error *pool_take(struct pool *pool, size_t size, void *out)
{
	try(grow_reserve(&pool->pieces, 1));
	void *piece = calloc(1, size ? size : 1);

	if (!piece)
		return no_memory();
	pool->pieces.data[pool->pieces.len++] = piece;
	memcpy(out, &piece, sizeof(piece));
	return NULL;
}

struct kmp_error *pool_copy(struct pool *pool, const char *text, size_t len, const char **out)
{
	char *copy;

	try(pool_take(pool, len + 1, &copy));
	memcpy(copy, text, len);
	*out = copy;
	return NULL;
}

struct kmp_error *pool_print(struct pool *pool, const char **out, const char *fmt, ...)
{
	va_list args;
	char *text;

	try(grow_reserve(&pool->pieces, 1));
	va_start(args, fmt);
	int len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0)
		return no_memory();
	pool->pieces.data[pool->pieces.len++] = text;
	*out = text;
	return NULL;
}
