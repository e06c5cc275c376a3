/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How frames and traces are stored. A frame's text `function+0xOFFSET/0xSIZE [module]` is cut into
 * its parts where they give the same text again. A trace is a text of one character for each
 * frame, whose code point is the frame's id, but for those that SQLite would not keep.
 */
#ifndef KMP_STORE_FRAMES_H
#define KMP_STORE_FRAMES_H

#include "base/vec.h"

struct kmp_frame_parts {
	const char *function; /* the whole text if !split */
	size_t function_len;
	const char *module; /* NULL: none */
	size_t module_len;
	uint64_t offset;
	uint64_t size;
	bool split;
};

typedef VEC(char) kmp_bytes;

/* Cut a frame's text; the parts point into it. */
void kmp_frame_split(const char *text, size_t len, struct kmp_frame_parts *parts);

/* Put the text together again, in place of what bytes holds. */
struct kmp_error *kmp_frame_join(const struct kmp_frame_parts *parts, kmp_bytes *bytes) must_check;

/* Append a frame's id, from 1, to a trace. KMP_ERROR_LIMIT beyond a million. */
struct kmp_error *kmp_trace_append(kmp_bytes *trace, uint32_t id) must_check;

/* The next id of a trace and how many bytes it took; 0 if these are none. */
size_t kmp_trace_next(const char *bytes, size_t len, uint32_t *id);

#endif
