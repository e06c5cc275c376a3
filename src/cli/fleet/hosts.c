// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/hosts.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "cli/fleet/match.h"

/* So that a statement stays below the 256 KiB that a server takes, with two samples of each. */
enum { ASKED_MAX = 2000 };

static struct kmp_error *cut(const struct fleet *fleet)
{
	return kmp_error_new(KMP_ERROR_INPUT, "%s: the list of hosts is cut",
			     clickhouse_name(fleet->server));
}

void hosts_deinit(struct hosts *hosts)
{
	vec_deinit(&hosts->list);
}

struct kmp_error *fleet_query(const struct fleet *fleet, struct sql *sql, struct row_writer *answer)
{
	try(sql_add(sql, " FORMAT RowBinary"));
	return clickhouse_query(fleet->server, sql, answer);
}

struct kmp_error *hosts_pick_sql(const struct hosts *hosts, struct hosts_pick *pick,
				 struct sql *sql, bool *more)
{
	size_t count = 0;

	try(sql_add(sql, pick->by_session ? "session IN (" : "(session, at) IN ("));
	for (; pick->next < hosts->list.len && count < ASKED_MAX; pick->next++) {
		const struct host *host = &hosts->list.data[pick->next];

		if ((pick->good && host->state != HOST_GOOD) ||
		    (pick->side && host->side != pick->side))
			continue;
		try(sql_add(sql, count++ ? ", " : ""));
		if (pick->by_session)
			try(sql_add(sql, "%" PRIu64, host->session));
		else
			try(sql_add(sql, "(%" PRIu64 ", %" PRIu64 ")", host->session, host->now));
		if (pick->before && host->before)
			try(sql_add(sql, ", (%" PRIu64 ", %" PRIu64 ")", host->session,
				    host->before));
	}
	*more = count > 0;
	return sql_add(sql, ")");
}

static struct kmp_error *add_side(const struct fleet_ask *ask, struct sql *sql)
{
	bool compare = ask->question == FLEET_COMPARE;

	try(sql_add(sql, "toUInt8("));
	for (size_t i = 0; i < ask->label_count; i++) {
		if (i)
			try(sql_add(sql, compare ? " + 2 * " : " AND "));
		try(match_label(sql, &ask->labels[i]));
	}
	return sql_add(sql, ask->label_count ? ")" : "1)");
}

static int by_session(const void *a, const void *b)
{
	const struct host *x = a, *y = b;

	return (x->session > y->session) - (x->session < y->session);
}

const struct host *hosts_find(const struct hosts *hosts, uint64_t session)
{
	const struct host key = { .session = session };

	if (!hosts->list.len)
		return NULL;
	return bsearch(&key, hosts->list.data, hosts->list.len, sizeof(key), by_session);
}

/*
 * All boots: when each was heard last, first, and until --since. A sample that is there twice, as
 * it was not merged yet, changes none of that.
 */
static struct kmp_error *load_boots(const struct fleet *fleet, enum schema_kind kind,
				    struct hosts *boots)
{
	const struct fleet_ask *ask = fleet->ask;
	struct row_writer answer cleanup(row_deinit) = { 0 };
	struct sql sql cleanup(sql_deinit) = { 0 };

	try(sql_add(&sql, "SELECT session, max(at), min(at), maxIf(at, at <= %" PRIu64 ") FROM ",
		    ask->since));
	try(clickhouse_table(fleet->server, &sql, schema_name(SCHEMA_SAMPLES)));
	try(sql_add(&sql, " WHERE bitAnd(holds, %u) != 0",
		    kind == SCHEMA_TAG ? (unsigned)KMP_READ_TAGS : (unsigned)KMP_READ_PAGES));
	if (ask->past)
		try(sql_add(&sql, " AND at <= %" PRIu64, ask->now));
	try(sql_add(&sql, " GROUP BY session ORDER BY session"));
	try(fleet_query(fleet, &sql, &answer));
	struct row_reader reader = row_reader(answer.bytes.data, answer.bytes.len);

	while (row_more(&reader)) {
		struct host boot = { .session = row_u64(&reader) };

		boot.now = row_u64(&reader);
		boot.first = row_u64(&reader);
		boot.before = row_u64(&reader);
		try(grow_push(&boots->list, boot));
	}
	return reader.bad ? cut(fleet) : NULL;
}

static struct kmp_error *read_text(struct pool *pool, struct row_reader *from, const char **text)
{
	size_t len;
	const char *bytes = row_text(from, &len);

	return pool_copy(pool, bytes, len, text);
}

static struct kmp_error *read_details(struct fleet *fleet, struct row_reader *from,
				      struct hosts *boots)
{
	struct host unknown, key = { .session = row_u64(from) };
	struct host *boot = boots->list.len ? bsearch(&key, boots->list.data, boots->list.len,
						      sizeof(key), by_session)
					    : NULL;

