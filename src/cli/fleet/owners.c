// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/owners.h"

#include <inttypes.h>
#include <math.h>

#include "base/cleanup.h"

void owners_deinit(struct owners *owners)
{
	vec_deinit(&owners->list);
}

/*
 * The figures of each owner on each host: one sample or two, told apart by their time. Rows of a
 * sample that are there twice are the same, and any of them will do.
 */
static struct kmp_error *add_figures(const struct fleet *fleet, int side, struct sql *sql)
{
	const struct fleet_ask *ask = fleet->ask;
	uint64_t since = ask->since;

	try(sql_add(sql,
		    "(SELECT session, owner, anyIf(bytes, at > %" PRIu64 ") AS b, "
		    "anyIf(count, at > %" PRIu64 ") AS c, anyIf(bytes, at <= %" PRIu64 ") AS ob, "
		    "anyIf(count, at <= %" PRIu64 ") AS oc FROM ",
		    since, since, since, since));
	try(clickhouse_table(fleet->server, sql, schema_name(SCHEMA_FIGURES_BY_HOST)));
	try(sql_add(sql, " WHERE kind = %d AND (session, at) IN (SELECT session, %s FROM ",
		    ask->by->kind, since ? "arrayJoin([now, before])" : "now"));
	try(hosts_sql(fleet, ask->by->kind, sql));
	try(sql_add(sql, " WHERE state = %d", HOST_GOOD));
	if (side)
		try(sql_add(sql, " AND side = %d", side));
	return sql_add(sql, ") GROUP BY session, owner)");
}

/* The same, with what the owners are called in place of them. */
static struct kmp_error *add_named(const struct fleet *fleet, int side, struct sql *sql)
{
	enum schema_kind kind = fleet->ask->by->kind;
	const char *id = fleet_names_id(kind);

	try(sql_add(sql,
		    "(SELECT session, name AS k, sum(b) AS hb, sum(c) AS hc, sum(ob) AS hob, "
		    "sum(oc) AS hoc, toUInt64(count()) AS places FROM "));
	try(add_figures(fleet, side, sql));
	try(sql_add(sql, " AS held ANY LEFT JOIN (SELECT %s AS owner, any(%s) AS name FROM ", id,
		    fleet->ask->by->column));
	try(clickhouse_table(fleet->server, sql, schema_name(fleet_names_table(kind))));
	return sql_add(sql, " GROUP BY %s) AS called USING owner GROUP BY session, name)", id);
}

static struct kmp_error *make_sql(const struct fleet *fleet, int side, struct sql *sql)
{
	bool grows = fleet->ask->since != 0;

	try(sql_add(sql,
		    "SELECT k, toUInt64(countIf(%s)), toUInt64(countIf(hob != 0)), sum(hb), "
		    "sum(hc), sum(hob), sum(hoc), argMax(session, %s), max(%s), max(places), "
		    "toUInt8(max(hb != 0 AND hc = 0 OR hob != 0 AND hoc = 0)) FROM ",
		    grows ? "hb > hob" : "hb != 0", grows ? "hb - hob" : "hb",
		    grows ? "hb - hob" : "hb"));
	if (fleet->ask->by->column) {
		try(add_named(fleet, side, sql));
	} else {
		try(sql_add(sql,
			    "(SELECT session, owner AS k, b AS hb, c AS hc, ob AS hob, "
			    "oc AS hoc, toUInt64(1) AS places FROM "));
		try(add_figures(fleet, side, sql));
		try(sql_add(sql, ")"));
	}
	return sql_add(sql, " GROUP BY k ORDER BY k");
}

static struct kmp_error *read_owner(struct fleet *fleet, struct row_reader *from,
				    struct owners *owners)
{
	struct owner owner = { .name = "" };

	if (fleet->ask->by->column) {
		const char *name = row_text(from, &owner.name_len);

		try(pool_copy(&fleet->pool, name, owner.name_len, &owner.name));
	} else {
		owner.id = row_u64(from);
	}
	owner.hosts = row_u64(from);
	owner.hosts_before = row_u64(from);
	owner.bytes = row_i64(from);
	owner.count = row_i64(from);
	owner.bytes_before = row_i64(from);
	owner.count_before = row_i64(from);
	owner.worst = row_u64(from);
	owner.worst_bytes = row_i64(from);
	owner.places = row_u64(from);
	owner.no_count = row_u8(from);
	if (from->bad)
		return kmp_error_new(KMP_ERROR_INPUT, "%s: the answer is cut",
				     clickhouse_name(fleet->server));
	return grow_push(&owners->list, owner);
}

struct kmp_error *owners_load(struct fleet *fleet, int side, struct owners *owners)
{
	struct sql sql cleanup(sql_deinit) = { 0 };
	struct row_writer answer cleanup(row_deinit) = { 0 };

	try(make_sql(fleet, side, &sql));
	try(fleet_query(fleet, &sql, &answer));
	struct row_reader reader = row_reader(answer.bytes.data, answer.bytes.len);

	while (row_more(&reader))
		try(read_owner(fleet, &reader, owners));
	return NULL;
}

static int compare_owners(const struct owner *a, const struct owner *b)
{
	size_t len = a->name_len < b->name_len ? a->name_len : b->name_len;
	int result = memcmp(a->name, b->name, len);

	if (result)
		return result;
	if (a->name_len != b->name_len)
		return a->name_len < b->name_len ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static int64_t mean(int64_t sum, size_t hosts)
{
	return hosts ? llroundl((long double)sum / (long double)hosts) : 0;
}

static const struct owner *at(const struct owners *owners, size_t index)
{
	return index < owners->list.len ? &owners->list.data[index] : NULL;
}

struct kmp_error *owners_compare(struct owners *after, size_t hosts_after,
				 const struct owners *before, size_t hosts_before)
{
	struct owners both cleanup(owners_deinit) = { 0 };
	size_t a = 0, b = 0;

	for (;;) {
		const struct owner *x = at(after, a), *y = at(before, b);

		if (!x && !y)
			break;
		int order = !x ? 1 : !y ? -1 : compare_owners(x, y);
		struct owner owner = order <= 0 ? *x : *y;

		a += order <= 0;
		b += order >= 0;
		owner.no_count |= !order && y->no_count;
		owner.hosts = order <= 0 ? x->hosts : 0;
		owner.bytes = order <= 0 ? mean(x->bytes, hosts_after) : 0;
		owner.count = order <= 0 ? mean(x->count, hosts_after) : 0;
		owner.hosts_before = order >= 0 ? y->hosts : 0;
		owner.bytes_before = order >= 0 ? mean(y->bytes, hosts_before) : 0;
		owner.count_before = order >= 0 ? mean(y->count, hosts_before) : 0;
		try(grow_push(&both.list, owner));
	}
	vec_deinit(&after->list);
	after->list.data = both.list.data;
	after->list.len = both.list.len;
	after->list.cap = both.list.cap;
	both.list.data = NULL;
	return NULL;
}
