// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"

enum { VERSION = 1, TTL_SINCE = 19006, UNKNOWN_TABLE = 60, NOT_CONFIGURED = 139 };

/* Figures twice: what grows is read by owner, what a machine has by host. */
#define FIGURES	       "kind UInt8, owner UInt64, session UInt64, at UInt64, bytes Int64, count Int64"
#define FIGURE_COLUMNS "kind, owner, session, at, bytes, count"
#define TIME	       ", time DateTime ALIAS toDateTime(intDiv(at, 1000000000))"

static const struct {
	const char *name;
	const char *columns;
	const char *insert;
	const char *order;
	bool by_day;	  /* has a time, and so an end */
	const char *more; /* of its order and how fine its index is, or NULL */
} tables[SCHEMA_TABLES] = {
	[SCHEMA_FIGURES] = { "figures", FIGURES TIME, FIGURE_COLUMNS, "(kind, owner, session, at)",
			     true, " PRIMARY KEY (kind, owner, session)" },
	[SCHEMA_FIGURES_BY_HOST] = { "figures_by_host", FIGURES TIME, FIGURE_COLUMNS,
				     "(session, at, kind, owner)", true,
				     " PRIMARY KEY (session, at) SETTINGS index_granularity = "
				     "1024" },
	[SCHEMA_SAMPLES] = { "samples",
			     "session UInt64, at UInt64, host String, boot String, kernel String, "
			     "uptime UInt64, memory_total UInt64, memory_free UInt64, "
			     "memory_available UInt64, page_size UInt32, holds UInt8, lost UInt64, "
			     "rows UInt32, pages_bytes Int64, tags_bytes Int64, "
			     "labels Nested(name String, value String)" TIME,
			     "session, at, host, boot, kernel, uptime, memory_total, memory_free, "
			     "memory_available, page_size, holds, lost, rows, pages_bytes, "
			     "tags_bytes, labels.name, labels.value",
			     "(session, at)", true },
	[SCHEMA_STACKS] = { "stacks",
			    "fingerprint UInt64, function String, module String, "
			    "frames Array(String)",
			    "fingerprint, function, module, frames", "(fingerprint)", false },
	[SCHEMA_TAGS] = { "tags",
			  "tag UInt64, module String, file String, line UInt32, function String",
			  "tag, module, file, line, function", "(tag)", false },
	[SCHEMA_TASKS] = { "tasks", "task UInt64, comm String", "task, comm", "(task)", false },
	[SCHEMA_VERSIONS] = { "schema_version", "version UInt32, changed DateTime",
			      "version, changed", "(version)", false },
};

/* The column by which a cluster's rows are spread: what is inserted at once goes to one shard. */
static const char *const spread_by[SCHEMA_TABLES] = {
	[SCHEMA_FIGURES] = "session",  [SCHEMA_FIGURES_BY_HOST] = "session",
	[SCHEMA_SAMPLES] = "session",  [SCHEMA_STACKS] = "fingerprint",
	[SCHEMA_TAGS] = "tag",	       [SCHEMA_TASKS] = "task",
	[SCHEMA_VERSIONS] = "version",
};

static const char day[] = "toYYYYMMDD(toDateTime(intDiv(at, 1000000000)), 'UTC')";

const char *schema_name(enum schema_table table)
{
	return tables[table].name;
}

const char *schema_insert_columns(enum schema_table table)
{
	return tables[table].insert;
}

/* What there is at the server. */
struct place {
	struct clickhouse *server;
	const char *cluster;
	bool keeper; /* ZooKeeper or Keeper */
};

static struct kmp_error *name_table(const struct place *place, struct sql *sql,
				    enum schema_table table, const char *ending)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s", tables[table].name, ending);
	return clickhouse_table(place->server, sql, name);
}

static struct kmp_error *on_cluster(const struct place *place, struct sql *sql)
{
	if (!place->keeper)
		return NULL;
	try(sql_add(sql, " ON CLUSTER "));
	return sql_name(sql, place->cluster);
}

