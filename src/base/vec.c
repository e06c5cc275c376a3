// SPDX-License-Identifier: GPL-2.0-only
#include "base/vec.h"

struct kmp_error *kmp_vec_grow(void **data, size_t *cap, size_t need, size_t elem)
{
	size_t want = *cap ? *cap : 16;

	while (want < need) {
		if (__builtin_mul_overflow(want, 2, &want))
			return &kmp_error_no_memory;
	}
	void *grown = reallocarray(*data, want, elem);
	if (!grown)
		return &kmp_error_no_memory;
	*data = grown;
	*cap = want;
	return NULL;
}
