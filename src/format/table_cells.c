// SPDX-License-Identifier: GPL-2.0-only
#include "format/table_cells.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "format/views.h"

static struct kmp_error *add_column(struct columns *columns, enum cell_kind kind, size_t key,
				    const char *title)
{
	struct column column = { .kind = kind, .key = key };

	for (size_t i = 0; title[i] && i < sizeof(column.title) - 1; i++)
		column.title[i] = (char)toupper((unsigned char)title[i]);
	column.width = strlen(column.title);
	return vec_push(columns, column);
}

static const struct choice {
	enum cell_kind kind;
	const char *title;
} page_columns[] = { { CELL_BYTES, "bytes" },
		     { CELL_PAGES, "pages" },
		     { CELL_SHARE, "share" },
		     { CELL_RECORDS, "records" },
		     { 0, NULL } },
  location_columns[] = { { CELL_BYTES, "bytes" },
			 { CELL_RECORDS, "calls" },
			 { CELL_AVERAGE, "avg" },
			 { 0, NULL } },
  tag_columns[] = { { CELL_BYTES, "bytes" }, { CELL_SHARE, "share" },	 { CELL_RECORDS, "calls" },
		    { CELL_AVERAGE, "avg" }, { CELL_MEMBERS, "places" }, { 0, NULL } },
  object_columns[] = { { CELL_BYTES, "bytes" },
		       { CELL_SHARE, "share" },
		       { CELL_RECORDS, "calls" },
		       { CELL_AVERAGE, "avg" },
		       { 0, NULL } },
  page_diff_columns[] = { { CELL_DELTA, "delta" },	     { CELL_NOW, "now" },
			  { CELL_BEFORE, "before" },	     { CELL_DELTA_PAGES, "pages" },
			  { CELL_DELTA_RECORDS, "records" }, { 0, NULL } },
  tag_diff_columns[] = { { CELL_DELTA, "delta" },
			 { CELL_NOW, "now" },
			 { CELL_BEFORE, "before" },
			 { CELL_DELTA_RECORDS, "calls" },
			 { 0, NULL } };

static const struct choice *choose(const struct kmp_groups *groups)
{
	if (groups->unit == KMP_UNIT_PAGES)
		return groups->difference ? page_diff_columns : page_columns;
	if (groups->difference)
		return tag_diff_columns;
	if (groups->unit == KMP_UNIT_OBJECTS)
		return object_columns;
	return kmp_groups_are_locations(groups) ? location_columns : tag_columns;
}

/* An extra is a text if any group has one there. */
static bool extra_is_text(const struct kmp_groups *groups, size_t extra)
{
	for (size_t i = 0; i < groups->count; i++) {
		if (groups->groups[i].extras[extra].kind == KMP_VALUE_TEXT)
			return true;
	}
	return false;
}

static struct kmp_error *add_extras(struct columns *columns, const struct kmp_groups *groups,
				    bool texts)
{
	for (size_t i = 0; i < groups->extra_count; i++) {
		if (extra_is_text(groups, i) == texts)
			try(add_column(columns, texts ? CELL_EXTRA_TEXT : CELL_EXTRA, i,
				       groups->extras[i].name));
	}
	return NULL;
}

static struct kmp_error *add_keys(struct columns *columns, const struct kmp_groups *groups)
{
	if (kmp_groups_are_locations(groups))
		return add_column(columns, CELL_LOCATION, 0, "location");
	for (size_t i = 0; i < groups->key_count; i++) {
		/* A stack stands beneath its row. */
		if (strcmp(groups->keys[i], "stack") != 0)
			try(add_column(columns, CELL_KEY, i, groups->keys[i]));
	}
	return NULL;
}

struct kmp_error *kmp_columns_choose(struct columns *columns, const struct kmp_groups *groups)
{
	for (const struct choice *choice = choose(groups); choice->title; choice++)
		try(add_column(columns, choice->kind, 0, choice->title));
	try(add_extras(columns, groups, false));
	try(add_extras(columns, groups, true));
	return add_keys(columns, groups);
}

static struct kmp_error *size_cell(struct kmp_buf *buf, int64_t bytes, bool exact, bool sign)
{
	char text[KMP_SIZE_TEXT];

	kmp_size_print(text, bytes, exact, sign);
	return vec_append(buf, text, strlen(text));
}

static struct kmp_error *change_cell(struct kmp_buf *buf, const struct kmp_group *group,
				     int64_t now, int64_t before)
{
	int64_t delta = kmp_minus(now, before);

	if (group->unknown)
		return kmp_buf_printf(buf, "?");
	return kmp_buf_printf(buf, "%s%" PRId64, delta > 0 ? "+" : "", delta);
}

static struct kmp_error *side_cell(struct kmp_buf *buf, const struct kmp_group *group,
				   const struct kmp_sums *sums, bool exact)
{
	if (group->unknown && kmp_sums_empty(sums))
		return kmp_buf_printf(buf, "?");
	return size_cell(buf, sums->bytes, exact, false);
}

static struct kmp_error *delta_cell(struct kmp_buf *buf, const struct kmp_group *group, bool exact)
{
	if (group->unknown)
		return kmp_buf_printf(buf, "?");
	return size_cell(buf, kmp_minus(group->now.bytes, group->before.bytes), exact, true);
}