static struct kmp_error *add_engine(const struct place *place, struct sql *sql,
				    enum schema_table table)
{
	if (place->keeper)
		return sql_add(sql,
			       " ENGINE = ReplicatedReplacingMergeTree("
			       "'/clickhouse/tables/{shard}/%s/%s', '{replica}')",
			       clickhouse_database(place->server), tables[table].name);
	return sql_add(sql, " ENGINE = ReplacingMergeTree");
}

static struct kmp_error *create_rows(const struct place *place, enum schema_table table)
{
	struct sql sql cleanup(sql_deinit) = { 0 };

	try(sql_add(&sql, "CREATE TABLE IF NOT EXISTS "));
	try(name_table(place, &sql, table, place->cluster ? "_local" : ""));
	try(on_cluster(place, &sql));
	try(sql_add(&sql, " (%s)", tables[table].columns));
	try(add_engine(place, &sql, table));
	if (tables[table].by_day)
		try(sql_add(&sql, " PARTITION BY %s", day));
	try(sql_add(&sql, " ORDER BY %s%s", tables[table].order,
		    tables[table].more ? tables[table].more : ""));
	return clickhouse_query(place->server, &sql, NULL);
}

static struct kmp_error *create_distributed(const struct place *place, enum schema_table table)
{
	struct sql sql cleanup(sql_deinit) = { 0 };

	try(sql_add(&sql, "CREATE TABLE IF NOT EXISTS "));
	try(name_table(place, &sql, table, ""));
	try(on_cluster(place, &sql));
	try(sql_add(&sql, " (%s) ENGINE = Distributed(", tables[table].columns));
	try(sql_name(&sql, place->cluster));
	try(sql_add(&sql, ", %s, %s_local, %s)", clickhouse_database(place->server),
		    tables[table].name, spread_by[table]));
	return clickhouse_query(place->server, &sql, NULL);
}

static struct kmp_error *create_table(const struct place *place, enum schema_table table)
{
	try(create_rows(place, table));
	return place->cluster ? create_distributed(place, table) : NULL;
}

static struct kmp_error *create_database(const struct place *place)
{
	struct sql sql cleanup(sql_deinit) = { 0 };

	try(sql_add(&sql, "CREATE DATABASE IF NOT EXISTS "));
	try(sql_name(&sql, clickhouse_database(place->server)));
	try(on_cluster(place, &sql));
	return clickhouse_query(place->server, &sql, NULL);
}

/* From no tables to version 1. */
static struct kmp_error *make_tables(const struct place *place)
{
	/* The version is told last: who finds it finds all of them. */
	for (int i = 0; i < SCHEMA_TABLES; i++)
		try(create_table(place, (enum schema_table)i));
	return NULL;
}

/* What leads from each version to the next. */
static struct kmp_error *(*const steps[VERSION])(const struct place *place) = {
	make_tables,
};

/* A number that is the whole answer. */
static struct kmp_error *ask_number(struct clickhouse *server, const struct sql *sql,
				    uint64_t *number)
{
	struct row_writer answer = { 0 };
	struct kmp_error *err = clickhouse_query(server, sql, &answer);

	if (err)
		return err;
	struct row_reader reader = row_reader(answer.bytes.data, answer.bytes.len);

	*number = row_u64(&reader);
	vec_deinit(&answer.bytes);
	if (!reader.bad)
		return NULL;
	return kmp_error_new(KMP_ERROR_INPUT, "%s: not the answer of a ClickHouse",
			     clickhouse_name(server));
}

/* The version of this server's own tables, 0 for none. */
static struct kmp_error *find_version(const struct place *place, uint64_t *version)
{
	struct clickhouse *server = place->server;
	struct sql sql cleanup(sql_deinit) = { 0 };

