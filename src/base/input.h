/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A stream of bytes: a file, standard input or memory; gzip, xz and zstd are told from the first
 * bytes and unpacked on the way. Streams that were packed one after the other read as one.
 */
#ifndef KMP_BASE_INPUT_H
#define KMP_BASE_INPUT_H

#include "base/error.h"

struct kmp_input;

/* Open path, `-` for standard input. KMP_ERROR_SYSTEM, also for a directory. */
struct kmp_error *kmp_input_open(const char *path, struct kmp_input **input) must_check;

/* Read from memory, which must outlive the input; it is unpacked just as a file is. */
struct kmp_error *kmp_input_create_memory(const char *bytes, size_t len,
					  struct kmp_input **input) must_check;

/* Close the file and free the stream; NULL is accepted. */
void kmp_input_destroy(struct kmp_input *input);

/*
 * Read up to size bytes; *got is 0 at the end alone, and may be less than size before it.
 * KMP_ERROR_SYSTEM, or KMP_ERROR_INPUT for damaged packed data.
 */
struct kmp_error *kmp_input_read(struct kmp_input *input, char *buf, size_t size,
				 size_t *got) must_check;

/*
 * The first bytes (at most 64 KiB), without taking them out of the stream. Valid until the first
 * kmp_input_read(); call it before that.
 */
struct kmp_error *kmp_input_head(struct kmp_input *input, const char **head,
				 size_t *len) must_check;

/* The path, for messages. */
const char *kmp_input_path(const struct kmp_input *input);

/* Bytes of the (packed) file read so far, and its size, 0 if not known. */
uint64_t kmp_input_done(const struct kmp_input *input);
uint64_t kmp_input_total(const struct kmp_input *input);

#endif
