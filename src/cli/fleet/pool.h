/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that is freed as one. */
#ifndef KMP_CLI_FLEET_POOL_H
#define KMP_CLI_FLEET_POOL_H

#include "cli/grow.h"

/* All-zero is empty. */
struct pool {
	VEC(void *) pieces;
};

void pool_deinit(struct pool *pool);

/* Zeroed memory, of at least one byte. */
struct kmp_error *pool_take(struct pool *pool, size_t size, void *out);

/* A copy of bytes, ended by NUL. */
struct kmp_error *pool_copy(struct pool *pool, const char *text, size_t len, const char **out);

/* What printf() would print. */
struct kmp_error *pool_print(struct pool *pool, const char **out, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
