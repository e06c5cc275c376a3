// SPDX-License-Identifier: GPL-2.0-only
#include "cli/watch/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/watch/label.h"

static struct kmp_error *no_memory(void)
{
	return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
}

static void free_rows(struct watch_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		free(table->rows[i].name);
		free(table->rows[i].detail);
	}
	table->count = table->shown_count = 0;
}

void watch_table_deinit(struct watch_table *table)
{
	free_rows(table);
	free(table->rows);
	free(table->slots);
	free(table->shown);
	free(table->needle);
	*table = (struct watch_table){ 0 };
}

void watch_table_clear(struct watch_table *table)
{
	free_rows(table);
	if (table->slots)
		memset(table->slots, 0, table->slot_count * sizeof(*table->slots));
	table->samples = table->points = 0;
	table->start = table->last = table->now = (struct watch_sum){ 0 };
}

static uint32_t *slot_of(const struct watch_table *table, const uint64_t hash[2])
{
	size_t mask = table->slot_count - 1;

	for (size_t i = hash[0] & mask;; i = (i + 1) & mask) {
		uint32_t number = table->slots[i];

		if (!number || !memcmp(table->rows[number - 1].hash, hash, 2 * sizeof(*hash)))
			return &table->slots[i];
	}
}

static void fill_slots(struct watch_table *table)
{
	memset(table->slots, 0, table->slot_count * sizeof(*table->slots));
	for (size_t i = 0; i < table->count; i++)
		*slot_of(table, table->rows[i].hash) = (uint32_t)i + 1;
}

/* Room for one row more, and slots that are at most half full. */
static struct kmp_error *grow(struct watch_table *table)
{
	if (table->count < table->cap)
		return NULL;
	size_t cap = table->cap ? 2 * table->cap : 256;
	struct watch_row *rows = reallocarray(table->rows, cap, sizeof(*rows));

	if (!rows)
		return no_memory();
	table->rows = rows;
	uint32_t *slots = reallocarray(table->slots, 2 * cap, sizeof(*slots));

	if (!slots)
		return no_memory();
	table->slots = slots;
	table->slot_count = 2 * cap;
	table->cap = cap;
	fill_slots(table);
	return NULL;
}

static struct kmp_error *row_of(struct watch_table *table, const struct kmp_groups *groups,
				const struct kmp_group *group, struct watch_row **row)
{
	uint64_t hash[2];

	watch_label_hash(groups, group, hash);
	try(grow(table));
	uint32_t *slot = slot_of(table, hash);

	if (!*slot) {
		struct watch_row fresh = { .hash = { hash[0], hash[1] } };

		try(watch_label(groups, group, &fresh.name, &fresh.detail, &fresh.lines));
		table->rows[table->count++] = fresh;
		*slot = (uint32_t)table->count;
	}
	*row = &table->rows[*slot - 1];
	return NULL;
}

/* Does the row have anything but zeros to tell? */
static bool is_alive(const struct watch_row *row)
{
	if (row->bytes || row->count || row->start || row->last)
		return true;
	for (size_t i = 0; i < WATCH_POINTS; i++) {
		if (row->points[i])
			return true;
	}
	return false;
}

/* Tasks come and go: those of which nothing is left are dropped when they are the most. */
static void drop_dead(struct watch_table *table)
{
	size_t alive = 0;

	for (size_t i = 0; i < table->count; i++)
		alive += is_alive(&table->rows[i]);
	if (table->count < 1024 || alive > table->count / 2)
		return;
	size_t kept = 0;

	for (size_t i = 0; i < table->count; i++) {
		if (is_alive(&table->rows[i])) {
			table->rows[kept++] = table->rows[i];
			continue;
		}
		free(table->rows[i].name);
		free(table->rows[i].detail);
	}
	table->count = kept;
	table->shown_count = 0;
	fill_slots(table);
}

struct kmp_error *watch_table_add(struct watch_table *table, const struct kmp_groups *groups,
				  uint64_t ns)
{
	bool tags = groups->unit == KMP_UNIT_TAGS;
	size_t point = table->points % WATCH_POINTS;

	drop_dead(table);
	for (size_t i = 0; i < table->count; i++) {
		table->rows[i].last = table->rows[i].bytes;
		table->rows[i].bytes = table->rows[i].count = 0;
	}
	for (size_t i = 0; i < groups->count; i++) {
		const struct kmp_sums *sums = &groups->groups[i].now;
		struct watch_row *row;

		try(row_of(table, groups, &groups->groups[i], &row));
		row->bytes += sums->bytes;
		row->count += tags ? sums->records : sums->pages;
		row->seen = table->samples + 1;
	}
	for (size_t i = 0; i < table->count; i++) {
		struct watch_row *row = &table->rows[i];

		row->points[point] = row->bytes;
		if (!table->samples)
			row->start = row->last = row->bytes;
	}
	struct watch_sum now = { groups->total.bytes,
				 tags ? groups->total.records : groups->total.pages };

	table->last = table->samples ? table->now : now;
	table->last_ns = table->samples ? table->now_ns : ns;
	table->now = now;
	table->now_ns = ns;
	if (!table->samples) {
		table->start = now;
		table->start_ns = ns;
	}
	table->samples++;
	table->points++;
	return NULL;
}