	if (!boot)
		boot = &unknown;
	boot->lost = row_u64(from);
	boot->page_size = row_u32(from);
	boot->side = row_u8(from) & 3;
	try(read_text(&fleet->pool, from, &boot->name));
	return read_text(&fleet->pool, from, &boot->kernel);
}

/* What the newest sample of each boot tells of its machine; of other hosts than asked, nothing. */
static struct kmp_error *load_details(struct fleet *fleet, struct hosts *boots)
{
	struct hosts_pick pick = { 0 };

	for (;;) {
		struct row_writer answer cleanup(row_deinit) = { 0 };
		struct sql sql cleanup(sql_deinit) = { 0 };
		bool more;

		try(sql_add(&sql, "SELECT session, any(lost), any(page_size), any("));
		try(add_side(fleet->ask, &sql));
		try(sql_add(&sql, "), any(host), any(kernel) FROM "));
		try(clickhouse_table(fleet->server, &sql, schema_name(SCHEMA_SAMPLES)));
		try(sql_add(&sql, " WHERE "));
		try(match_hosts(&sql, fleet->ask));
		try(sql_add(&sql, " AND "));
		try(hosts_pick_sql(boots, &pick, &sql, &more));
		if (!more)
			return NULL;
		try(sql_add(&sql, " GROUP BY session"));
		try(fleet_query(fleet, &sql, &answer));
		struct row_reader reader = row_reader(answer.bytes.data, answer.bytes.len);

		while (row_more(&reader))
			try(read_details(fleet, &reader, boots));
		if (reader.bad)
			return cut(fleet);
	}
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* ever_before: when it was heard until --since, of whichever boot. */
static enum host_state state_of(const struct fleet_ask *ask, const struct host *host,
				uint64_t ever_before)
{
	uint64_t then = minus(ask->since, ask->fresh);

	if (host->now < minus(ask->now, ask->fresh) || host->now <= ask->since)
		return HOST_STALE;
	if (!ask->since || (host->before && host->before >= then))
		return HOST_GOOD;
	return ever_before && ever_before >= then ? HOST_REBOOTED : HOST_NEW;
}

static void count_host(struct hosts *hosts, const struct host *host)
{
	if (host->page_size && (!hosts->page_size || host->page_size < hosts->page_size))
		hosts->page_size = host->page_size;
	hosts->counts[host->state]++;
	if (host->state != HOST_GOOD)
		return;
	hosts->sides[host->side]++;
	hosts->lost += host->lost;
}

/* By name, the newest boot first. */
static int by_name(const void *a, const void *b)
{
	const struct host *x = a, *y = b;
	int result = strcmp(x->name, y->name);

	return result ? result : (x->now < y->now) - (x->now > y->now);
}

/*
 * Of the boots of each host the newest. If they are longer together than from the first to the
 * last, two were at the same time.
 */
static struct kmp_error *choose_boots(const struct fleet_ask *ask, const struct hosts *boots,
				      struct hosts *hosts)
{
	for (size_t i = 0, end; i < boots->list.len; i = end) {
		struct host host = boots->list.data[i];
		uint64_t ever_before = 0, together = 0, first = host.first;

		for (end = i; end < boots->list.len; end++) {
			const struct host *boot = &boots->list.data[end];

			if (strcmp(boot->name, host.name) != 0)
				break;
			if (boot->before > ever_before)
				ever_before = boot->before;
			if (boot->first < first)
				first = boot->first;
			together += minus(boot->now, boot->first);
		}
		if (!host.side)
			continue;
		host.state = (uint8_t)state_of(ask, &host, ever_before);
		host.twice = together > minus(host.now, first);
		count_host(hosts, &host);
		try(grow_push(&hosts->list, host));
	}
	return NULL;
}

struct kmp_error *hosts_load(struct fleet *fleet, enum schema_kind kind, struct hosts *hosts)
{
	struct hosts boots cleanup(hosts_deinit) = { 0 };
	size_t named = 0;

	try(load_boots(fleet, kind, &boots));
	try(load_details(fleet, &boots));
	for (size_t i = 0; i < boots.list.len; i++) {
		if (boots.list.data[i].name)
			boots.list.data[named++] = boots.list.data[i];
	}
	boots.list.len = named;
	if (named)
		qsort(boots.list.data, named, sizeof(struct host), by_name);
	try(choose_boots(fleet->ask, &boots, hosts));
	if (!hosts->list.len)
		return kmp_error_new(KMP_ERROR_INPUT, "%s: no such host has sent %s",
				     clickhouse_name(fleet->server),
				     kind == SCHEMA_TAG ? "tags" : "page owners");
	qsort(hosts->list.data, hosts->list.len, sizeof(struct host), by_session);
	if (!hosts->page_size)
		hosts->page_size = 4096;
	return NULL;
}
