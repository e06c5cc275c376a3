// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/where.h"

#include <inttypes.h>

#include "base/cleanup.h"

/* What a host has. */
struct amount {
	int64_t bytes, count, bytes_before, count_before;
	uint64_t since; /* when it began to grow, 0: it does not */
};

static struct kmp_error *cut(const struct fleet *fleet)
{
	return kmp_error_new(KMP_ERROR_INPUT, "%s: the answer is cut",
			     clickhouse_name(fleet->server));
}

/* `kind = … AND owner IN (…)` of the table by owner. */
static struct kmp_error *add_rows(const struct fleet *fleet, const struct where *where,
				  struct sql *sql)
{
	try(sql_add(sql, "(SELECT session, at, owner, any(bytes) AS b, any(count) AS c FROM "));
	try(clickhouse_table(fleet->server, sql, schema_name(SCHEMA_FIGURES)));
	return sql_add(sql, " WHERE kind = %d AND %s AND ", where->by->kind, where->ids);
}

static void take_amount(const struct hosts *hosts, struct row_reader *from, struct amount *amounts)
{
	const struct host *host = hosts_find(hosts, row_u64(from));
	uint64_t at = row_u64(from);
	int64_t bytes = row_i64(from), count = row_i64(from);

	if (!host)
		return;
	struct amount *amount = &amounts[host - hosts->list.data];

	if (at == host->now) {
		amount->bytes = bytes;
		amount->count = count;
	} else if (at == host->before) {
		amount->bytes_before = bytes;
		amount->count_before = count;
	}
}

/*
 * Growth began after the last sample that had no more than a tenth of it above the least. Where it
 * was not there at first, the least is 0, and it began with the first sample that has it at the
 * latest.
 */
static void take_beginning(const struct hosts *hosts, struct row_reader *from,
			   struct amount *amounts)
{
	const struct host *host = hosts_find(hosts, row_u64(from));
	uint64_t above = row_u64(from), from_none = row_u64(from), first = row_u64(from);

	/* ClickHouse 18 knows no column that lambdas alone look at: the limits are told. */
	row_i64(from);
	row_i64(from);
	if (!host)
		return;
	struct amount *amount = &amounts[host - hosts->list.data];

	if (amount->bytes > amount->bytes_before)
		amount->since = amount->bytes_before ? above : from_none ? from_none : first;
}

/* A question whose answer has a row for a host, or two. */
struct question {
	const char *begin;
	const char *end;
	struct hosts_pick pick;
	bool of_time; /* of all samples since then */
	void (*take)(const struct hosts *hosts, struct row_reader *from, struct amount *amounts);
};

static const struct question questions[] = {
	{ .begin = "SELECT session, at, sum(b), sum(c) FROM ",
	  .end = " GROUP BY session, at, owner) GROUP BY session, at",
	  .pick = { .before = true },
	  .take = take_amount },
	{ .begin = "SELECT session, arrayReduce('max', arrayFilter((w, y) -> y <= little, times, "
		   "amounts)), arrayReduce('max', arrayFilter((w, y) -> y <= tenth, times, "
		   "amounts)), first, little, tenth FROM (SELECT session, groupArray(at) AS times, "
		   "groupArray(v) AS amounts, min(v) + intDiv(argMax(v, at) - min(v), 10) AS "
		   "little, intDiv(argMax(v, at), 10) AS tenth, min(at) AS first FROM (SELECT "
		   "session, at, sum(b) AS v FROM ",
	  .end = " GROUP BY session, at, owner) GROUP BY session, at) GROUP BY session)",
	  .pick = { .good = true, .by_session = true },
	  .of_time = true,
	  .take = take_beginning },
};

static struct kmp_error *ask_part(struct fleet *fleet, const struct where *where,
				  const struct hosts *hosts, const struct question *question,
				  const struct sql *picked, struct amount *amounts)
{
	const struct fleet_ask *ask = fleet->ask;
	struct row_writer answer cleanup(row_deinit) = { 0 };
	struct sql sql cleanup(sql_deinit) = { 0 };

	try(sql_add(&sql, "%s", question->begin));
	try(add_rows(fleet, where, &sql));
	if (question->of_time)
		try(sql_add(&sql, "at >= %" PRIu64 " AND at <= %" PRIu64 " AND ",
			    ask->since > ask->fresh ? ask->since - ask->fresh : 0,
			    ask->past ? ask->now : (uint64_t)INT64_MAX));
	try(grow_append(&sql.text, picked->text.data, picked->text.len));
	try(sql_add(&sql, "%s", question->end));
	try(fleet_query(fleet, &sql, &answer));
	struct row_reader reader = row_reader(answer.bytes.data, answer.bytes.len);

	while (row_more(&reader))
		question->take(hosts, &reader, amounts);
	return reader.bad ? cut(fleet) : NULL;
}

