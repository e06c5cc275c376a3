/* SPDX-License-Identifier: GPL-2.0-only */
/* A stream, line by line. */
#ifndef KMP_BASE_LINES_H
#define KMP_BASE_LINES_H

#include "base/input.h"

struct kmp_lines;

/* Lines of an input, which must outlive them. */
struct kmp_error *kmp_lines_create(struct kmp_input *input, struct kmp_lines **lines) must_check;

/* Lines of memory, which must outlive them. */
struct kmp_error *kmp_lines_create_memory(const char *bytes, size_t len,
					  struct kmp_lines **lines) must_check;

void kmp_lines_destroy(struct kmp_lines *lines);

/*
 * The next line without its `\n` or `\r\n`, NULL at the end. It is valid until the next call, has
 * a NUL behind it and may hold NULs. What exceeds 1 MiB comes as another line.
 */
struct kmp_error *kmp_lines_next(struct kmp_lines *lines, const char **text,
				 size_t *len) must_check;

/* The number of the line that came last, from 1. */
uint64_t kmp_lines_number(const struct kmp_lines *lines);

/* Whether the line that came last had a `\n`: false for the last line of a file that was cut. */
bool kmp_lines_ended(const struct kmp_lines *lines);

/* The path, for messages. */
const char *kmp_lines_path(const struct kmp_lines *lines);

#endif
