/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a ledger file is: an SQLite database with these tables and no others. docs/ledger-file.md
 * describes them for those who read the file by other means.
 */
#ifndef KMP_STORE_SCHEMA_H
#define KMP_STORE_SCHEMA_H

#include "base/error.h"

enum {
	STORE_APPLICATION_ID = 0x6b6d704c, /* "kmpL" */
	STORE_VERSION = 1,
	HISTORY_VERSION = 2,
	STORE_HEADER = 100, /* bytes of an SQLite file's header */
	STORE_AT_VERSION = 60,
	STORE_AT_APPLICATION_ID = 68,
	STORE_CHUNK = 1 << 16,	   /* entries of a chunk that we write */
	STORE_CHUNK_MAX = 1 << 18, /* entries of a chunk that we read */
	STORE_LENGTH_MAX = 1 << 24 /* bytes of a row */
};

/* The statements that make the tables and views, in order, NULL-terminated. */
extern const char *const kmp_store_schema[];

/* The same of a history. */
extern const char *const kmp_history_schema[];

/* The names of the text table's kinds, by enum kmp_dict; NULL for frames. */
extern const char *const kmp_store_kinds[];

/*
 * Check an SQLite file's header: ours, of our version, closed, complete. size is the file's.
 * KMP_ERROR_INPUT.
 */
struct kmp_error *kmp_store_check_header(const unsigned char head[STORE_HEADER],
					 uint64_t size) must_check;

/* Is this the header of a history that is not packed? */
bool kmp_history_is(const unsigned char *head, size_t len);

/*
 * Count len bytes as read, of those that the file has: rows whose bytes lie in the same pages could
 * say far more than the file holds. KMP_ERROR_INPUT when too few are left.
 */
struct kmp_error *kmp_store_take(uint64_t *left, uint64_t len) must_check;

#endif
