/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source lines of the kernel's code, from vmlinux with its debug information. Functions that the
 * compiler put into others are told by their own names there.
 */
#ifndef KMP_SOURCE_DEBUG_LINES_H
#define KMP_SOURCE_DEBUG_LINES_H

#include "base/arena.h"

struct kmp_debug_lines;

struct kmp_debug_place {
	const char *file; /* as below the source's top; texts live as long as the lines */
	const char *function;
	uint64_t line;
};

/*
 * An ELF file whose code runs so many bytes above its own addresses. KMP_ERROR_INPUT if it has no
 * debug information. Free with kmp_debug_lines_close().
 */
struct kmp_error *kmp_debug_lines_open(const char *path, uint64_t slide,
				       struct kmp_debug_lines **lines) must_check;

/* The running kernel's, where distributions install it; NULL if it is not there. */
struct kmp_error *kmp_debug_lines_open_kernel(struct kmp_debug_lines **lines) must_check;

void kmp_debug_lines_close(struct kmp_debug_lines *lines);

/*
 * What stands before this return address and is no allocator's function; false if nothing is known
 * of it.
 */
struct kmp_error *kmp_debug_lines_find(struct kmp_debug_lines *lines, uint64_t ip,
				       struct kmp_debug_place *place, bool *found) must_check;

/* Addresses: from start, before end. */
struct kmp_debug_range {
	uint64_t start;
	uint64_t end;
};

/*
 * The running code of a line of a source file, what it has of allocators put into it included: at
 * most max ranges. *count is 0 if there is none.
 */
struct kmp_error *kmp_debug_lines_ranges(struct kmp_debug_lines *lines, const char *file,
					 uint64_t line, struct kmp_debug_range *ranges, size_t max,
					 size_t *count) must_check;

#endif
