/* SPDX-License-Identifier: GPL-2.0-only */
/* What a frame's text tells. */
#ifndef KMP_FORMAT_FRAME_PARTS_H
#define KMP_FORMAT_FRAME_PARTS_H

#include <stddef.h>
#include <stdint.h>

/* Parts of a frame, which point into its text; a length of 0 is what it does not tell. */
struct frame_parts {
	const char *name; /* without offset and size */
	size_t name_len;
	const char *module; /* without brackets */
	size_t module_len;
	const char *file;
	size_t file_len;
	uint64_t line;
};

/*
 * Take apart `name+0x12/0x34 [module]`, and `name (file.c:12 …) module` as the kernel tree's
 * decode_stacktrace.sh prints it. Of several lines the last is the function's own: those before
 * it are of what was inlined. What is neither is all name.
 */
void kmp_frame_parts(const char *frame, struct frame_parts *parts);

#endif