	try(sql_add(&sql, "SELECT toUInt64(count()) FROM system.tables WHERE database = "));
	try(sql_quote_string(&sql, clickhouse_database(server)));
	try(sql_add(&sql, " AND name = '%s%s' FORMAT RowBinary", tables[SCHEMA_VERSIONS].name,
		    place->cluster ? "_local" : ""));
	try(ask_number(server, &sql, version));
	if (!*version)
		return NULL;
	sql.text.len = 0;
	try(sql_add(&sql, "SELECT toUInt64(max(version)) FROM "));
	try(name_table(place, &sql, SCHEMA_VERSIONS, place->cluster ? "_local" : ""));
	try(sql_add(&sql, " FORMAT RowBinary"));
	return ask_number(server, &sql, version);
}

static struct kmp_error *check_version(const struct clickhouse *server, uint64_t version)
{
	if (version <= VERSION)
		return NULL;
	return kmp_error_new(KMP_ERROR_INPUT,
			     "%s: its tables are of version %" PRIu64
			     ", and this kmemprof knows version %d alone",
			     clickhouse_name(server), version, VERSION);
}

static struct kmp_error *tell_version(const struct place *place, unsigned version)
{
	struct sql sql cleanup(sql_deinit) = { 0 };

	try(sql_add(&sql, "INSERT INTO "));
	try(name_table(place, &sql, SCHEMA_VERSIONS, place->cluster ? "_local" : ""));
	try(sql_add(&sql, " SELECT %u, now()", version));
	return clickhouse_query(place->server, &sql, NULL);
}

/* Is there a cluster of this name, and somebody who keeps its replicas together? */
static struct kmp_error *look_at_cluster(struct place *place)
{
	struct sql sql cleanup(sql_deinit) = { 0 };
	uint64_t servers, macros;

	try(sql_add(&sql, "SELECT toUInt64(count()) FROM system.clusters WHERE cluster = "));
	try(sql_quote_string(&sql, place->cluster));
	try(sql_add(&sql, " FORMAT RowBinary"));
	try(ask_number(place->server, &sql, &servers));
	if (!servers)
		return kmp_error_new(KMP_ERROR_USAGE, "--cluster: %s: no cluster is called '%s'",
				     clickhouse_name(place->server), place->cluster);
	struct kmp_error *err = clickhouse_ask(place->server, NULL,
					       "SELECT 1 FROM system.zookeeper WHERE path = '/'");

	if (err && clickhouse_code(place->server) != UNKNOWN_TABLE &&
	    clickhouse_code(place->server) != NOT_CONFIGURED)
		return err;
	place->keeper = !err;
	kmp_error_destroy(err);
	if (!place->keeper)
		return NULL;
	sql.text.len = 0;
	try(sql_add(&sql,
		    "SELECT toUInt64(count()) FROM system.macros "
		    "WHERE macro IN ('shard', 'replica') FORMAT RowBinary"));
	try(ask_number(place->server, &sql, &macros));
	if (macros == 2)
		return NULL;
	return kmp_error_new(KMP_ERROR_INPUT,
			     "%s: replicated tables take the macros shard and replica in the "
			     "configuration of each server",
			     clickhouse_name(place->server));
}

static struct kmp_error *migrate(const struct place *place)
{
	uint64_t version;

	try(find_version(place, &version));
	try(check_version(place->server, version));
	if (!version)
		try(create_database(place));
	for (; version < VERSION; version++) {
		try(steps[version](place));
		try(tell_version(place, (unsigned)version + 1));
	}
	return NULL;
}

/* Is the table's TTL another one? A thousand hosts need not change it to what it is. */
static struct kmp_error *set_ttl(const struct place *place, enum schema_table table, uint64_t ttl)
{
	const char *ending = place->cluster ? "_local" : "";
	struct sql sql cleanup(sql_deinit) = { 0 };
	uint64_t same;

