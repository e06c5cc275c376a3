/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read before each file by clang-tidy (see lint.sh), and by nothing else: clang's analyzer does
 * not take __attribute__((returns_nonnull)) into account, and would follow paths on which a
 * function failed without an error. Nor does it see that a vector with room for something has data.
 */
#include "base/error.h"
#include "base/vec.h"
#include "cli/grow.h"

#define ANALYZER_NONNULL(call)                                                                     \
	({                                                                                         \
		struct kmp_error *nonnull_ = (call);                                               \
		if (!nonnull_)                                                                     \
			__builtin_unreachable();                                                   \
		nonnull_;                                                                          \
	})
#define kmp_error_new(...)    ANALYZER_NONNULL(kmp_error_new(__VA_ARGS__))
#define kmp_error_system(...) ANALYZER_NONNULL(kmp_error_system(__VA_ARGS__))
#define kmp_error_input(...)  ANALYZER_NONNULL(kmp_error_input(__VA_ARGS__))

#undef vec_reserve
#define vec_reserve(v, more)                                                                       \
	({                                                                                         \
		struct kmp_error *reserve_ =                                                       \
			kmp_vec_grow((void **)&(v)->data, &(v)->cap, (v)->len + (size_t)(more),    \
				     sizeof(*(v)->data));                                          \
		if (!reserve_ && !(v)->data)                                                       \
			__builtin_unreachable();                                                   \
		reserve_;                                                                          \
	})

#undef grow_reserve
#define grow_reserve(v, more)                                                                      \
	({                                                                                         \
		struct kmp_error *reserve_ =                                                       \
			cli_grow((void **)&(v)->data, &(v)->cap, (v)->len + (size_t)(more),        \
				 sizeof(*(v)->data));                                              \
		if (!reserve_ && !(v)->data)                                                       \
			__builtin_unreachable();                                                   \
		reserve_;                                                                          \
	})
