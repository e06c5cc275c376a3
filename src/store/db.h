/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SQLite, spoken to in our words: errors, statements, values.
 */
#ifndef KMP_STORE_DB_H
#define KMP_STORE_DB_H

#include <sqlite3.h>

#include "base/cleanup.h"
#include "base/error.h"

DEFINE_CLEANUP(stmt, sqlite3_stmt *, sqlite3_finalize)
#define auto_stmt cleanup(cleanup_stmt)

/* What SQLite's answer rc means; NULL for SQLITE_OK, SQLITE_ROW and SQLITE_DONE. */
struct kmp_error *kmp_db_error(sqlite3 *db, int rc) must_check;

/* Open for reading, defended against what a hostile file could hold. Sets *db only on success. */
struct kmp_error *kmp_db_open_read(const char *path, sqlite3 **db) must_check;

/*
 * The same of a database of this schema in memory that came from sqlite3_malloc64(); it is freed
 * with it.
 */
struct kmp_error *kmp_db_open_bytes(unsigned char *bytes, uint64_t size, const char *const *schema,
				    sqlite3 **db) must_check;

/* Open a history for reading, while another process may be writing it. */
struct kmp_error *kmp_db_open_history(const char *path, sqlite3 **db) must_check;

/* Open a history for writing, while others may be reading it. */
struct kmp_error *kmp_db_open_live(const char *path, sqlite3 **db) must_check;

/* Open a private file for writing. */
struct kmp_error *kmp_db_open_write(const char *path, sqlite3 **db) must_check;

/* Are the tables and views those of the schema, and nothing else? KMP_ERROR_INPUT if not. */
struct kmp_error *kmp_db_check_schema(sqlite3 *db, const char *const *schema) must_check;

/* Run statements that give no rows. */
struct kmp_error *kmp_db_exec(sqlite3 *db, const char *sql) must_check;

struct kmp_error *kmp_db_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **stmt) must_check;

/*
 * Bind values, one for each letter of kinds: i int64_t; u uint64_t; n a number, uint32_t, NULL if
 * KMP_NONE; s a string; t a text: const char * (NULL for none) and size_t; b likewise a blob.
 * They must stay until the statement is stepped.
 */
struct kmp_error *kmp_db_bind(sqlite3_stmt *stmt, const char *kinds, ...) must_check;

/* The next row: *row tells whether there is one. Without one, the statement is reset. */
struct kmp_error *kmp_db_step(sqlite3_stmt *stmt, bool *row) must_check;

/* Run a bound statement that gives no row, and reset it. */
struct kmp_error *kmp_db_run(sqlite3_stmt *stmt) must_check;

/* The single number that a query gives; 0 if it is NULL. */
struct kmp_error *kmp_db_number(sqlite3 *db, const char *sql, int64_t *number) must_check;

/* A column's bytes, whatever its type; never NULL. Valid until the next step. */
const char *kmp_db_text(sqlite3_stmt *stmt, int column, size_t *len);

#endif
