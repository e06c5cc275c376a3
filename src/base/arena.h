/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that is taken in small pieces and given back all at once. An all-zero arena is empty.
 */
#ifndef KMP_BASE_ARENA_H
#define KMP_BASE_ARENA_H

#include "base/error.h"

struct kmp_arena {
	struct kmp_arena_chunk *chunks;
};

/* size bytes, aligned to 8, valid until kmp_arena_deinit(). */
struct kmp_error *kmp_arena_alloc(struct kmp_arena *arena, size_t size, void **out) must_check;

/* A copy of these bytes with a NUL behind them. */
struct kmp_error *kmp_arena_copy(struct kmp_arena *arena, const char *text, size_t len,
				 char **out) must_check;

void kmp_arena_deinit(struct kmp_arena *arena);

#endif
