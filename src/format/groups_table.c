// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups as a table for people: a headline that tells the source, aligned rows with the number
 * that matters first, each stack beneath its row, what was left out, the totals, and whatever
 * one must know of the figures.
 */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "format/table_cells.h"
#include "format/views.h"

enum {
	GAP = 2,	   /* between columns */
	MAX_ALIGNED = 40,  /* longer texts do not widen their column */
	STACK_INDENT = 12, /* frames beneath their row */
	LEAST_TEXT = 24,   /* columns that a text gets on the narrowest terminal */
};

struct table {
	const struct kmp_groups *groups;
	const struct kmp_view *view;
	FILE *out;
	struct columns columns;
	struct kmp_buf cell;
	size_t stack;	/* key that is a stack, or key_count */
	size_t figures; /* columns that the figures take */
};

static void table_deinit(struct table *table)
{
	vec_deinit(&table->columns);
	vec_deinit(&table->cell);
}

static void colour(const struct table *table, const char *code)
{
	if (table->view->colour)
		fprintf(table->out, "\033[%sm", code);
}

static void pad(const struct table *table, size_t columns)
{
	fprintf(table->out, "%*s", (int)columns, "");
}

static struct kmp_error *print_visible(struct table *table, const char *text)
{
	table->cell.len = 0;
	try(kmp_visible_append(&table->cell, text, strlen(text)));
	fwrite(table->cell.data, 1, table->cell.len, table->out);
	return NULL;
}

/* How much of the cell fits into the room; 0: all of it does. */
static size_t cut_at(const struct kmp_buf *cell, size_t room)
{
	size_t columns = 0, i = 0, cut = 0;
	uint32_t cp;

	while (i < cell->len) {
		unsigned n = kmp_utf8_decode(cell->data + i, cell->len - i, &cp);

		columns += n ? kmp_utf8_width(cp) : 1;
		if (columns > room)
			return cut ? cut : 1;
		i += n ? n : 1;
		if (columns < room)
			cut = i;
	}
	return 0;
}

/* Print the cell's text, cut where the terminal ends; returns the columns taken. */
static size_t print_cut(struct table *table, size_t at)
{
	size_t width = (size_t)table->view->width, room = LEAST_TEXT;
	const struct kmp_buf *cell = &table->cell;

	if (table->view->width > 0) {
		if (width > at + room)
			room = width - at;
		size_t cut = cut_at(cell, room);
		if (cut) {
			fwrite(cell->data, 1, cut, table->out);
			fputs("…", table->out);
			return kmp_utf8_columns(cell->data, cut) + 1;
		}
	}
	fwrite(cell->data, 1, cell->len, table->out);
	return kmp_utf8_columns(cell->data, cell->len);
}

static struct kmp_error *measure(struct table *table, const struct kmp_group *group, bool total)
{
	for (size_t c = 0; c < table->columns.len; c++) {
		struct column *column = &table->columns.data[c];

		if (total && cell_is_text(column->kind))
			break;
		try(kmp_cell_print(&table->cell, column, table->groups, group, table->view->exact));
		size_t width = kmp_utf8_columns(table->cell.data, table->cell.len);
		if (cell_is_text(column->kind) && width > MAX_ALIGNED)
			width = MAX_ALIGNED;
		if (width > column->width)
			column->width = width;
	}
	return NULL;
}

static const char *change_colour(const struct kmp_group *group)
{
	int64_t delta = kmp_minus(group->now.bytes, group->before.bytes);

	return group->unknown ? "33" : delta > 0 ? "31" : delta < 0 ? "32" : "0";
}

/* The figures of a row; returns the columns taken. */
static struct kmp_error *print_figures(struct table *table, const struct kmp_group *group,
				       size_t *at)
{
	*at = 0;
	for (size_t c = 0; c < table->columns.len; c++) {
		const struct column *column = &table->columns.data[c];

		if (cell_is_text(column->kind))
			break;
		try(kmp_cell_print(&table->cell, column, table->groups, group, table->view->exact));
		pad(table, (c ? GAP : 0) + column->width -
				   kmp_utf8_columns(table->cell.data, table->cell.len));
		if (c == 0)
			colour(table, column->kind == CELL_DELTA ? change_colour(group) : "1");
		fwrite(table->cell.data, 1, table->cell.len, table->out);
		if (c == 0)
			colour(table, "0");
		*at += (c ? GAP : 0) + column->width;
	}
	return NULL;
}

