// SPDX-License-Identifier: GPL-2.0-only
#include "cli/watch/watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

struct watch_table *watch_table_of(struct watch *watch)
{
	return &watch->tables[watch->tab];
}

void watch_deinit(struct watch *watch)
{
	for (size_t i = 0; i < WATCH_TABS; i++)
		watch_table_deinit(&watch->tables[i]);
	watch_feed_close(&watch->feed);
}

void watch_tell(struct watch *watch, struct kmp_error *err)
{
	watch->message[0] = '\0';
	watch->alarm = err != NULL;
	if (!err)
		return;
	auto_free char *text = kmp_error_format(err);

	/* Of several lines (an expression, and a caret below) the first says what is wrong. */
	snprintf(watch->message, sizeof(watch->message), "%.*s",
		 text ? (int)strcspn(text, "\n") : 0, text ? text : "");
	kmp_error_destroy(err);
}

size_t watch_lines(const struct watch_table *table, size_t shown)
{
	const struct watch_row *row = &table->rows[table->shown[shown]];

	return 1 + (row->open ? row->lines : 0);
}

size_t watch_line_of(const struct watch_table *table, size_t shown)
{
	size_t line = 0;

	for (size_t i = 0; i < shown; i++)
		line += watch_lines(table, i);
	return line;
}

/* The row of the cursor, or as much of it as there is room for, is on the screen. */
static void scroll(struct watch *watch)
{
	const struct watch_table *table = watch_table_of(watch);
	size_t line, lines, all;

	if (!table->shown_count || !watch->page) {
		watch->top = 0;
		return;
	}
	line = watch_line_of(table, watch->cursor);
	lines = watch_lines(table, watch->cursor);
	all = watch_line_of(table, table->shown_count);
	if (lines > watch->page)
		lines = watch->page;
	if (watch->top + watch->page < line + lines)
		watch->top = line + lines - watch->page;
	if (watch->top > line)
		watch->top = line;
	if (all > watch->page && watch->top > all - watch->page)
		watch->top = all - watch->page;
	if (all <= watch->page)
		watch->top = 0;
}

static void remember(struct watch *watch)
{
	const struct watch_table *table = watch_table_of(watch);

	if (watch->cursor < table->shown_count)
		memcpy(watch->cursor_hash, table->rows[table->shown[watch->cursor]].hash,
		       sizeof(watch->cursor_hash));
}

/* The cursor follows its row, but at the top it stays at the top. */
void watch_arrange(struct watch *watch)
{
	struct watch_table *table = watch_table_of(watch);
	struct kmp_error *err = watch_table_arrange(table);

	if (err) {
		watch_tell(watch, err);
		return;
	}
	for (size_t i = 0; watch->cursor && i < table->shown_count; i++) {
		if (memcmp(table->rows[table->shown[i]].hash, watch->cursor_hash,
			   sizeof(watch->cursor_hash)) != 0)
			continue;
		watch->cursor = i;
		break;
	}
	if (watch->cursor >= table->shown_count)
		watch->cursor = table->shown_count ? table->shown_count - 1 : 0;
	remember(watch);
	scroll(watch);
}

void watch_note(struct watch *watch, const struct kmp_groups *groups)
{
	const struct kmp_losses *l = &groups->losses;
	size_t at = 0;

	watch->note[0] = '\0';
	watch->lossy = l->skipped || l->dropped || l->cut;
	if (watch->lossy)
		at = (size_t)snprintf(watch->note, sizeof(watch->note),
				      "%" PRIu64 " records skipped, %" PRIu64 " dropped, %" PRIu64
				      " cut",
				      l->skipped, l->dropped, l->cut);
	if (l->skipped && l->first_reason && at < sizeof(watch->note))
		snprintf(watch->note + at, sizeof(watch->note) - at, "; line %" PRIu64 ": %s",
			 l->first_line, l->first_reason);
	if (!watch->lossy && groups->warning_count)
		snprintf(watch->note, sizeof(watch->note), "%s", groups->warnings[0]);
}

static struct kmp_error *take(struct watch *watch)
{
	struct kmp_groups *groups[WATCH_TABS];
	struct kmp_error *err = watch_feed_read(&watch->feed, watch->tab, groups);
	uint64_t now = watch_feed_time(&watch->feed);

	if (!err && groups[watch->tab])
		watch_note(watch, groups[watch->tab]);
	for (size_t i = 0; i < WATCH_TABS; i++) {
		/* A history is read for what is looked at. */
		if (groups[i] && !err && (!watch->feed.history || i == watch->tab))
			err = watch_table_add(&watch->tables[i], groups[i], now);
		kmp_groups_destroy(groups[i]);
	}
	return err;
}

/* The first sample, from which changes are counted, and then as many as the series shows. */
struct kmp_error *watch_show_moment(struct watch *watch)
{
	struct watch_table *table = watch_table_of(watch);
	size_t to = watch->feed.moment;
	size_t from = to >= WATCH_POINTS ? to - WATCH_POINTS + 1 : 1;
	struct kmp_error *err = NULL;
	bool next = table->samples && watch->moments[watch->tab] + 1 == to;

	if (table->samples && watch->moments[watch->tab] == to)
		return NULL;
	if (!next) {
		watch_table_clear(table);
		watch->feed.moment = 0;
		err = take(watch);
		if (from > 1)
			watch_table_cut(table);
	}
	for (size_t i = next ? to : from; !err && i <= to; i++) {
		watch->feed.moment = i;
		err = take(watch);
	}
	watch->feed.moment = to;
	watch->moments[watch->tab] = to;
	return err;
}

void watch_sample(struct watch *watch)
{
	struct kmp_error *err = NULL;

	if (!watch->feed.history) {
		err = take(watch);
	} else {
		/* Playing: at the end wait for more, which somebody may be writing. */
		err = kmp_history_refresh(watch->feed.history, NULL);
		size_t count = kmp_history_count(watch->feed.history);

		if (watch->feed.moment >= count)
			watch->feed.moment = count - 1;
		else if (!watch->frozen && watch->feed.moment + 1 < count)
			watch->feed.moment++;
		if (!err)
			err = watch_show_moment(watch);
	}
	/* What failed and goes again is no news any more. */
	bool fails = err != NULL;

	if (fails || watch->failing)
		watch_tell(watch, err);
	watch->failing = fails;
	watch_arrange(watch);
}

/* What is shown under another filter is something else: everything begins again. */
struct kmp_error *watch_filter(struct watch *watch, const char *where)
{
	if (strlen(where) >= sizeof(watch->where))
		return kmp_error_new(KMP_ERROR_LIMIT, "the expression is longer than %zu bytes",
				     sizeof(watch->where) - 1);
	try(watch_feed_filter(&watch->feed, *where ? where : NULL));
	if (where != watch->where)
		snprintf(watch->where, sizeof(watch->where), "%s", where);
	watch->feed.where = *watch->where ? watch->where : NULL;
	for (size_t i = 0; i < WATCH_TABS; i++) {
		if (i != WATCH_TAGS)
			watch_table_clear(&watch->tables[i]);
	}
	watch->cursor = 0;
	return NULL;
}
