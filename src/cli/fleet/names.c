// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/names.h"

#include <inttypes.h>

#include "base/cleanup.h"

/* More than so many are not asked for by number: the statement would be too long. */
enum { ASKED_MAX = 8192 };

static int by_id(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static struct kmp_error *make_sql(const struct fleet *fleet, enum schema_kind kind,
				  const struct named *list, size_t count, struct sql *sql)
{
	static const char *const columns[SCHEMA_KINDS] = {
		[SCHEMA_STACK] = "frames",
		[SCHEMA_TAG] = "file, line, module, function",
		[SCHEMA_TASK] = "comm",
	};
	const char *id = fleet_names_id(kind);

	try(sql_add(sql, "SELECT %s, %s FROM ", id, columns[kind]));
	try(clickhouse_table(fleet->server, sql, schema_name(fleet_names_table(kind))));
	for (size_t i = 0; i < count && count <= ASKED_MAX; i++) {
		try(i ? sql_add(sql, ", ") : sql_add(sql, " WHERE %s IN (", id));
		try(sql_add(sql, "%" PRIu64 "%s", list[i].id, i + 1 == count ? ")" : ""));
	}
	return sql_add(sql, " ORDER BY %s LIMIT 1 BY %s", id, id);
}

static struct kmp_error *take_text(struct pool *pool, struct row_reader *from,
				   struct kmp_value *value)
{
	const char *text = row_text(from, &value->len);

	value->kind = KMP_VALUE_TEXT;
	return pool_copy(pool, text, value->len, &value->text);
}

static struct kmp_error *take_frames(struct pool *pool, struct row_reader *from,
				     struct kmp_value *value)
{
	uint64_t depth = row_length(from);
	const char **frames;

	/* Each takes a byte at least. */
	if (from->bad || depth > (uint64_t)(from->end - from->at)) {
		from->bad = true;
		return NULL;
	}
	try(pool_take(pool, (size_t)depth * sizeof(*frames), &frames));
	for (size_t i = 0; i < depth; i++) {
		struct kmp_value frame;

		try(take_text(pool, from, &frame));
		frames[i] = frame.text;
	}
	*value = (struct kmp_value){ .kind = depth ? KMP_VALUE_STACK : KMP_VALUE_NONE,
				     .frames = frames,
				     .depth = (size_t)depth };
	return NULL;
}

static struct kmp_error *take_key(struct pool *pool, enum schema_kind kind, struct row_reader *from,
				  struct kmp_value *key)
{
	if (kind == SCHEMA_STACK)
		return take_frames(pool, from, &key[0]);
	try(take_text(pool, from, &key[0]));
	if (kind == SCHEMA_TASK)
		return NULL;
	key[1] = (struct kmp_value){ .kind = KMP_VALUE_NUMBER, .number = row_u32(from) };
	try(take_text(pool, from, &key[2]));
	return take_text(pool, from, &key[3]);
}

static struct kmp_error *read_answer(struct fleet *fleet, enum schema_kind kind,
				     struct row_reader *from, struct named *list, size_t count)
{
	struct kmp_value nobody[4];

	while (row_more(from)) {
		const struct named key = { .id = row_u64(from) };
		struct named *found = bsearch(&key, list, count, sizeof(key), by_id);

		try(take_key(&fleet->pool, kind, from, found ? found->key : nobody));
	}
	if (from->bad)
		return kmp_error_new(KMP_ERROR_INPUT, "%s: the names of owners are cut",
				     clickhouse_name(fleet->server));
	return NULL;
}

struct kmp_error *names_fill(struct fleet *fleet, enum schema_kind kind, struct named *list,
			     size_t count, size_t *missing)
{
	struct sql sql cleanup(sql_deinit) = { 0 };
	struct row_writer answer cleanup(row_deinit) = { 0 };

	*missing = 0;
	if (!count)
		return NULL;
	qsort(list, count, sizeof(*list), by_id);
	try(make_sql(fleet, kind, list, count, &sql));
	try(fleet_query(fleet, &sql, &answer));
	struct row_reader reader = row_reader(answer.bytes.data, answer.bytes.len);

	try(read_answer(fleet, kind, &reader, list, count));
	/* 0 is what was not told of whom it is. */
	for (size_t i = 0; i < count; i++)
		*missing += list[i].id && list[i].key[0].kind == KMP_VALUE_NONE;
	return NULL;
}