void watch_table_cut(struct watch_table *table)
{
	table->points = 0;
	for (size_t i = 0; i < table->count; i++)
		memset(table->rows[i].points, 0, sizeof(table->rows[i].points));
}

static int64_t rate(const struct watch_table *table, int64_t change)
{
	uint64_t ns = table->now_ns - table->last_ns;

	return ns ? (int64_t)((double)change * 1e9 / (double)ns) : 0;
}

int64_t watch_row_figure(const struct watch_table *table, const struct watch_row *row,
			 enum watch_column column)
{
	switch (column) {
	case WATCH_COUNT:
		return row->count;
	case WATCH_START:
		return row->bytes - row->start;
	case WATCH_LAST:
		return row->bytes - row->last;
	case WATCH_RATE:
		return rate(table, row->bytes - row->last);
	case WATCH_BYTES:
	case WATCH_NAME:
	case WATCH_COLUMNS:
		break;
	}
	return row->bytes;
}

int64_t watch_total_figure(const struct watch_table *table, enum watch_column column)
{
	const struct watch_row sum = { .bytes = table->now.bytes,
				       .count = table->now.count,
				       .start = table->start.bytes,
				       .last = table->last.bytes };

	return watch_row_figure(table, &sum, column);
}

/* Ties are broken by bytes and then by name, so that rows do not change places for nothing. */
static int compare(const void *left, const void *right, void *arg)
{
	const struct watch_table *table = arg;
	const struct watch_row *a = &table->rows[*(const uint32_t *)left];
	const struct watch_row *b = &table->rows[*(const uint32_t *)right];
	int order = 0;

	if (table->sort != WATCH_NAME) {
		int64_t x = watch_row_figure(table, a, table->sort);
		int64_t y = watch_row_figure(table, b, table->sort);

		order = (x < y) - (x > y);
	}
	if (!order && table->sort != WATCH_NAME)
		order = (a->bytes < b->bytes) - (a->bytes > b->bytes);
	if (!order)
		order = strcmp(a->name, b->name);
	if (!order)
		order = (a->hash[0] > b->hash[0]) - (a->hash[0] < b->hash[0]);
	return table->reverse ? -order : order;
}

struct kmp_error *watch_table_arrange(struct watch_table *table)
{
	uint32_t *shown = reallocarray(table->shown, table->count + 1, sizeof(*shown));

	if (!shown)
		return no_memory();
	table->shown = shown;
	table->shown_count = 0;
	for (size_t i = 0; i < table->count; i++) {
		const struct watch_row *row = &table->rows[i];

		if (!row->bytes && !row->start && !row->last && !row->count)
			continue;
		if (!table->needle || strstr(row->name, table->needle) ||
		    strstr(row->detail, table->needle))
			shown[table->shown_count++] = (uint32_t)i;
	}
	qsort_r(shown, table->shown_count, sizeof(*shown), compare, table);
	return NULL;
}

struct kmp_error *watch_table_find(struct watch_table *table, const char *needle)
{
	char *copy = needle && *needle ? strdup(needle) : NULL;

	if (needle && *needle && !copy)
		return no_memory();
	free(table->needle);
	table->needle = copy;
	return NULL;
}

void watch_row_levels(const struct watch_table *table, const struct watch_row *row, int *levels,
		      unsigned width)
{
	uint64_t have = table->points < WATCH_POINTS ? table->points : WATCH_POINTS;
	unsigned drawn = width < have ? width : (unsigned)have;
	int64_t low = INT64_MAX, high = INT64_MIN;

	for (unsigned i = 0; i < drawn; i++) {
		int64_t value = row->points[(table->points - drawn + i) % WATCH_POINTS];

		low = value < low ? value : low;
		high = value > high ? value : high;
	}
	for (unsigned i = 0; i < width; i++)
		levels[i] = -1;
	for (unsigned i = 0; i < drawn; i++) {
		int64_t value = row->points[(table->points - drawn + i) % WATCH_POINTS];
		double part = high > low
				      ? ((double)value - (double)low) / ((double)high - (double)low)
				      : 0;

		levels[width - drawn + i] = (int)(part * 7 + 0.5);
	}
}
