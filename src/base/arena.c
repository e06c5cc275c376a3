// SPDX-License-Identifier: GPL-2.0-only
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

struct kmp_arena_chunk {
	struct kmp_arena_chunk *next;
	size_t used;
	size_t size;
	uint64_t bytes[];
};

/* The first fits into 512 bytes with its head: most arenas of a command stay empty but for it. */
enum { CHUNK_MIN = 512 - sizeof(struct kmp_arena_chunk), CHUNK_MAX = 1 << 20 };

struct kmp_error *kmp_arena_alloc(struct kmp_arena *arena, size_t size, void **out)
{
	struct kmp_arena_chunk *chunk = arena->chunks;

	size = (size + 7) & ~(size_t)7;
	if (!chunk || chunk->size - chunk->used < size) {
		/* Each chunk is twice the last, so that small ledgers stay small. */
		size_t want = chunk ? chunk->size * 2 : CHUNK_MIN;

		if (want > CHUNK_MAX)
			want = CHUNK_MAX;
		if (want < size)
			want = size;
		chunk = malloc(sizeof(*chunk) + want);
		if (!chunk)
			return &kmp_error_no_memory;
		*chunk = (struct kmp_arena_chunk){ .next = arena->chunks, .size = want };
		arena->chunks = chunk;
	}
	*out = (char *)chunk->bytes + chunk->used;
	chunk->used += size;
	return NULL;
}

struct kmp_error *kmp_arena_copy(struct kmp_arena *arena, const char *text, size_t len, char **out)
{
	void *mem;

	try(kmp_arena_alloc(arena, len + 1, &mem));
	char *copy = mem;
	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	*out = copy;
	return NULL;
}

void kmp_arena_deinit(struct kmp_arena *arena)
{
	struct kmp_arena_chunk *chunk = arena->chunks;

	while (chunk) {
		struct kmp_arena_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
	arena->chunks = NULL;
}
