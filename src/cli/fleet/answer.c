// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/answer.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/cleanup.h"
#include "cli/fleet/names.h"

enum { EXTRAS_MAX = 4, NAMED_HOSTS = 5 };

void answer_deinit(struct answer *answer)
{
	vec_deinit(&answer->list);
	vec_deinit(&answer->warnings);
}

struct kmp_error *answer_warn(struct fleet *fleet, struct answer *answer, const char *fmt, ...)
{
	auto_free char *text = NULL;
	const char *kept;
	va_list args;

	va_start(args, fmt);
	int len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0) {
		text = NULL;
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	}
	try(pool_copy(&fleet->pool, text, (size_t)len, &kept));
	return grow_push(&answer->warnings, kept);
}

struct kmp_error *answer_add_visible(struct sql *text, const char *name)
{
	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;

		if (c < 0x20 || c >= 0x7f)
			try(sql_add(text, "\\x%02x", c));
		else
			try(grow_push(&text->text, *name));
	}
	return NULL;
}

/* Names to be told. */
struct names {
	VEC(const char *) list;
};

static void names_deinit(struct names *names)
{
	vec_deinit(&names->list);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* `web1, web2, … and 7 more` */
static struct kmp_error *list_names(struct names *names, struct sql *text)
{
	size_t count = names->list.len;

	if (count)
		qsort(names->list.data, count, sizeof(*names->list.data), by_name);
	for (size_t i = 0; i < count && i < NAMED_HOSTS; i++) {
		if (i)
			try(sql_add(text, ", "));
		try(answer_add_visible(text, names->list.data[i]));
	}
	if (count > NAMED_HOSTS)
		try(sql_add(text, " and %zu more", count - NAMED_HOSTS));
	return grow_push(&text->text, '\0');
}

static struct kmp_error *tell_state(struct fleet *fleet, const struct hosts *hosts,
				    enum host_state state, const char *why, struct answer *answer)
{
	struct names names cleanup(names_deinit) = { 0 };
	struct sql text cleanup(sql_deinit) = { 0 };

	for (size_t i = 0; i < hosts->list.len; i++) {
		if (hosts->list.data[i].state == state)
			try(grow_push(&names.list, hosts->list.data[i].name));
	}
	if (!names.list.len)
		return NULL;
	try(list_names(&names, &text));
	return answer_warn(fleet, answer, "%zu host%s not counted, %s: %s", names.list.len,
			   names.list.len == 1 ? "" : "s", why, text.text.data);
}

static struct kmp_error *tell_twice(struct fleet *fleet, const struct hosts *hosts,
				    struct answer *answer)
{
	struct names names cleanup(names_deinit) = { 0 };
	struct sql text cleanup(sql_deinit) = { 0 };

	for (size_t i = 0; i < hosts->list.len; i++) {
		if (hosts->list.data[i].twice)
			try(grow_push(&names.list, hosts->list.data[i].name));
	}
	if (!names.list.len)
		return NULL;
	try(list_names(&names, &text));
	return answer_warn(fleet, answer,
			   "%zu name%s of several machines at once, of which the one heard last is "
			   "counted: %s",
			   names.list.len, names.list.len == 1 ? " is that" : "s are those",
			   text.text.data);
}

static bool all_stale(const struct hosts *hosts)
{
	for (size_t i = 0; i < hosts->list.len; i++) {
		if (hosts->list.data[i].state != HOST_STALE)
			return false;
	}
	return hosts->list.len != 0;
}

struct kmp_error *answer_tell_hosts(struct fleet *fleet, const struct hosts *hosts,
				    struct answer *answer)
{
	const struct fleet_ask *ask = fleet->ask;
	char stale[FLEET_TIME], then[FLEET_TIME];
	const char *why[HOST_STATES];
	uint64_t from = ask->now > ask->fresh ? ask->now - ask->fresh : 0;

	fleet_time(stale, from > ask->since ? from : ask->since);
	fleet_time(then, ask->since);
	try(pool_print(&fleet->pool, &why[HOST_STALE], "stale: no sample since %s", stale));
	try(pool_print(&fleet->pool, &why[HOST_REBOOTED], "started anew since %s", then));
	try(pool_print(&fleet->pool, &why[HOST_NEW], "without a sample of %s", then));
	for (int state = HOST_STALE; state < HOST_STATES; state++)
		try(tell_state(fleet, hosts, (enum host_state)state, why[state], answer));
	if (all_stale(hosts))
		try(answer_warn(fleet, answer,
				"no host is left: --fresh TIME counts older samples, --at WHEN "
				"those of then"));
	if (hosts->sides[3])
		try(answer_warn(fleet, answer, "%zu host%s not counted, of both sides",
				hosts->sides[3], hosts->sides[3] == 1 ? "" : "s"));
	try(tell_twice(fleet, hosts, answer));
	answer->groups.losses.dropped = hosts->lost;
	return NULL;
}

struct kmp_facts answer_facts(const struct fleet *fleet, const struct hosts *hosts,
			      const char *name, const char *kind)
{
	return (struct kmp_facts){ .name = name ? name : clickhouse_name(fleet->server),
				   .kind = kind,
				   .mode = "",
				   .kernel = "",
				   .time = fleet->ask->now / 1000000000,
				   .page_size = hosts->page_size };
}

static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

void answer_add(struct kmp_sums *to, const struct kmp_sums *sums)
{
	to->records = plus(to->records, sums->records);
	to->pages = plus(to->pages, sums->pages);
	to->bytes = plus(to->bytes, sums->bytes);
	to->members = plus(to->members, sums->members);
}

static const struct kmp_extra top_extras[] = { { "hosts", false },
					       { "largest", true },
					       { "largest_host", false },
					       { "fingerprint", false } },
			      grower_extras[] = { { "hosts", false },
						  { "worst", true },
						  { "worst_host", false },
						  { "fingerprint", false } },
			      compare_extras[] = { { "hosts", false },
						   { "hosts_before", false },
						   { "fingerprint", false } };

static void choose_extras(const struct fleet_ask *ask, struct kmp_groups *groups)
{
	bool stack = !ask->by->column && ask->by->kind == SCHEMA_STACK;

	groups->extras = ask->question == FLEET_COMPARE ? compare_extras
			 : ask->since			? grower_extras
							: top_extras;
	groups->extra_count = (ask->question == FLEET_COMPARE ? 2 : 3) + stack;
}

static void set_number(struct kmp_value *value, int64_t number)
{
	*value = (struct kmp_value){ .kind = KMP_VALUE_NUMBER, .number = number };
}

static void set_text(struct kmp_value *value, const char *text)
{
	*value = (struct kmp_value){ .kind = KMP_VALUE_TEXT, .text = text, .len = strlen(text) };
}

static struct kmp_error *fill_extras(struct fleet *fleet, const struct hosts *hosts,
				     const struct owner *owner, size_t count,
				     struct kmp_value *extras)
{
	const struct host *worst = hosts_find(hosts, owner->worst);
	bool compare = fleet->ask->question == FLEET_COMPARE;
	const char *text;

	set_number(&extras[0], (int64_t)owner->hosts);
	if (compare) {
		set_number(&extras[1], (int64_t)owner->hosts_before);
	} else if (worst && owner->hosts) {
		set_number(&extras[1], owner->worst_bytes);
		set_text(&extras[2], worst->name);
	}
	if (count == (compare ? 2 : 3) || !owner->id)
		return NULL;
	try(pool_print(&fleet->pool, &text, "%016" PRIx64, owner->id));
	set_text(&extras[count - 1], text);
	return NULL;
}

static struct kmp_sums sums_of(const struct fleet *fleet, const struct hosts *hosts, int64_t bytes,
			       int64_t count, uint64_t places)
{
	const struct fleet_by *by = fleet->ask->by;
	bool tags = by->kind == SCHEMA_TAG;

	return (struct kmp_sums){ .bytes = bytes,
				  .records = count,
				  .pages = tags ? 0 : bytes / (int64_t)hosts->page_size,
				  .members = tags && by->column ? (int64_t)places : 0 };
}

/* What is told by its name has it already. */
static struct kmp_error *make_group(struct fleet *fleet, const struct hosts *hosts,
				    const struct owner *owner, struct answer *answer)
{
	const struct fleet_by *by = fleet->ask->by;
	struct kmp_groups *groups = &answer->groups;
	struct kmp_value *values;
	struct kmp_group group = {
		.now = sums_of(fleet, hosts, owner->bytes, owner->count, owner->places),
		.before = sums_of(fleet, hosts, owner->bytes_before, owner->count_before,
				  owner->places),
		.ts_first = KMP_UNKNOWN,
		.ts_last = KMP_UNKNOWN,
	};

	try(pool_take(&fleet->pool, (by->key_count + EXTRAS_MAX) * sizeof(*values), &values));
	if (!by->column)
		set_number(&values[0], (int64_t)owner->id);
	else if (owner->name_len || (by->kind == SCHEMA_TAG && !strcmp(by->column, "module")))
		values[0] = (struct kmp_value){ .kind = KMP_VALUE_TEXT,
						.text = owner->name,
						.len = owner->name_len };
	group.key = values;
	group.extras = values + by->key_count;
	try(fill_extras(fleet, hosts, owner, groups->extra_count, values + by->key_count));
	groups->records_unknown |= owner->no_count;
	answer_add(&groups->total, &group.now);
	answer_add(&groups->total_before, &group.before);
	return grow_push(&answer->list, group);
}

/* Nothing on both sides is nothing to tell. */
static bool is_nothing(const struct owner *owner)
{
	return !owner->bytes && !owner->count && !owner->bytes_before && !owner->count_before;
}

struct kmp_error *answer_make(struct fleet *fleet, const struct hosts *hosts,
			      const struct owners *owners, struct answer *answer)
{
	const struct fleet_by *by = fleet->ask->by;
	struct kmp_groups *groups = &answer->groups;

	groups->unit = by->kind == SCHEMA_TAG ? KMP_UNIT_TAGS : KMP_UNIT_PAGES;
	groups->keys = by->keys;
	groups->key_count = by->key_count;
	groups->difference = fleet->ask->question != FLEET_TOP;
	groups->losses.first_reason = "";
	choose_extras(fleet->ask, groups);
	for (size_t i = 0; i < owners->list.len; i++) {
		if (!is_nothing(&owners->list.data[i]))
			try(make_group(fleet, hosts, &owners->list.data[i], answer));
	}
	groups->groups = answer->list.data;
	groups->count = answer->list.len;
	if (by->kind == SCHEMA_TAG && !by->column)
		groups->total.members = groups->total_before.members = (int64_t)groups->count;
	return kmp_groups_sort(groups, groups->difference ? "delta" : "bytes");
}

struct kmp_error *answer_name(struct fleet *fleet, size_t count, struct answer *answer)
{
	const struct fleet_by *by = fleet->ask->by;
	struct named *list;
	size_t missing;

	if (by->column)
		return NULL;
	if (count > answer->groups.count)
		count = answer->groups.count;
	try(pool_take(&fleet->pool, count * sizeof(*list), &list));
	for (size_t i = 0; i < count; i++) {
		struct kmp_group *group = &answer->groups.groups[i];

		list[i].id = (uint64_t)group->key[0].number;
		try(pool_take(&fleet->pool, by->key_count * sizeof(*list[i].key), &list[i].key));
		group->key = list[i].key;
	}
	try(names_fill(fleet, by->kind, list, count, &missing));
	if (!missing)
		return NULL;
	return answer_warn(fleet, answer, "%zu owners have no name in the table `%s`", missing,
			   schema_name(fleet_names_table(by->kind)));
}
