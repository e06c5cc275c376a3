/* SPDX-License-Identifier: GPL-2.0-only */
/* Ledger files as bytes and as databases, behind the library's back. Include after cmocka.h. */
#ifndef KMP_TESTS_STORE_FILES_H
#define KMP_TESTS_STORE_FILES_H

#include <stddef.h>
#include <stdint.h>

/* All bytes; free() them. */
unsigned char *read_file(const char *path, size_t *len);
void write_file(const char *path, const void *bytes, size_t len);

/* The number that a statement of one row and one column gives. */
int64_t query(const char *path, const char *sql);

/* Statements that change what is there. */
void change(const char *path, const char *sql);

#endif
