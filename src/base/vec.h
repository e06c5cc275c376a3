/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A growing array. VEC(type) declares the struct; an all-zero one is empty. vec_deinit() frees.
 */
#ifndef KMP_BASE_VEC_H
#define KMP_BASE_VEC_H

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *data;                                                                        \
		size_t len;                                                                        \
		size_t cap;                                                                        \
	}

/* Make room for need elements of elem bytes; the array at *data may move. */
struct kmp_error *kmp_vec_grow(void **data, size_t *cap, size_t need, size_t elem) must_check;

/* Make room for more elements beyond len. */
#define vec_reserve(v, more)                                                                       \
	((v)->cap - (v)->len >= (size_t)(more)                                                     \
		 ? NULL                                                                            \
		 : kmp_vec_grow((void **)&(v)->data, &(v)->cap, (v)->len + (size_t)(more),         \
				sizeof(*(v)->data)))

/* Append one value; an expression whose value is the error, or NULL. */
#define vec_push(v, ...)                                                                           \
	({                                                                                         \
		struct kmp_error *push_err_ = vec_reserve(v, 1);                                   \
		if (!push_err_)                                                                    \
			(v)->data[(v)->len++] = (__VA_ARGS__);                                     \
		push_err_;                                                                         \
	})

/* Append n values that stand at src. */
#define vec_append(v, src, n)                                                                      \
	({                                                                                         \
		size_t append_n_ = (n);                                                            \
		struct kmp_error *append_err_ = vec_reserve(v, append_n_);                         \
		if (!append_err_ && append_n_) {                                                   \
			memcpy((v)->data + (v)->len, (src), append_n_ * sizeof(*(v)->data));       \
			(v)->len += append_n_;                                                     \
		}                                                                                  \
		append_err_;                                                                       \
	})

#define vec_deinit(v)                                                                              \
	do {                                                                                       \
		free((v)->data);                                                                   \
		(v)->data = NULL;                                                                  \
		(v)->len = (v)->cap = 0;                                                           \
	} while (0)

#endif