static struct kmp_error *print_texts(struct table *table, const struct kmp_group *group, size_t at)
{
	size_t due = GAP;

	for (size_t c = 0; c < table->columns.len; c++) {
		const struct column *column = &table->columns.data[c];

		if (!cell_is_text(column->kind))
			continue;
		pad(table, due);
		at += due;
		try(kmp_cell_print(&table->cell, column, table->groups, group, table->view->exact));
		size_t taken = print_cut(table, at);
		at += taken;
		due = GAP + (taken < column->width ? column->width - taken : 0);
	}
	return NULL;
}

static struct kmp_error *print_remarks(struct table *table, const struct kmp_group *group)
{
	if (group->now.inaccurate > 0 && group->now.members > 1)
		fprintf(table->out, "  (%" PRId64 " inaccurate)", group->now.inaccurate);
	else if (group->now.inaccurate > 0)
		fputs("  (inaccurate)", table->out);
	if (group->note) {
		fputs("  (", table->out);
		try(print_visible(table, group->note));
		fputs(")", table->out);
	}
	return NULL;
}

static struct kmp_error *print_stack(struct table *table, const struct kmp_value *stack)
{
	for (size_t i = 0; stack->kind == KMP_VALUE_STACK && i < stack->depth; i++) {
		pad(table, STACK_INDENT);
		table->cell.len = 0;
		try(kmp_visible_append(&table->cell, stack->frames[i], strlen(stack->frames[i])));
		print_cut(table, STACK_INDENT);
		putc('\n', table->out);
	}
	if (stack->kind == KMP_VALUE_STACK && stack->depth)
		return NULL;
	pad(table, STACK_INDENT);
	if (stack->kind == KMP_VALUE_STACK)
		fprintf(table->out, "handle %" PRId64 " (its trace is not known)\n", stack->number);
	else
		fputs("- (no stack told)\n", table->out);
	return NULL;
}

static struct kmp_error *print_row(struct table *table, const struct kmp_group *group)
{
	size_t at;

	try(print_figures(table, group, &at));
	try(print_texts(table, group, at));
	try(print_remarks(table, group));
	putc('\n', table->out);
	if (table->stack == table->groups->key_count)
		return NULL;
	try(print_stack(table, &group->key[table->stack]));
	putc('\n', table->out);
	return NULL;
}

static void print_titles(struct table *table)
{
	size_t due = 0;

	colour(table, "1");
	for (size_t c = 0; c < table->columns.len; c++) {
		const struct column *column = &table->columns.data[c];
		size_t rest = column->width - strlen(column->title);

		if (c)
			due += GAP;
		pad(table, due + (cell_is_text(column->kind) ? 0 : rest));
		fputs(column->title, table->out);
		due = cell_is_text(column->kind) ? rest : 0;
	}
	colour(table, "0");
	putc('\n', table->out);
}

static void print_total_figures(struct table *table, const struct kmp_sums *sums,
				bool records_unknown)
{
	const struct kmp_groups *groups = table->groups;
	char size[KMP_SIZE_TEXT];

	if (groups->unit == KMP_UNIT_TAGS)
		fprintf(table->out, "%" PRId64 " location%s, %" PRId64 " calls, ", sums->members,
			sums->members == 1 ? "" : "s", sums->records);
	else if (groups->unit == KMP_UNIT_OBJECTS)
		fprintf(table->out, "%" PRId64 " call%s, ", sums->records,
			sums->records == 1 ? "" : "s");
	else if (records_unknown)
		fprintf(table->out, "%" PRId64 " pages, ", sums->pages);
	else
		fprintf(table->out, "%" PRId64 " record%s, %" PRId64 " page%s, ", sums->records,
			sums->records == 1 ? "" : "s", sums->pages, sums->pages == 1 ? "" : "s");
	fputs(kmp_size_print(size, sums->bytes, table->view->exact, false), table->out);
	if (table->view->exact)
		fputs(" bytes", table->out);
	putc('\n', table->out);
}

static struct kmp_error *print_headline(struct table *table, const char *label,
					const struct kmp_facts *facts, const struct kmp_sums *sums)
{
	fputs(label, table->out);
	colour(table, "1");
	try(print_visible(table, facts->name && *facts->name ? facts->name : "(unnamed source)"));
	colour(table, "0");
	if (facts->kind && *facts->kind) {
		fputs(": ", table->out);
		try(print_visible(table, facts->kind));
	}
	if (facts->mode && *facts->mode) {
		fputs(", mode ", table->out);
		try(print_visible(table, facts->mode));
	}
	if (facts->kernel && *facts->kernel) {
		fputs(", Linux ", table->out);
		try(print_visible(table, facts->kernel));
	}
	fputs(": ", table->out);
	print_total_figures(table, sums, table->groups->records_unknown);
	return NULL;
}

