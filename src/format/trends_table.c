// SPDX-License-Identifier: GPL-2.0-only
/* Trends as a table for people: what leaks first, with its course as a line of blocks. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "format/table_cells.h"
#include "format/trends.h"

enum { CELLS = 6, SPARK = 16, NS = 1000000000, INDENT = 12, CELL_TEXT = 48 };

struct row {
	char cells[CELLS][CELL_TEXT];
};

struct table {
	const struct kmp_trends *trends;
	const struct kmp_view *view;
	FILE *out;
	bool ascii;
	size_t widths[CELLS];
	struct kmp_buf line;
};

static void table_deinit(struct table *table)
{
	vec_deinit(&table->line);
}

static const char *const titles[CELLS] = { "VERDICT", "RATE", "FIRST", "LAST", "MIN", "MAX" };

static int64_t whole(double value)
{
	return value >= 0x1p62 ? INT64_MAX : value <= -0x1p62 ? INT64_MIN : (int64_t)llround(value);
}

/* By the second where that is much, else by the minute, the hour or the day; 5 % means ± half. */
static void print_rate(char *to, const struct kmp_trend *t, bool exact, bool ascii)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = { { "s", 1 }, { "min", 60 }, { "h", 3600 }, { "d", 86400 } };
	size_t unit = 0;
	char text[KMP_SIZE_TEXT];

	while (unit < 3 && fabs(t->slope) * units[unit].seconds < 1024)
		unit++;
	double rate = t->slope * units[unit].seconds;
	double half = (t->slope_high - t->slope_low) / 2;

	if (!whole(rate)) {
		snprintf(to, CELL_TEXT, "0");
		return;
	}
	kmp_size_print(text, whole(rate), exact, true);
	if (half > 0 && half <= fabs(t->slope))
		snprintf(to, CELL_TEXT, "%s/%s %s%.0f%%", text, units[unit].name,
			 ascii ? "+-" : "±", 100 * half / fabs(t->slope));
	else
		snprintf(to, CELL_TEXT, "%s/%s", text, units[unit].name);
}

static void make_row(const struct table *table, const struct kmp_trend *t, struct row *row)
{
	const double sizes[] = { (double)t->group->before.bytes, (double)t->group->now.bytes,
				 t->min, t->max };
	char text[KMP_SIZE_TEXT];

	snprintf(row->cells[0], CELL_TEXT, "%s", kmp_verdict_name(t->verdict));
	print_rate(row->cells[1], t, table->view->exact, table->ascii);
	for (size_t i = 0; i < 4; i++)
		snprintf(row->cells[2 + i], CELL_TEXT, "%s",
			 kmp_size_print(text, whole(sizes[i]), table->view->exact, false));
}

static void pad(const struct table *table, size_t columns)
{
	fprintf(table->out, "%*s", (int)columns, "");
}

static void colour(const struct table *table, const char *code)
{
	if (table->view->colour)
		fprintf(table->out, "\033[%sm", code);
}

static const char *colour_of(enum kmp_verdict verdict)
{
	static const char *const codes[] = { "2", "0", "33", "33", "1;31" };

	return codes[verdict];
}

/* A verdict stands to the left, figures to the right. */
static void print_cells(const struct table *table, const struct row *row, const char *code)
{
	for (size_t i = 0; i < CELLS; i++) {
		size_t taken = kmp_utf8_columns(row->cells[i], strlen(row->cells[i]));
		size_t rest = table->widths[i] - taken;

		if (i)
			pad(table, 2 + rest);
		else
			colour(table, code);
		fputs(row->cells[i], table->out);
		if (!i) {
			colour(table, "0");
			pad(table, rest);
		}
	}
}

static struct kmp_error *print_line(struct table *table)
{
	fwrite(table->line.data, 1, table->line.len, table->out);
	putc('\n', table->out);
	return NULL;
}

static struct kmp_error *print_stack(struct table *table, const struct kmp_value *stack)
{
	for (size_t i = 0; stack->kind == KMP_VALUE_STACK && i < stack->depth; i++) {
		pad(table, INDENT);
		table->line.len = 0;
		try(kmp_visible_append(&table->line, stack->frames[i], strlen(stack->frames[i])));
		try(print_line(table));
	}
	if (stack->kind == KMP_VALUE_STACK && stack->depth)
		return NULL;
	pad(table, INDENT);
	if (stack->kind == KMP_VALUE_STACK)
		fprintf(table->out, "handle %" PRId64 " (its trace is not known)\n", stack->number);
	else
		fputs("- (no stack told)\n", table->out);
	return NULL;
}

/* Keys beside the row, but for stacks, which stand beneath it. */
static struct kmp_error *print_keys(struct table *table, const struct kmp_trend *t)
{
	const struct kmp_groups *groups = table->trends->groups;
	struct kmp_buf *line = &table->line;
	struct columns columns = { 0 };
	struct kmp_error *err = kmp_columns_choose(&columns, groups);

	for (size_t i = 0; i < columns.len && !err; i++) {
		if (!cell_is_text(columns.data[i].kind))
			continue;
		err = kmp_cell_print(line, &columns.data[i], groups, t->group, table->view->exact);
		fputs("  ", table->out);
		fwrite(line->data, 1, line->len, table->out);
	}
	vec_deinit(&columns);
	return err;
}

