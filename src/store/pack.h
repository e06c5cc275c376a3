/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ledger file packed as a whole: a skippable frame of zstd that says so, and a frame that holds
 * the database. `zstd -d` makes a plain ledger file of it.
 */
#ifndef KMP_STORE_PACK_H
#define KMP_STORE_PACK_H

#include <sys/types.h>

#include "base/error.h"

/* Does a file with these first bytes say that it is one? */
bool kmp_pack_is(const unsigned char *head, size_t len);

/* Write bytes at a place of a file. */
struct kmp_error *kmp_pack_put(int fd, const unsigned char *bytes, size_t len, off_t at) must_check;

/* Pack what the file holds, in place. */
struct kmp_error *kmp_pack_write(int fd) must_check;

/*
 * What the file holds, from sqlite3_malloc64(): sqlite3_free() it. KMP_ERROR_INPUT for a damaged
 * file, and one that is packed more than a thousandfold.
 */
struct kmp_error *kmp_pack_read(int fd, unsigned char **bytes, size_t *size) must_check;

#endif
