// SPDX-License-Identifier: GPL-2.0-only
#include "store/db.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "store/schema.h"

enum { BUSY_MS = 10000 };

struct kmp_error *kmp_db_error(sqlite3 *db, int rc)
{
	int errnum = db ? sqlite3_system_errno(db) : 0;

	switch (rc & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return NULL;
	case SQLITE_NOMEM:
		return &kmp_error_no_memory;
	case SQLITE_FULL:
		return kmp_error_system(ENOSPC, NULL, "cannot write");
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return kmp_error_system(EBUSY, NULL, "cannot read or write");
	case SQLITE_IOERR:
		/* Reading less than asked for is the file's fault, not the system's. */
		if (rc == SQLITE_IOERR_SHORT_READ)
			break;
		return kmp_error_system(errnum ? errnum : EIO, NULL, "cannot read or write");
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_READONLY:
		return kmp_error_system(errnum ? errnum : EACCES, NULL, "cannot open");
	default:
		break;
	}
	return kmp_error_new(KMP_ERROR_INPUT, "damaged ledger file: %s",
			     db ? sqlite3_errmsg(db) : sqlite3_errstr(rc));
}

static struct kmp_error *open_db(const char *path, int flags, sqlite3 **db)
{
	int rc = sqlite3_open_v2(path, db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
				 NULL);
	struct kmp_error *err;

	if (rc == SQLITE_OK)
		rc = sqlite3_extended_result_codes(*db, 1);
	if (rc == SQLITE_OK)
		return NULL;
	err = kmp_db_error(*db, rc);
	sqlite3_close(*db);
	*db = NULL;
	return err;
}

/* `file:` with every byte escaped that means something in a URI. */
static struct kmp_error *read_uri(const char *path, char **uri)
{
	static const char hex[] = "0123456789abcdef";
	char *p = malloc(3 * strlen(path) + 32);

	if (!p)
		return &kmp_error_no_memory;
	*uri = p;
	/* No authority, even where the path begins with two slashes. */
	p = stpcpy(p, path[0] == '/' ? "file://" : "file:");
	for (const unsigned char *s = (const unsigned char *)path; *s; s++) {
		if (*s <= ' ' || *s >= 127 || strchr("%?#", *s)) {
			*p++ = '%';
			*p++ = hex[*s >> 4];
			*p++ = hex[*s & 15];
		} else {
			*p++ = (char)*s;
		}
	}
	stpcpy(p, "?immutable=1");
	return NULL;
}

/* Each call is some thousand steps; no schema of ours needs that many to be read. */
static int give_up(void *budget)
{
	return --*(int *)budget < 0;
}

static struct kmp_error *defend(sqlite3 *db, const char *const *schema)
{
	int budget = 100;

	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, STORE_LENGTH_MAX);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_progress_handler(db, 10000, give_up, &budget);
	struct kmp_error *err = kmp_db_exec(db,
					    "PRAGMA cell_size_check=ON;"
					    "PRAGMA cache_size=-2000;"
					    "PRAGMA mmap_size=0;"
					    "PRAGMA query_only=ON;"
					    "PRAGMA temp_store=MEMORY");
	if (!err)
		err = kmp_db_check_schema(db, schema);
	sqlite3_progress_handler(db, 0, NULL, NULL);
	return err;
}

struct kmp_error *kmp_db_open_read(const char *path, sqlite3 **db)
{
	auto_free char *uri = NULL;
	sqlite3 *opened;

	try(read_uri(path, &uri));
	/* Files are replaced, never changed: no locks, and no look at a journal beside them. */
	try(open_db(uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, &opened));
	struct kmp_error *err = defend(opened, kmp_store_schema);

	if (err)
		sqlite3_close(opened);
	else
		*db = opened;
	return err;
}

/* Is there a log beside it, of a writer that is at work or was killed? */
static struct kmp_error *has_log(const char *path, bool *has)
{
	auto_free char *log = NULL;

	if (asprintf(&log, "%s-wal", path) < 0) {
		log = NULL;
		return &kmp_error_no_memory;
	}
	*has = access(log, F_OK) == 0;
	return NULL;
}

static struct kmp_error *open_history(const char *path, bool immutable, sqlite3 **db)
{
	auto_free char *uri = NULL;
	sqlite3 *opened;

	try(read_uri(path, &uri));
	if (!immutable)
		*strrchr(uri, '?') = '\0';
	try(open_db(uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, &opened));
	sqlite3_busy_timeout(opened, BUSY_MS);
	struct kmp_error *err = defend(opened, kmp_history_schema);

	if (err)
		sqlite3_close(opened);
	else
		*db = opened;
	return err;
}

struct kmp_error *kmp_db_open_history(const char *path, sqlite3 **db)
{
	bool log = false;
	struct kmp_error *err = open_history(path, false, db);

	if (!err || err->kind != KMP_ERROR_SYSTEM)
		return err;
	struct kmp_error *second = has_log(path, &log);

	/* Where nothing can be made beside it, as on a read-only disk, it is still whole by itself.
	 */
	if (!second && !log)
		second = open_history(path, true, db);
	else if (!second)
		return err;
	kmp_error_destroy(err);
	return second;
}

struct kmp_error *kmp_db_open_live(const char *path, sqlite3 **db)
{
	sqlite3 *opened;

	try(open_db(path, SQLITE_OPEN_READWRITE, &opened));
	sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, STORE_LENGTH_MAX);
	sqlite3_busy_timeout(opened, BUSY_MS);
	/* A killed process loses nothing, a machine that loses power the last samples at most. */
	struct kmp_error *err = kmp_db_exec(opened,
					    "PRAGMA journal_mode=WAL;"
					    "PRAGMA synchronous=NORMAL;"
					    "PRAGMA wal_autocheckpoint=256;"
					    "PRAGMA cell_size_check=ON;"
					    "PRAGMA cache_size=-2000;"
					    "PRAGMA mmap_size=0;"
					    "PRAGMA temp_store=MEMORY");

	if (err)
		sqlite3_close(opened);
	else
		*db = opened;
	return err;
}