static struct kmp_error *print_trend(struct table *table, const struct kmp_trend *t)
{
	const struct kmp_groups *groups = table->trends->groups;
	struct row row;

	make_row(table, t, &row);
	print_cells(table, &row, colour_of(t->verdict));
	table->line.len = 0;
	try(kmp_sparkline(&table->line, t->points, table->trends->point_count, SPARK,
			  table->ascii));
	fputs("  ", table->out);
	fwrite(table->line.data, 1, table->line.len, table->out);
	try(print_keys(table, t));
	putc('\n', table->out);
	pad(table, INDENT);
	fprintf(table->out, "%s\n", t->reason);
	for (size_t i = 0; i < groups->key_count; i++) {
		if (!strcmp(groups->keys[i], "stack"))
			try(print_stack(table, &t->group->key[i]));
	}
	putc('\n', table->out);
	return NULL;
}

static void print_time(const struct table *table, uint64_t ns)
{
	time_t seconds = (time_t)(ns / NS);
	char text[64];
	struct tm tm;

	if (localtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		fputs(text, table->out);
}

static struct kmp_error *print_headline(struct table *table)
{
	const struct kmp_trends *trends = table->trends;
	const struct kmp_facts *facts = &trends->groups->facts;

	table->line.len = 0;
	try(kmp_visible_append(&table->line, facts->name, strlen(facts->name)));
	fwrite(table->line.data, 1, table->line.len, table->out);
	if (*facts->kernel) {
		table->line.len = 0;
		try(kmp_visible_append(&table->line, facts->kernel, strlen(facts->kernel)));
		fputs(", Linux ", table->out);
		fwrite(table->line.data, 1, table->line.len, table->out);
	}
	fprintf(table->out, ": %zu samples from ", trends->samples);
	print_time(table, trends->first_time);
	fputs(" to ", table->out);
	print_time(table, trends->last_time);
	fputs("\n\n", table->out);
	return NULL;
}

static void print_titles(struct table *table)
{
	struct row row;

	for (size_t i = 0; i < CELLS; i++)
		snprintf(row.cells[i], CELL_TEXT, "%s", titles[i]);
	print_cells(table, &row, "1");
	fputs("  COURSE\n", table->out);
}

static void print_sums(const struct table *table, size_t shown)
{
	const struct kmp_trends *trends = table->trends;
	size_t counts[KMP_VERDICT_LEAK + 1] = { 0 };
	const char *gap = "";

	for (size_t i = 0; i < trends->count; i++)
		counts[trends->trends[i].verdict]++;
	if (shown < trends->count)
		fprintf(table->out, "%zu more; of all ", trends->count - shown);
	for (int v = KMP_VERDICT_LEAK; v >= 0; v--) {
		if (counts[v])
			fprintf(table->out, "%s%zu %s", gap, counts[v],
				kmp_verdict_name((enum kmp_verdict)v));
		if (counts[v])
			gap = ", ";
	}
	fprintf(table->out, "%s\n", trends->count ? "" : "nothing is there");
	if (trends->left_out)
		fprintf(table->out,
			"%zu samples before the machine was started anew are left out\n",
			trends->left_out);
}

static struct kmp_error *print_notes(struct table *table)
{
	const struct kmp_groups *groups = table->trends->groups;
	const struct kmp_losses *losses = &groups->losses;

	if (groups->facts.profiling_off || groups->facts_before.profiling_off)
		fputs("allocation profiling was off: the figures stood still\n", table->out);
	if (losses->skipped || losses->dropped || losses->cut)
		fprintf(table->out, "of the last sample %" PRIu64 " records are missing\n",
			losses->skipped + losses->dropped + losses->cut);
	for (size_t i = 0; i < groups->warning_count; i++) {
		table->line.len = 0;
		try(kmp_visible_append(&table->line, groups->warnings[i],
				       strlen(groups->warnings[i])));
		fputs("warning: ", table->out);
		try(print_line(table));
	}
	return NULL;
}

static void measure(struct table *table, const struct row *row)
{
	for (size_t i = 0; i < CELLS; i++) {
		size_t width = kmp_utf8_columns(row->cells[i], strlen(row->cells[i]));

		if (width > table->widths[i])
			table->widths[i] = width;
	}
}

struct kmp_error *kmp_trends_table(const struct kmp_trends *trends, FILE *out,
				   const struct kmp_view *view, bool ascii)
{
	struct table table cleanup(table_deinit) = { trends, view, out, ascii };
	size_t shown = trends_shown(trends, view);
	struct row row;

	for (size_t i = 0; i < CELLS; i++)
		table.widths[i] = strlen(titles[i]);
	for (size_t i = 0; i < shown; i++) {
		make_row(&table, &trends->trends[i], &row);
		measure(&table, &row);
	}
	try(print_headline(&table));
	print_titles(&table);
	for (size_t i = 0; i < shown; i++)
		try(print_trend(&table, &trends->trends[i]));
	print_sums(&table, shown);
	return print_notes(&table);
}
