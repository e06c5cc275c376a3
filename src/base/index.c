// SPDX-License-Identifier: GPL-2.0-only
#include "base/index.h"

#include <stdlib.h>

static void place(struct kmp_index *ix, uint64_t hash, uint32_t number)
{
	size_t pos = hash & ix->mask;

	while (ix->slots[pos])
		pos = (pos + 1) & ix->mask;
	ix->slots[pos] = (hash >> 32 << 32) | (uint64_t)(number + 1);
}

struct kmp_error *kmp_index_add(struct kmp_index *ix, uint64_t hash, uint32_t number,
				uint64_t (*hash_of)(const void *arg, uint32_t number),
				const void *arg)
{
	size_t size = ix->slots ? ix->mask + 1 : 0;

	if (number >= KMP_NONE - 1)
		return kmp_error_new(KMP_ERROR_LIMIT, "more than %u distinct entries",
				     KMP_NONE - 1);
	if (!ix->slots || ix->used + 1 > size / 2) {
		struct kmp_index grown = { .mask = (size ? size * 2 : 64) - 1, .used = ix->used };

		grown.slots = calloc(grown.mask + 1, sizeof(*grown.slots));
		if (!grown.slots)
			return &kmp_error_no_memory;
		for (size_t i = 0; i < size; i++) {
			if (!ix->slots[i])
				continue;
			uint32_t old = (uint32_t)ix->slots[i] - 1;
			place(&grown, hash_of(arg, old), old);
		}
		free(ix->slots);
		*ix = grown;
	}
	place(ix, hash, number);
	ix->used++;
	return NULL;
}

void kmp_index_deinit(struct kmp_index *ix)
{
	free(ix->slots);
	*ix = (struct kmp_index){ 0 };
}
