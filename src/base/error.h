/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KMP_BASE_ERROR_H
#define KMP_BASE_ERROR_H

#include <stddef.h>
#include <stdint.h>

#include "kmemprof/kmemprof.h"

#define must_check	       __attribute__((warn_unused_result))
#define printf_like(fmt, args) __attribute__((format(printf, fmt, args)))

/* Out of memory: static, so that it needs none. kmp_error_destroy() leaves it alone. */
extern struct kmp_error kmp_error_no_memory;

/*
 * What is wrong in an input: the file (or NULL), the line (0: unknown) and the token
 * (or NULL) of len bytes, all copied.
 */
struct kmp_error *kmp_error_input(const char *path, uint64_t line, const char *token, size_t len,
				  const char *fmt, ...) must_check printf_like(5, 6)
	__attribute__((returns_nonnull));

/* Put path into an error that names none yet; returns err. NULL stays NULL. */
struct kmp_error *kmp_error_at(struct kmp_error *err, const char *path) must_check;

/* Leave the function with the error, if there is one. */
#define try(expr)                                                                                  \
	do {                                                                                       \
		struct kmp_error *try_err_ = (expr);                                               \
		if (__builtin_expect(try_err_ != NULL, 0))                                         \
			return try_err_;                                                           \
	} while (0)

#endif
