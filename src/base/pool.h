/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A string pool: each distinct byte string once, numbered from 0 in order of first appearance.
 * The bytes never move and end in a NUL that the length leaves out (they may hold NULs too).
 * An all-zero pool is empty. kmp_pool_deinit() frees.
 */
#ifndef KMP_BASE_POOL_H
#define KMP_BASE_POOL_H

#include "base/arena.h"
#include "base/index.h"
#include "base/vec.h"

struct kmp_string {
	const char *text;
	uint64_t hash;
	size_t len;
};

struct kmp_pool {
	struct kmp_arena arena;
	VEC(struct kmp_string) strings;
	struct kmp_index index;
};

/* The number of these bytes, new or old. */
struct kmp_error *kmp_pool_intern(struct kmp_pool *pool, const char *text, size_t len,
				  uint32_t *id) must_check;

/* The number of these bytes, or KMP_NONE. */
uint32_t kmp_pool_find(const struct kmp_pool *pool, const char *text, size_t len);

void kmp_pool_deinit(struct kmp_pool *pool);

#endif
