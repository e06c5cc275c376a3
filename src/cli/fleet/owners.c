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
static struct kmp_error *add_figures(const struct fleet *fleet, const char *samples,
				     struct sql *sql)
{
	const struct fleet_ask *ask = fleet->ask;
	uint64_t since = ask->since;

	try(sql_add(sql,
		    "(SELECT session, owner, anyIf(bytes, at > %" PRIu64 ") AS b, "
		    "anyIf(count, at > %" PRIu64 ") AS c, anyIf(bytes, at <= %" PRIu64 ") AS ob, "
		    "anyIf(count, at <= %" PRIu64 ") AS oc FROM ",
		    since, since, since, since));
	try(clickhouse_table(fleet->server, sql, schema_name(SCHEMA_FIGURES_BY_HOST)));
	return sql_add(sql, " WHERE kind = %d AND %s GROUP BY session, owner)", ask->by->kind,
		       samples);
}

/* The same, with what the owners are called in place of them. */
static struct kmp_error *add_named(const struct fleet *fleet, const char *samples, struct sql *sql)
{
	enum schema_kind kind = fleet->ask->by->kind;
	const char *id = fleet_names_id(kind);

	try(sql_add(sql,
		    "(SELECT session, name AS k, sum(b) AS hb, sum(c) AS hc, sum(ob) AS hob, "
		    "sum(oc) AS hoc, toUInt64(count()) AS places FROM "));
	try(add_figures(fleet, samples, sql));
	try(sql_add(sql, " AS held ANY LEFT JOIN (SELECT %s AS owner, any(%s) AS name FROM ", id,
		    fleet->ask->by->column));
	try(clickhouse_table(fleet->server, sql, schema_name(fleet_names_table(kind))));
	return sql_add(sql, " GROUP BY %s) AS called USING owner GROUP BY session, name)", id);
}

static struct kmp_error *make_sql(const struct fleet *fleet, const char *samples, struct sql *sql)
{
	bool grows = fleet->ask->since != 0;

	try(sql_add(sql,
		    "SELECT k, toUInt64(countIf(%s)), toUInt64(countIf(hob != 0)), sum(hb), "
		    "sum(hc), sum(hob), sum(hoc), argMax(session, %s), max(%s), max(places), "
		    "toUInt8(max(hb != 0 AND hc = 0 OR hob != 0 AND hoc = 0)) FROM ",
		    grows ? "hb > hob" : "hb != 0", grows ? "hb - hob" : "hb",
		    grows ? "hb - hob" : "hb"));
	if (fleet->ask->by->column) {
		try(add_named(fleet, samples, sql));
	} else {
		try(sql_add(sql,
			    "(SELECT session, owner AS k, b AS hb, c AS hc, ob AS hob, "
			    "oc AS hoc, toUInt64(1) AS places FROM "));
		try(add_figures(fleet, samples, sql));
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
	/* Of tags, 0 calls are what the kernel told. */
	owner.no_count = row_u8(from) && fleet->ask->by->kind != SCHEMA_TAG;
	if (from->bad)
		return kmp_error_new(KMP_ERROR_INPUT, "%s: the answer is cut",
				     clickhouse_name(fleet->server));
	return grow_push(&owners->list, owner);
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

static const struct owner *at(const struct owners *owners, size_t index)
{
	return index < owners->list.len ? &owners->list.data[index] : NULL;
}

/* Two lists into the first; join() makes one of a pair, of which either can be NULL. */
static struct kmp_error *merge(struct owners *first, const struct owners *second,
			       struct owner (*join)(const struct owner *x, const struct owner *y,
						    const size_t *arg),
			       const size_t *arg)
{
	struct owners both cleanup(owners_deinit) = { 0 };
	size_t a = 0, b = 0;

	for (;;) {
		const struct owner *x = at(first, a), *y = at(second, b);

		if (!x && !y)
			break;
		int order = !x ? 1 : !y ? -1 : compare_owners(x, y);

		a += order <= 0;
		b += order >= 0;
		try(grow_push(&both.list, join(order <= 0 ? x : NULL, order >= 0 ? y : NULL, arg)));
	}
	vec_deinit(&first->list);
	first->list.data = both.list.data;
	first->list.len = both.list.len;
	first->list.cap = both.list.cap;
	both.list.data = NULL;
	return NULL;
}

static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

/* Of other hosts each. */
static struct owner join_hosts(const struct owner *x, const struct owner *y, const size_t *arg)
{
	if (!x || !y)
		return x ? *x : *y;
	struct owner owner = x->worst_bytes >= y->worst_bytes ? *x : *y;

	owner.hosts = x->hosts + y->hosts;
	owner.hosts_before = x->hosts_before + y->hosts_before;
	owner.bytes = plus(x->bytes, y->bytes);
	owner.count = plus(x->count, y->count);
	owner.bytes_before = plus(x->bytes_before, y->bytes_before);
	owner.count_before = plus(x->count_before, y->count_before);
	owner.no_count = x->no_count || y->no_count;
	owner.places = x->places > y->places ? x->places : y->places;
	return owner;
}

static struct kmp_error *load_part(struct fleet *fleet, const char *samples, struct owners *owners)
{
	struct sql sql cleanup(sql_deinit) = { 0 };
	struct row_writer answer cleanup(row_deinit) = { 0 };

	try(make_sql(fleet, samples, &sql));
	try(fleet_query(fleet, &sql, &answer));
	struct row_reader reader = row_reader(answer.bytes.data, answer.bytes.len);

	while (row_more(&reader))
		try(read_owner(fleet, &reader, owners));
	return NULL;
}

struct kmp_error *owners_load(struct fleet *fleet, const struct hosts *hosts, int side,
			      struct owners *owners)
{
	struct hosts_pick pick = { .good = true, .side = side, .before = fleet->ask->since != 0 };

	for (;;) {
		struct owners part cleanup(owners_deinit) = { 0 };
		struct sql samples cleanup(sql_deinit) = { 0 };
		bool more;

		try(hosts_pick_sql(hosts, &pick, &samples, &more));
		if (!more)
			return NULL;
		try(grow_push(&samples.text, '\0'));
		try(load_part(fleet, samples.text.data, &part));
		try(merge(owners, &part, join_hosts, NULL));
	}
}

static int64_t mean(int64_t sum, size_t hosts)
{
	return hosts ? llroundl((long double)sum / (long double)hosts) : 0;
}

/* x of the second side, y of the first; hosts: how many each side has. */
static struct owner join_sides(const struct owner *x, const struct owner *y, const size_t *hosts)
{
	struct owner owner = x ? *x : *y;

	owner.no_count = (x && x->no_count) || (y && y->no_count);
	owner.hosts = x ? x->hosts : 0;
	owner.bytes = x ? mean(x->bytes, hosts[0]) : 0;
	owner.count = x ? mean(x->count, hosts[0]) : 0;
	owner.hosts_before = y ? y->hosts : 0;
	owner.bytes_before = y ? mean(y->bytes, hosts[1]) : 0;
	owner.count_before = y ? mean(y->count, hosts[1]) : 0;
	return owner;
}

struct kmp_error *owners_compare(struct owners *after, size_t hosts_after,
				 const struct owners *before, size_t hosts_before)
{
	const size_t hosts[] = { hosts_after, hosts_before };

	return merge(after, before, join_sides, hosts);
}