static void print_left_out(struct table *table, size_t shown)
{
	const struct kmp_groups *groups = table->groups;
	size_t count = groups->count - shown;
	struct kmp_sums now, before;
	char size[KMP_SIZE_TEXT];
	int64_t bytes;

	if (!count)
		return;
	kmp_groups_rest(groups, shown, &now, &before);
	bytes = groups->difference ? kmp_minus(now.bytes, before.bytes) : now.bytes;
	colour(table, "2");
	fprintf(table->out, "… %zu more %s: %s", count, kmp_groups_noun(groups, count == 1),
		kmp_size_print(size, bytes, table->view->exact, groups->difference));
	if (!groups->difference && groups->total.bytes > 0)
		fprintf(table->out, " (%.1f %%)",
			(double)bytes * 100 / (double)groups->total.bytes);
	colour(table, "0");
	putc('\n', table->out);
}

static struct kmp_error *print_total(struct table *table, const struct kmp_group *total)
{
	size_t at;

	try(print_figures(table, total, &at));
	fputs("  total\n", table->out);
	return NULL;
}

static struct kmp_error *print_losses(struct table *table)
{
	const struct kmp_losses *losses = &table->groups->losses;

	if (losses->skipped) {
		fprintf(table->out, "%" PRIu64 " record%s skipped", losses->skipped,
			losses->skipped == 1 ? "" : "s");
		if (losses->first_line)
			fprintf(table->out, ", first at line %" PRIu64, losses->first_line);
		if (losses->first_reason && *losses->first_reason) {
			fputs(": ", table->out);
			try(print_visible(table, losses->first_reason));
		}
		putc('\n', table->out);
	}
	if (losses->dropped)
		fprintf(table->out, "%" PRIu64 " dropped before they could be counted\n",
			losses->dropped);
	if (losses->cut)
		fprintf(table->out,
			"%" PRIu64 " cut by the end of the file, counted as far as known\n",
			losses->cut);
	return NULL;
}

static struct kmp_error *print_notes(struct table *table)
{
	const struct kmp_groups *groups = table->groups;

	if (groups->unit == KMP_UNIT_TAGS && groups->total.inaccurate)
		fprintf(table->out, "%" PRId64 " of %" PRId64 " locations inaccurate\n",
			groups->total.inaccurate, groups->total.members);
	if (groups->facts.profiling_off || groups->facts_before.profiling_off)
		fputs("allocation profiling was off: the figures stood still\n", table->out);
	if (groups->facts.top_only || groups->facts_before.top_only)
		fputs("only the largest locations are there: the totals are those of these\n",
		      table->out);
	try(print_losses(table));
	for (size_t i = 0; i < groups->warning_count; i++) {
		fputs("warning: ", table->out);
		try(print_visible(table, groups->warnings[i]));
		putc('\n', table->out);
	}
	return NULL;
}

static struct kmp_error *print_headlines(struct table *table)
{
	const struct kmp_groups *groups = table->groups;

	if (groups->difference) {
		try(print_headline(table, "before: ", &groups->facts_before,
				   &groups->total_before));
		return print_headline(table, "now:    ", &groups->facts, &groups->total);
	}
	return print_headline(table, "", &groups->facts, &groups->total);
}

struct kmp_error *kmp_groups_table(const struct kmp_groups *groups, FILE *out,
				   const struct kmp_view *view)
{
	struct table table cleanup(table_deinit) = { groups, view, out };
	struct kmp_group total = { .now = groups->total, .before = groups->total_before };
	size_t shown = view_shown(groups, view);

	while (table.stack < groups->key_count && strcmp(groups->keys[table.stack], "stack") != 0)
		table.stack++;
	try(kmp_columns_choose(&table.columns, groups));
	try(measure(&table, &total, true));
	for (size_t i = 0; i < shown; i++)
		try(measure(&table, &groups->groups[i], false));
	try(print_headlines(&table));
	putc('\n', out);
	print_titles(&table);
	for (size_t i = 0; i < shown; i++)
		try(print_row(&table, &groups->groups[i]));
	print_left_out(&table, shown);
	try(print_total(&table, &total));
	return print_notes(&table);
}
