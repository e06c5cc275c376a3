// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>

#include "base/cleanup.h"
#include "cli/fleet/match.h"
#include "cli/fleet/names.h"
#include "cli/fleet/where.h"

/* So many numbers stand in a statement beside the hosts; of more, it asks itself. */
enum { FINGERPRINT_DIGITS = 16, LISTED_MAX = 2000 };

static bool is_fingerprint(const char *text)
{
	return strlen(text) == FINGERPRINT_DIGITS &&
	       strspn(text, "0123456789abcdefABCDEF") == FINGERPRINT_DIGITS;
}

/* The colon of `FILE:LINE`, or NULL. */
static const char *line_mark(const char *text)
{
	const char *mark = strrchr(text, ':');

	if (!mark || mark == text || !mark[1] || strlen(mark) > 10 ||
	    mark[1 + strspn(mark + 1, "0123456789")])
		return NULL;
	return mark;
}

/* A condition on the table of names. */
static struct kmp_error *add_condition(const struct where *where, const char *owner,
				       struct sql *sql)
{
	const struct fleet_by *by = where->by;
	const char *mark = line_mark(owner);

	if (by->column)
		try(sql_add(sql, "%s = ", by->column));
	else if (by->kind == SCHEMA_STACK)
		return sql_add(sql, "fingerprint = %" PRIu64, (uint64_t)strtoull(owner, NULL, 16));
	else if (by->kind == SCHEMA_TASK)
		try(sql_add(sql, "comm = "));
	else
		try(sql_add(sql, "line = %s AND file = ", mark + 1));
	return sql_quote(sql, owner,
			 by->kind == SCHEMA_TAG && !by->column ? (size_t)(mark - owner)
							       : strlen(owner));
}

static struct kmp_error *check_form(const struct where *where, const char *owner)
{
	const struct fleet_by *by = where->by;

	if (!by->column && by->kind == SCHEMA_STACK && !is_fingerprint(owner))
		return kmp_error_new(KMP_ERROR_USAGE,
				     "'%.60s' is no fingerprint, of 16 hexadecimal digits, as "
				     "'kmemprof fleet top' prints them",
				     owner);
	if (!by->column && by->kind == SCHEMA_TAG && !line_mark(owner))
		return kmp_error_new(KMP_ERROR_USAGE, "'%.60s' is no tag: FILE:LINE", owner);
	return NULL;
}

static struct kmp_error *list_owners(struct fleet *fleet, struct where *where,
				     struct row_reader *ids)
{
	struct sql list cleanup(sql_deinit) = { 0 };
	const char *separator = "owner IN (";

	while (row_more(ids)) {
		try(sql_add(&list, "%s%" PRIu64, separator, row_u64(ids)));
		separator = ", ";
	}
	try(sql_add(&list, ")"));
	return pool_copy(&fleet->pool, list.text.data, list.text.len, &where->ids);
}

/* How many owners are called so, and which. */
static struct kmp_error *find_owners(struct fleet *fleet, struct where *where, uint64_t *count)
{
	enum schema_kind kind = where->by->kind;
	struct row_writer answer cleanup(row_deinit) = { 0 };
	struct sql names cleanup(sql_deinit) = { 0 };
	struct sql sql cleanup(sql_deinit) = { 0 };

	try(sql_add(&names, "SELECT DISTINCT %s FROM ", fleet_names_id(kind)));
	try(clickhouse_table(fleet->server, &names, schema_name(fleet_names_table(kind))));
	try(sql_add(&names, " WHERE "));
	try(add_condition(where, fleet->ask->owner, &names));
	try(grow_append(&sql.text, names.text.data, names.text.len));
	try(grow_push(&names.text, '\0'));
	try(fleet_query(fleet, &sql, &answer));
	struct row_reader reader = row_reader(answer.bytes.data, answer.bytes.len);

	*count = answer.bytes.len / sizeof(uint64_t);
	if (*count && *count <= LISTED_MAX)
		return list_owners(fleet, where, &reader);
	return pool_print(&fleet->pool, &where->ids, "owner GLOBAL IN (%s)", names.text.data);
}

/* What --by leaves open is told by the form of the name. */
static struct kmp_error *choose(struct fleet *fleet, struct where *where, uint64_t *count)
{
	const struct fleet_ask *ask = fleet->ask;
	const char *guess = is_fingerprint(ask->owner) ? "stack"
			    : line_mark(ask->owner)    ? "tag"
						       : "function";

	*count = 0;
	where->by = ask->by;
	if (!where->by)
		try(fleet_by_find(guess, false, &where->by));
	try(check_form(where, ask->owner));
	try(find_owners(fleet, where, count));
	if (*count || ask->by || strcmp(guess, "function") != 0)
		return NULL;
	try(fleet_by_find(guess, true, &where->by));
	return find_owners(fleet, where, count);
}

static struct kmp_error *set_text(struct pool *pool, struct kmp_value *value, const char *text,
				  size_t len)
{
	*value = (struct kmp_value){ .kind = KMP_VALUE_TEXT, .len = len };
	return pool_copy(pool, text, len, &value->text);
}

/* The host's key, and the owner's behind it. */
static struct kmp_error *set_keys(struct fleet *fleet, struct where *where)
{
	const char *owner = fleet->ask->owner, *mark = line_mark(owner);

	where->keys[0] = "host";
	where->keys[1] = where->by->keys[0];
	where->key_count = 2;
	if (where->by->column || where->by->kind == SCHEMA_TASK)
		return set_text(&fleet->pool, &where->key[1], owner, strlen(owner));
	if (where->by->kind == SCHEMA_TAG) {
		where->keys[2] = "line";
		where->key_count = 3;
		where->key[2] =
			(struct kmp_value){ .kind = KMP_VALUE_NUMBER, .number = atoi(mark + 1) };
		return set_text(&fleet->pool, &where->key[1], owner, (size_t)(mark - owner));
	}
	struct named named = { .id = strtoull(owner, NULL, 16), .key = &where->key[1] };
	size_t missing;

	return names_fill(fleet, SCHEMA_STACK, &named, 1, &missing);
}

static struct kmp_error *set_title(struct fleet *fleet, struct where *where, uint64_t count)
{
	const struct kmp_value *stack = &where->key[1];
	struct sql text cleanup(sql_deinit) = { 0 };

	try(sql_add(&text, "%s ", where->by->name));
	try(answer_add_visible(&text, fleet->ask->owner));
	if (where->by->column)
		try(sql_add(&text, ": %" PRIu64 " %s%s", count,
			    where->by->kind == SCHEMA_TAG ? "tag" : "stack",
			    count == 1 ? "" : "s"));
	for (size_t i = 0; stack->kind == KMP_VALUE_STACK && i < stack->depth; i++) {
		try(sql_add(&text, "\n            "));
		try(answer_add_visible(&text, stack->frames[i]));
	}
	return pool_copy(&fleet->pool, text.text.data, text.text.len, &where->title);
}

struct kmp_error *where_find(struct fleet *fleet, struct where *where)
{
	uint64_t count;

	*where = (struct where){ 0 };
	try(choose(fleet, where, &count));
	if (!count)
		return kmp_error_new(KMP_ERROR_INPUT, "%s: there is no %s called '%.200s'",
				     clickhouse_name(fleet->server), where->by->name,
				     fleet->ask->owner);
	try(set_keys(fleet, where));
	return set_title(fleet, where, count);
}