static struct kmp_error *share_cell(struct kmp_buf *buf, const struct kmp_groups *groups,
				    const struct kmp_group *group)
{
	double total = (double)groups->total.bytes;

	if (total <= 0)
		return kmp_buf_printf(buf, "-");
	return kmp_buf_printf(buf, "%.1f %%", (double)group->now.bytes * 100 / total);
}

static struct kmp_error *records_cell(struct kmp_buf *buf, const struct kmp_groups *groups,
				      const struct kmp_group *group)
{
	if (groups->records_unknown)
		return kmp_buf_printf(buf, "-");
	return kmp_buf_printf(buf, "%" PRId64, group->now.records);
}

static struct kmp_error *average_cell(struct kmp_buf *buf, const struct kmp_sums *sums, bool exact)
{
	if (sums->records <= 0 || sums->bytes < 0)
		return kmp_buf_printf(buf, "-");
	return size_cell(buf, sums->bytes / sums->records, exact, false);
}

static struct kmp_error *key_cell(struct kmp_buf *buf, const char *key,
				  const struct kmp_value *value)
{
	switch (value->kind) {
	case KMP_VALUE_NUMBER:
		return kmp_buf_printf(buf, "%" PRId64, value->number);
	case KMP_VALUE_TEXT:
		if (!value->len)
			return kmp_buf_printf(buf, "%s",
					      strcmp(key, "module") == 0 ? "(built-in)" : "\"\"");
		return kmp_visible_append(buf, value->text, value->len);
	default:
		return kmp_buf_printf(buf, "-");
	}
}

static struct kmp_error *location_cell(struct kmp_buf *buf, const struct kmp_group *group)
{
	const struct kmp_value *module = &group->key[2];

	try(key_cell(buf, "file", &group->key[0]));
	if (group->key[1].kind == KMP_VALUE_NUMBER && group->key[1].number)
		try(kmp_buf_printf(buf, ":%" PRId64, group->key[1].number));
	if (module->kind == KMP_VALUE_TEXT && module->len) {
		try(kmp_buf_printf(buf, " ["));
		try(kmp_visible_append(buf, module->text, module->len));
		try(kmp_buf_printf(buf, "]"));
	}
	try(kmp_buf_printf(buf, " "));
	return key_cell(buf, "function", &group->key[3]);
}

static struct kmp_error *extra_cell(struct kmp_buf *buf, const struct kmp_extra *extra,
				    const struct kmp_value *value, bool exact)
{
	if (value && value->kind == KMP_VALUE_NUMBER && extra->size)
		return size_cell(buf, value->number, exact, false);
	return value ? key_cell(buf, extra->name, value) : NULL;
}

struct kmp_error *kmp_cell_print(struct kmp_buf *buf, const struct column *column,
				 const struct kmp_groups *groups, const struct kmp_group *group,
				 bool exact)
{
	const struct kmp_sums *now = &group->now, *before = &group->before;

	buf->len = 0;
	switch (column->kind) {
	case CELL_BYTES:
		if (group->approximate)
			try(kmp_buf_printf(buf, "~"));
		return size_cell(buf, now->bytes, exact, false);
	case CELL_PAGES:
		return kmp_buf_printf(buf, "%" PRId64, now->pages);
	case CELL_SHARE:
		return share_cell(buf, groups, group);
	case CELL_RECORDS:
		return records_cell(buf, groups, group);
	case CELL_AVERAGE:
		return average_cell(buf, now, exact);
	case CELL_MEMBERS:
		return kmp_buf_printf(buf, "%" PRId64, now->members);
	case CELL_DELTA:
		return delta_cell(buf, group, exact);
	case CELL_NOW:
		return side_cell(buf, group, now, exact);
	case CELL_BEFORE:
		return side_cell(buf, group, before, exact);
	case CELL_DELTA_PAGES:
		return change_cell(buf, group, now->pages, before->pages);
	case CELL_DELTA_RECORDS:
		if (groups->records_unknown)
			return kmp_buf_printf(buf, "-");
		return change_cell(buf, group, now->records, before->records);
	case CELL_EXTRA:
	case CELL_EXTRA_TEXT:
		return extra_cell(buf, &groups->extras[column->key],
				  group->extras ? &group->extras[column->key] : NULL, exact);
	case CELL_LOCATION:
		return location_cell(buf, group);
	case CELL_KEY:
		return key_cell(buf, groups->keys[column->key], &group->key[column->key]);
	}
	return NULL;
}

const char *kmp_groups_noun(const struct kmp_groups *groups, bool one)
{
	static const char *const nouns[][3] = {
		{ "stack", "stack", "stacks" },
		{ "comm", "task name", "task names" },
		{ "file", "file", "files" },
		{ "module", "module", "modules" },
		{ "function", "function", "functions" },
		{ "directory", "directory", "directories" },
		{ "pid", "pid", "pids" },
		{ "memcg", "memcg", "memcgs" },
		{ "host", "host", "hosts" },
	};

	if (kmp_groups_are_locations(groups))
		return one ? "location" : "locations";
	for (size_t i = 0; groups->key_count == 1 && i < sizeof(nouns) / sizeof(nouns[0]); i++) {
		if (strcmp(groups->keys[0], nouns[i][0]) == 0)
			return nouns[i][one ? 1 : 2];
	}
	return one ? "group" : "groups";
}