struct kmp_error *kmp_db_open_bytes(unsigned char *bytes, uint64_t size, const char *const *schema,
				    sqlite3 **db)
{
	sqlite3 *opened;
	struct kmp_error *err = open_db(":memory:", SQLITE_OPEN_READWRITE, &opened);

	if (err) {
		sqlite3_free(bytes);
		return err;
	}
	/* The bytes are the database's from here on, whatever the outcome. */
	err = kmp_db_error(
		opened,
		sqlite3_deserialize(opened, "main", bytes, (sqlite3_int64)size, (sqlite3_int64)size,
				    SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY));
	if (!err)
		err = defend(opened, schema);
	if (err)
		sqlite3_close(opened);
	else
		*db = opened;
	return err;
}

struct kmp_error *kmp_db_open_write(const char *path, sqlite3 **db)
{
	sqlite3 *opened;

	try(open_db(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, &opened));
	sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, STORE_LENGTH_MAX);
	/* Nobody else sees the file yet, and after a failure it is thrown away. */
	struct kmp_error *err = kmp_db_exec(opened,
					    "PRAGMA journal_mode=OFF;"
					    "PRAGMA synchronous=OFF;"
					    "PRAGMA locking_mode=EXCLUSIVE;"
					    "PRAGMA cache_size=-4000;"
					    "PRAGMA temp_store=MEMORY");

	if (err)
		sqlite3_close(opened);
	else
		*db = opened;
	return err;
}

struct kmp_error *kmp_db_check_schema(sqlite3 *db, const char *const *schema)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	size_t n = 0;
	bool row;

	try(kmp_db_prepare(db, "SELECT sql FROM sqlite_schema ORDER BY rowid", &stmt));
	for (;; n++) {
		size_t len;

		try(kmp_db_step(stmt, &row));
		if (!row)
			break;
		const char *sql = kmp_db_text(stmt, 0, &len);

		if (!schema[n] || strlen(schema[n]) != len || memcmp(schema[n], sql, len) != 0)
			return kmp_error_new(KMP_ERROR_INPUT, "not a ledger file's tables");
	}
	if (schema[n])
		return kmp_error_new(KMP_ERROR_INPUT, "not a ledger file's tables");
	return NULL;
}

struct kmp_error *kmp_db_exec(sqlite3 *db, const char *sql)
{
	return kmp_db_error(db, sqlite3_exec(db, sql, NULL, NULL, NULL));
}

struct kmp_error *kmp_db_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **stmt)
{
	return kmp_db_error(db, sqlite3_prepare_v2(db, sql, -1, stmt, NULL));
}

static int bind_one(sqlite3_stmt *stmt, int at, char kind, va_list *args)
{
	const void *bytes;
	uint32_t number;
	size_t len;

	switch (kind) {
	case 'i':
		return sqlite3_bind_int64(stmt, at, va_arg(*args, int64_t));
	case 'u':
		return sqlite3_bind_int64(stmt, at, (int64_t)va_arg(*args, uint64_t));
	case 'n':
		number = va_arg(*args, uint32_t);
		return number == KMP_NONE ? sqlite3_bind_null(stmt, at)
					  : sqlite3_bind_int64(stmt, at, number);
	case 's':
		return sqlite3_bind_text(stmt, at, va_arg(*args, const char *), -1, SQLITE_STATIC);
	default:
		bytes = va_arg(*args, const void *);
		len = va_arg(*args, size_t);
		if (!bytes)
			return sqlite3_bind_null(stmt, at);
		if (kind == 't')
			return sqlite3_bind_text64(stmt, at, bytes, len, SQLITE_STATIC,
						   SQLITE_UTF8);
		return sqlite3_bind_blob64(stmt, at, bytes, len, SQLITE_STATIC);
	}
}

struct kmp_error *kmp_db_bind(sqlite3_stmt *stmt, const char *kinds, ...)
{
	int rc = SQLITE_OK;
	va_list args;

	va_start(args, kinds);
	for (int i = 0; kinds[i] && rc == SQLITE_OK; i++)
		rc = bind_one(stmt, i + 1, kinds[i], &args);
	va_end(args);
	return kmp_db_error(sqlite3_db_handle(stmt), rc);
}

struct kmp_error *kmp_db_step(sqlite3_stmt *stmt, bool *row)
{
	int rc = sqlite3_step(stmt);

	*row = rc == SQLITE_ROW;
	if (*row)
		return NULL;
	struct kmp_error *err = kmp_db_error(sqlite3_db_handle(stmt), rc);

	sqlite3_reset(stmt);
	return err;
}

struct kmp_error *kmp_db_run(sqlite3_stmt *stmt)
{
	bool row;

	return kmp_db_step(stmt, &row);
}

struct kmp_error *kmp_db_number(sqlite3 *db, const char *sql, int64_t *number)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	bool row;

	try(kmp_db_prepare(db, sql, &stmt));
	try(kmp_db_step(stmt, &row));
	*number = row ? sqlite3_column_int64(stmt, 0) : 0;
	return NULL;
}

const char *kmp_db_text(sqlite3_stmt *stmt, int column, size_t *len)
{
	const char *text = sqlite3_column_blob(stmt, column);

	*len = text ? (size_t)sqlite3_column_bytes(stmt, column) : 0;
	return text ? text : "";
}
