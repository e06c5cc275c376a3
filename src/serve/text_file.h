/* SPDX-License-Identifier: GPL-2.0-only */
/* Served files that are a text of the moment they were opened. */
#ifndef KMP_SERVE_TEXT_FILE_H
#define KMP_SERVE_TEXT_FILE_H

#include "serve/file.h"

/* Prints the text; which: what the file passes on. */
typedef struct kmp_error *(*kmp_text_print)(struct kmp_served *served, int which, FILE *out);

/* What a source does not tell (KMP_ERROR_INPUT) is an empty file. */
int kmp_text_file_open(struct kmp_served *served, kmp_text_print print, int which,
		       struct kmp_open_file **file);
void kmp_text_file_release(struct kmp_open_file *file);
int kmp_text_file_read(struct kmp_open_file *file, uint64_t offset, size_t size, kmp_reply_fn reply,
		       void *arg);

#endif
