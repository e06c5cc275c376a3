/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays of base/vec.h that grow: the library keeps its own way to itself. */
#ifndef KMP_CLI_GROW_H
#define KMP_CLI_GROW_H

#include "base/vec.h"

/* Make room for need elements of elem bytes; the array at *data may move. */
struct kmp_error *cli_grow(void **data, size_t *cap, size_t need, size_t elem);

#define grow_reserve(v, more)                                                                      \
	((v)->cap - (v)->len >= (size_t)(more)                                                     \
		 ? NULL                                                                            \
		 : cli_grow((void **)&(v)->data, &(v)->cap, (v)->len + (size_t)(more),             \
			    sizeof(*(v)->data)))

/* Append one value, or n that stand at src; the value is the error, or NULL. */
#define grow_push(v, ...)                                                                          \
	({                                                                                         \
		struct kmp_error *push_err_ = grow_reserve(v, 1);                                  \
		if (!push_err_)                                                                    \
			(v)->data[(v)->len++] = (__VA_ARGS__);                                     \
		push_err_;                                                                         \
	})
#define grow_append(v, src, n)                                                                     \
	({                                                                                         \
		size_t append_n_ = (n);                                                            \
		struct kmp_error *append_err_ = grow_reserve(v, append_n_);                        \
		if (!append_err_ && append_n_) {                                                   \
			memcpy((v)->data + (v)->len, (src), append_n_ * sizeof(*(v)->data));       \
			(v)->len += append_n_;                                                     \
		}                                                                                  \
		append_err_;                                                                       \
	})

#endif
