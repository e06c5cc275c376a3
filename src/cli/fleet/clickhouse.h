/* SPDX-License-Identifier: GPL-2.0-only */
/* A ClickHouse server over HTTP, by libcurl. A connection belongs to one thread at a time. */
#ifndef KMP_CLI_FLEET_CLICKHOUSE_H
#define KMP_CLI_FLEET_CLICKHOUSE_H

#include <stdatomic.h>

#include "cli/fleet/row.h"
#include "cli/fleet/sql.h"

struct clickhouse_options {
	/* clickhouse://[USER@]HOST[:PORT]/DB, http://… the same; https://… with TLS. */
	const char *url;
	const char *password_file; /* its first line, or NULL */
	const char *ca_file;	   /* certificates to trust with TLS, NULL: the system's */
	double timeout;		/* seconds for a question, 0: 60; for an insert five times that */
	const atomic_int *stop; /* when it is not 0, what is under way is given up; or NULL */
};

/* Why the last request failed. */
enum clickhouse_trouble {
	CLICKHOUSE_FINE,
	CLICKHOUSE_AWAY,    /* no connection: it was not asked at all */
	CLICKHOUSE_SILENT,  /* asked, but no whole answer came: who knows what it did */
	CLICKHOUSE_BUSY,    /* it could not now: full, starting, too much to do, a shard away */
	CLICKHOUSE_REFUSED, /* it will not, whenever it is asked: rights, syntax, types */
	CLICKHOUSE_STOPPED  /* given up, as options.stop said */
};

struct clickhouse;

/* KMP_ERROR_USAGE for a wrong URL. Nothing is asked yet. Close it with clickhouse_close(). */
struct kmp_error *clickhouse_open(const struct clickhouse_options *options,
				  struct clickhouse **server);
void clickhouse_close(struct clickhouse *server);

/* Say hello: the version is known then. */
struct kmp_error *clickhouse_connect(struct clickhouse *server);

/* 18016 for 18.16; 0 before clickhouse_connect(). */
unsigned clickhouse_version(const struct clickhouse *server);

/* The version as it was told. */
const char *clickhouse_version_text(const struct clickhouse *server);

/* The database of the URL; letters, digits and underscores. */
const char *clickhouse_database(const struct clickhouse *server);

/* The URL without the user, for messages. */
const char *clickhouse_name(const struct clickhouse *server);

enum clickhouse_trouble clickhouse_trouble(const struct clickhouse *server);

/* ClickHouse's number of the last error, 0 for none. */
int clickhouse_code(const struct clickhouse *server);

/* A table of the database: `db`.`table`. */
struct kmp_error *clickhouse_table(const struct clickhouse *server, struct sql *sql,
				   const char *table);

/*
 * Ask. The whole answer (at most 256 MiB) goes to *answer, which was empty or is overwritten; NULL:
 * none is of interest. It has what FORMAT of the statement says; RowBinary is for row_reader().
 */
struct kmp_error *clickhouse_query(struct clickhouse *server, const struct sql *sql,
				   struct row_writer *answer);

/* The same of words of our own, with numbers. */
struct kmp_error *clickhouse_ask(struct clickhouse *server, struct row_writer *answer,
				 const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Compress rows for clickhouse_insert(), as this server understands it. */
struct kmp_error *clickhouse_pack(const struct clickhouse *server, const struct row_writer *rows,
				  struct row_writer *packed);

/*
 * Insert packed rows by an `INSERT INTO … FORMAT RowBinary` that goes by this id. Fewer than
 * CLICKHOUSE_ROWS rows of one partition are there all or none. If it fails, who knows: but for
 * CLICKHOUSE_AWAY they can be there, or come yet.
 */
enum { CLICKHOUSE_ROWS = 1 << 20 };
struct kmp_error *clickhouse_insert(struct clickhouse *server, const struct sql *sql,
				    const char *query_id, const struct row_writer *packed);

#endif
