/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hash index: finds 32-bit numbers by a 64-bit hash. It holds no keys; the owner compares those
 * of the candidates that index_next() offers. An all-zero index is empty. index_deinit() frees.
 */
#ifndef KMP_BASE_INDEX_H
#define KMP_BASE_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct kmp_index {
	uint64_t *slots; /* upper half: part of the hash, lower half: number + 1; 0: free */
	size_t mask;
	size_t used;
};

struct kmp_index_cursor {
	size_t pos;
	uint32_t tag;
};

static inline struct kmp_index_cursor index_start(const struct kmp_index *ix, uint64_t hash)
{
	return (struct kmp_index_cursor){ .pos = hash & ix->mask, .tag = (uint32_t)(hash >> 32) };
}

/* The next number filed under this hash, or KMP_NONE. */
static inline uint32_t index_next(const struct kmp_index *ix, struct kmp_index_cursor *cur)
{
	if (!ix->slots)
		return KMP_NONE;
	for (;;) {
		uint64_t slot = ix->slots[cur->pos];

		if (!slot)
			return KMP_NONE;
		cur->pos = (cur->pos + 1) & ix->mask;
		if ((uint32_t)(slot >> 32) == cur->tag)
			return (uint32_t)slot - 1;
	}
}

/*
 * File number under hash. Growing needs each number's hash again: hash_of(arg, number) tells.
 */
struct kmp_error *kmp_index_add(struct kmp_index *ix, uint64_t hash, uint32_t number,
				uint64_t (*hash_of)(const void *arg, uint32_t number),
				const void *arg) must_check;

void kmp_index_deinit(struct kmp_index *ix);

#endif
