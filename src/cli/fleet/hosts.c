// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/hosts.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "cli/fleet/match.h"

void hosts_deinit(struct hosts *hosts)
{
	vec_deinit(&hosts->list);
}

struct kmp_error *fleet_query(struct fleet *fleet, struct sql *sql, struct row_writer *answer)
{
	/* What is asked of each shard looks at the samples of all. */
	if (fleet->distributed)
		try(sql_add(sql, " SETTINGS distributed_product_mode = 'global'"));
	try(sql_add(sql, " FORMAT RowBinary"));
	return clickhouse_query(fleet->server, sql, answer);
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

/*
 * Of each boot: when it was heard last, first, and until --since. A sample that is there twice, as
 * it was not merged yet, changes none of that.
 */
static struct kmp_error *add_boots(const struct fleet *fleet, enum schema_kind kind,
				   struct sql *sql)
{
	const struct fleet_ask *ask = fleet->ask;

	try(sql_add(sql,
		    "(SELECT session AS boot_session, any(host) AS boot_host, max(at) AS boot_now, "
		    "min(at) AS boot_first, maxIf(at, at <= %" PRIu64 ") AS boot_before, "
		    "argMax(lost, at) AS boot_lost, any(page_size) AS boot_page_size, "
		    "any(kernel) AS boot_kernel, argMax(",
		    ask->since));
	try(add_side(ask, sql));
	try(sql_add(sql, ", at) AS boot_side FROM "));
	try(clickhouse_table(fleet->server, sql, schema_name(SCHEMA_SAMPLES)));
	try(sql_add(sql, " WHERE bitAnd(holds, %u) != 0 AND ",
		    kind == SCHEMA_TAG ? (unsigned)KMP_READ_TAGS : (unsigned)KMP_READ_PAGES));
	try(match_hosts(sql, ask));
	if (ask->past)
		try(sql_add(sql, " AND at <= %" PRIu64, ask->now));
	return sql_add(sql, " GROUP BY session)");
}

/* If its boots are longer together than from the first to the last, two were at the same time. */
static const char host_columns[] =
	"boot_host AS host, argMax(boot_session, boot_now) AS host_session, "
	"max(boot_now) AS host_now, argMax(boot_before, boot_now) AS host_before, "
	"max(boot_before) AS ever_before, argMax(boot_lost, boot_now) AS host_lost, "
	"argMax(boot_page_size, boot_now) AS host_page_size, "
	"argMax(boot_kernel, boot_now) AS host_kernel, argMax(boot_side, boot_now) AS host_side, "
	"sum(boot_now - boot_first) > max(boot_now) - min(boot_first) AS host_twice";

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static struct kmp_error *add_state(const struct fleet_ask *ask, struct sql *sql)
{
	uint64_t stale = minus(ask->now, ask->fresh), then = minus(ask->since, ask->fresh);

	if (!ask->since)
		return sql_add(sql, "toUInt8(host_now < %" PRIu64 " ? %d : %d)", stale, HOST_STALE,
			       HOST_GOOD);
	return sql_add(sql,
		       "toUInt8(multiIf(host_now < %" PRIu64 " OR host_now <= %" PRIu64
		       ", %d, host_before > 0 AND host_before >= %" PRIu64
		       ", %d, ever_before > 0 AND ever_before >= %" PRIu64 ", %d, %d))",
		       stale, ask->since, HOST_STALE, then, HOST_GOOD, then, HOST_REBOOTED,
		       HOST_NEW);
}

struct kmp_error *hosts_sql(const struct fleet *fleet, enum schema_kind kind, struct sql *sql)
{
	try(sql_add(sql,
		    "(SELECT host_session AS session, host_now AS now, host_before AS before, "
		    "host_lost AS lost, host_page_size AS page_size, "));
	try(add_state(fleet->ask, sql));
	try(sql_add(sql,
		    " AS state, host_side AS side, toUInt8(host_twice) AS twice, host, "
		    "host_kernel AS kernel FROM (SELECT %s FROM ",
		    host_columns));
	try(add_boots(fleet, kind, sql));
	return sql_add(sql, " GROUP BY boot_host) WHERE host_side != 0)");
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

static struct kmp_error *read_text(struct pool *pool, struct row_reader *from, const char **text)
{
	size_t len;
	const char *bytes = row_text(from, &len);

	return pool_copy(pool, bytes, len, text);
}

static struct kmp_error *read_host(struct pool *pool, struct row_reader *from, struct hosts *hosts)
{
	struct host host = { .session = row_u64(from), .now = row_u64(from) };

	host.before = row_u64(from);
	host.lost = row_u64(from);
	host.page_size = row_u32(from);
	host.state = row_u8(from);
	host.side = row_u8(from) & 3;
	host.twice = row_u8(from);
	try(read_text(pool, from, &host.name));
	try(read_text(pool, from, &host.kernel));
	if (from->bad || host.state >= HOST_STATES)
		return kmp_error_new(KMP_ERROR_INPUT, "the server's answer is no list of hosts");
	if (host.page_size && (!hosts->page_size || host.page_size < hosts->page_size))
		hosts->page_size = host.page_size;
	hosts->counts[host.state]++;
	if (host.state == HOST_GOOD) {
		hosts->sides[host.side]++;
		hosts->lost += host.lost;
	}
	return grow_push(&hosts->list, host);
}

struct kmp_error *hosts_load(struct fleet *fleet, enum schema_kind kind, struct hosts *hosts)
{
	struct sql sql cleanup(sql_deinit) = { 0 };
	struct row_writer answer cleanup(row_deinit) = { 0 };

	try(sql_add(&sql,
		    "SELECT session, now, before, lost, page_size, state, side, twice, host, "
		    "kernel FROM "));
	try(hosts_sql(fleet, kind, &sql));
	try(fleet_query(fleet, &sql, &answer));
	struct row_reader reader = row_reader(answer.bytes.data, answer.bytes.len);

	while (row_more(&reader))
		try(read_host(&fleet->pool, &reader, hosts));
	if (!hosts->list.len)
		return kmp_error_new(KMP_ERROR_INPUT, "%s: no such host has sent %s",
				     clickhouse_name(fleet->server),
				     kind == SCHEMA_TAG ? "tags" : "page owners");
	qsort(hosts->list.data, hosts->list.len, sizeof(struct host), by_session);
	if (!hosts->page_size)
		hosts->page_size = 4096;
	return NULL;
}
