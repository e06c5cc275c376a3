// SPDX-License-Identifier: GPL-2.0-only
#include "base/pool.h"

#include <xxhash.h>

static uint64_t pool_hash_of(const void *arg, uint32_t number)
{
	const struct kmp_pool *pool = arg;

	return pool->strings.data[number].hash;
}

static uint32_t find_hashed(const struct kmp_pool *pool, const char *text, size_t len,
			    uint64_t hash)
{
	struct kmp_index_cursor cur = index_start(&pool->index, hash);
	uint32_t id;

	while ((id = index_next(&pool->index, &cur)) != KMP_NONE) {
		const struct kmp_string *s = &pool->strings.data[id];

		if (s->hash == hash && s->len == len && !memcmp(s->text, text, len))
			break;
	}
	return id;
}

struct kmp_error *kmp_pool_intern(struct kmp_pool *pool, const char *text, size_t len, uint32_t *id)
{
	uint64_t hash = XXH3_64bits(text, len);

	*id = find_hashed(pool, text, len, hash);
	if (*id != KMP_NONE)
		return NULL;

	char *copy;
	uint32_t number = (uint32_t)pool->strings.len;

	try(kmp_arena_copy(&pool->arena, text, len, &copy));
	try(vec_push(&pool->strings, (struct kmp_string){ copy, hash, len }));
	try(kmp_index_add(&pool->index, hash, number, pool_hash_of, pool));
	*id = number;
	return NULL;
}

uint32_t kmp_pool_find(const struct kmp_pool *pool, const char *text, size_t len)
{
	return find_hashed(pool, text, len, XXH3_64bits(text, len));
}

void kmp_pool_deinit(struct kmp_pool *pool)
{
	kmp_arena_deinit(&pool->arena);
	vec_deinit(&pool->strings);
	kmp_index_deinit(&pool->index);
}
