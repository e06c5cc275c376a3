/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers made small for who is far away. */
#ifndef KMP_CLI_SERVE_ZIP_H
#define KMP_CLI_SERVE_ZIP_H

#include <stddef.h>

/* A text as gzip has it, which must be freed; NULL if there is no memory. */
char *serve_zip(const char *text, size_t len, size_t *zipped_len);

#endif
