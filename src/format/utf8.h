/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes that may be UTF-8, and what of them can be shown.
 */
#ifndef KMP_FORMAT_UTF8_H
#define KMP_FORMAT_UTF8_H

#include <stdbool.h>

#include "base/vec.h"

/* Bytes being put together; use the vec_ macros. */
struct kmp_buf {
	char *data;
	size_t len;
	size_t cap;
};

/* The bytes that the code point at text takes (*cp tells it), or 0: not UTF-8. len > 0. */
unsigned kmp_utf8_decode(const char *text, size_t len, uint32_t *cp);

bool kmp_utf8_valid(const char *text, size_t len);

/* Columns of a terminal that a code point takes: 0, 1 or 2. */
unsigned kmp_utf8_width(uint32_t cp);

/* Columns that a valid text takes. */
size_t kmp_utf8_columns(const char *text, size_t len);

/*
 * Append a text so that every byte of it can be seen and none acts: control characters, marks
 * that turn the direction of writing and backslashes come as `\n`, `\x1b`, `\u202e`, `\\`, bytes
 * that are not UTF-8 as `\xNN`. What is appended is valid UTF-8.
 */
struct kmp_error *kmp_visible_append(struct kmp_buf *buf, const char *text, size_t len) must_check;

/* Append as printf() would. */
struct kmp_error *kmp_buf_printf(struct kmp_buf *buf, const char *fmt, ...) must_check
	printf_like(2, 3);

enum { KMP_SIZE_TEXT = 32 };

/*
 * A number of bytes for people: `48.9 MiB`, or exact: `51275366`; with a `+` before what is
 * greater than 0 if sign is set.
 */
const char *kmp_size_print(char buf[KMP_SIZE_TEXT], int64_t bytes, bool exact, bool sign);

#endif