	try(sql_add(&sql, "SELECT toUInt64(count()) FROM system.tables WHERE database = "));
	try(sql_quote_string(&sql, clickhouse_database(place->server)));
	try(sql_add(&sql,
		    " AND name = '%s%s' AND position(create_table_query, 'toIntervalSecond(%" PRIu64
		    ")') > 0 FORMAT RowBinary",
		    tables[table].name, ending, ttl));
	try(ask_number(place->server, &sql, &same));
	if (same)
		return NULL;
	sql.text.len = 0;
	try(sql_add(&sql, "ALTER TABLE "));
	try(name_table(place, &sql, table, ending));
	try(on_cluster(place, &sql));
	try(sql_add(&sql,
		    " MODIFY TTL toDateTime(intDiv(at, 1000000000)) + toIntervalSecond(%" PRIu64
		    ")",
		    ttl));
	return clickhouse_query(place->server, &sql, NULL);
}

static struct kmp_error *apply_ttl(const struct place *place, uint64_t ttl, char **note)
{
	if (clickhouse_version(place->server) < TTL_SINCE) {
		if (asprintf(note,
			     "ClickHouse %s has no TTL of its own: whole days that are older than "
			     "--ttl are dropped%s while kmemprof pushes with it",
			     clickhouse_version_text(place->server),
			     place->cluster && !place->keeper ? " from the server that it pushes to"
							      : "") >= 0)
			return NULL;
		*note = NULL;
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	}
	for (int i = 0; i < SCHEMA_TABLES; i++) {
		if (tables[i].by_day)
			try(set_ttl(place, (enum schema_table)i, ttl));
	}
	return NULL;
}

struct kmp_error *schema_prepare(struct clickhouse *server, const struct schema_options *options,
				 char **note)
{
	struct place place = { .server = server, .cluster = options->cluster };

	*note = NULL;
	if (place.cluster)
		try(look_at_cluster(&place));
	try(migrate(&place));
	if (!options->ttl)
		return NULL;
	try(apply_ttl(&place, options->ttl, note));
	return schema_expire(server, options);
}

struct kmp_error *schema_check(struct clickhouse *server)
{
	const struct place place = { .server = server };
	uint64_t version;

	try(find_version(&place, &version));
	if (!version)
		return kmp_error_new(KMP_ERROR_INPUT, "%s: nothing was pushed there yet",
				     clickhouse_name(server));
	return check_version(server, version);
}

static struct kmp_error *drop_days(const struct place *place, enum schema_table table,
				   unsigned before)
{
	const char *ending = place->cluster ? "_local" : "";
	struct sql sql cleanup(sql_deinit) = { 0 };
	struct row_writer answer cleanup(row_deinit) = { 0 };

	try(sql_add(&sql,
		    "SELECT DISTINCT toUInt32OrZero(partition) AS p FROM system.parts "
		    "WHERE active AND database = "));
	try(sql_quote_string(&sql, clickhouse_database(place->server)));
	try(sql_add(&sql, " AND table = '%s%s' AND p < %u FORMAT RowBinary", tables[table].name,
		    ending, before));
	try(clickhouse_query(place->server, &sql, &answer));
	struct row_reader reader = row_reader(answer.bytes.data, answer.bytes.len);

	while (row_more(&reader)) {
		uint32_t partition = row_u32(&reader);

		sql.text.len = 0;
		try(sql_add(&sql, "ALTER TABLE "));
		try(name_table(place, &sql, table, ending));
		try(on_cluster(place, &sql));
		try(sql_add(&sql, " DROP PARTITION %" PRIu32, partition));
		try(clickhouse_query(place->server, &sql, NULL));
	}
	return NULL;
}

struct kmp_error *schema_expire(struct clickhouse *server, const struct schema_options *options)
{
	const struct place place = { .server = server, .cluster = options->cluster };
	time_t then = time(NULL) - (time_t)options->ttl;
	struct tm tm;

	if (!options->ttl || clickhouse_version(server) >= TTL_SINCE || !gmtime_r(&then, &tm))
		return NULL;
	unsigned before =
		(unsigned)((tm.tm_year + 1900) * 10000 + (tm.tm_mon + 1) * 100 + tm.tm_mday);

	for (int i = 0; i < SCHEMA_TABLES; i++) {
		if (tables[i].by_day)
			try(drop_days(&place, (enum schema_table)i, before));
	}
	return NULL;
}