static struct kmp_error *ask_all(struct fleet *fleet, const struct where *where,
				 const struct hosts *hosts, const struct question *question,
				 struct amount *amounts)
{
	struct hosts_pick pick = question->pick;

	for (;;) {
		struct sql picked cleanup(sql_deinit) = { 0 };
		bool more;

		try(hosts_pick_sql(hosts, &pick, &picked, &more));
		if (!more)
			return NULL;
		try(ask_part(fleet, where, hosts, question, &picked, amounts));
	}
}

static const char *const state_notes[HOST_STATES] = {
	[HOST_STALE] = "stale: of ",
	[HOST_REBOOTED] = "started anew since",
	[HOST_NEW] = "no sample then",
};

static struct kmp_error *add_note(struct fleet *fleet, const struct host *host,
				  struct kmp_group *group)
{
	char time[FLEET_TIME] = "";

	if (host->state == HOST_GOOD)
		return NULL;
	if (host->state == HOST_STALE)
		fleet_time(time, host->now);
	group->unknown = true;
	return pool_print(&fleet->pool, &group->note, "%s%s", state_notes[host->state], time);
}

static void set_text(struct kmp_value *value, const char *text)
{
	*value = (struct kmp_value){ .kind = KMP_VALUE_TEXT, .text = text, .len = strlen(text) };
}

static struct kmp_error *make_group(struct fleet *fleet, const struct where *where,
				    const struct hosts *hosts, size_t index,
				    const struct amount *amount, struct answer *answer)
{
	const struct host *host = &hosts->list.data[index];
	int64_t page = where->by->kind == SCHEMA_TAG ? INT64_MAX : (int64_t)host->page_size;
	struct kmp_group group = { .ts_first = KMP_UNKNOWN, .ts_last = KMP_UNKNOWN };
	struct kmp_value *values;
	const char *text;
	char since[FLEET_TIME];

	group.now = (struct kmp_sums){ .bytes = amount->bytes, .records = amount->count };
	group.before =
		(struct kmp_sums){ .bytes = amount->bytes_before, .records = amount->count_before };
	answer->groups.records_unknown |=
		where->by->kind != SCHEMA_TAG && ((amount->bytes && !amount->count) ||
						  (amount->bytes_before && !amount->count_before));
	group.now.pages = amount->bytes / (page ? page : 4096);
	group.before.pages = amount->bytes_before / (page ? page : 4096);
	try(pool_take(&fleet->pool, (where->key_count + 2) * sizeof(*values), &values));
	for (size_t i = 1; i < where->key_count; i++)
		values[i] = where->key[i];
	group.key = values;
	group.extras = values + where->key_count;
	set_text(&values[0], host->name);
	set_text(&values[where->key_count], host->kernel);
	if (amount->since) {
		try(pool_print(&fleet->pool, &text, "%s", fleet_time(since, amount->since)));
		set_text(&values[where->key_count + 1], text);
	}
	try(add_note(fleet, host, &group));
	/* What is not comparable would look like growth in the sums. */
	if (!group.unknown) {
		answer_add(&answer->groups.total, &group.now);
		answer_add(&answer->groups.total_before, &group.before);
	}
	return grow_push(&answer->list, group);
}

struct kmp_error *where_answer(struct fleet *fleet, const struct where *where,
			       const struct hosts *hosts, struct answer *answer)
{
	static const struct kmp_extra extras[] = { { "kernel", false }, { "since", false } };
	struct amount *amounts;
	struct kmp_groups *groups = &answer->groups;

	try(pool_take(&fleet->pool, hosts->list.len * sizeof(*amounts), &amounts));
	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++)
		try(ask_all(fleet, where, hosts, &questions[i], amounts));
	groups->unit = where->by->kind == SCHEMA_TAG ? KMP_UNIT_TAGS : KMP_UNIT_PAGES;
	groups->difference = true;
	groups->keys = where->keys;
	groups->key_count = where->key_count;
	groups->extras = extras;
	groups->extra_count = sizeof(extras) / sizeof(*extras);
	groups->losses.first_reason = "";
	for (size_t i = 0; i < hosts->list.len; i++) {
		const struct amount *amount = &amounts[i];

		if (amount->bytes || amount->bytes_before || amount->count || amount->count_before)
			try(make_group(fleet, where, hosts, i, amount, answer));
	}
	groups->groups = answer->list.data;
	groups->count = answer->list.len;
	return kmp_groups_sort(groups, "delta");
}
