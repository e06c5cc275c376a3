// SPDX-License-Identifier: GPL-2.0-only
/* What the screen looks like. */
#include <curses.h>
#include <inttypes.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/watch/screen.h"
#include "cli/watch/text.h"

enum { HEAD_LINES = 4, SPARK = 10, WIDE = 100 };

/* A column of figures, before the series and the name. */
static const struct {
	const char *title;
	int width;
	bool wide; /* only where there is room */
	bool sign;
} columns[] = {
	[WATCH_BYTES] = { "BYTES", 8, false, false }, [WATCH_COUNT] = { "PAGES", 8, true, false },
	[WATCH_START] = { "START", 9, false, true },  [WATCH_LAST] = { "LAST", 9, false, true },
	[WATCH_RATE] = { "RATE/s", 9, false, true },
};

enum { FIGURES = sizeof(columns) / sizeof(*columns) };

/* The lines that help shows; the widest has 76 columns. */
static const char *const help[] = {
	"1 2 3 4 5, Tab, arrows   stacks, tags, tasks, nodes, orders",
	"Up Down PgUp PgDn g G    move; j and k, too",
	"Enter                    the frames of a stack, the parts of a tag",
	"< >                      sort by the column before, the next one",
	"R                        turn the order round",
	"/                        filter: page owners as --where has them,",
	"                         tags by a part of their names; empty: all",
	"Space, f                 freeze, and go on; a history plays or stands",
	"[ ] { }                  a history: a moment back, on; 60 back, on",
	"r                        take a sample now",
	"z                        count changes from now on",
	"w                        save all that there is now in a ledger file",
	"q                        quit",
	"",
	"START is the change since watching began, LAST since the sample before,",
	"RATE/s the same in a second. Figures are bytes in binary units.",
	"",
	"Any key goes back.",
};

static attr_t colour(short pair)
{
	return has_colors() && COLORS > 0 && pair_content(pair, &(short){ 0 }, &(short){ 0 }) == OK
		       ? (attr_t)COLOR_PAIR(pair)
		       : 0;
}

/* A text that can be shown, cut at the right edge; the columns it took. */
static int put(int line, int column, const char *text)
{
	size_t used = 0;

	if (column >= COLS)
		return 0;
	mvaddnstr(line, column, text, (int)watch_text_fit(text, (size_t)(COLS - column), &used));
	return (int)used;
}

static void fill(int line, int column)
{
	for (; column < COLS; column++)
		mvaddch(line, column, ' ');
}

static void put_right(int line, int *column, int width, const char *text)
{
	mvprintw(line, *column, "%*s", width, text);
	*column += width + 1;
}

/* Foreign bytes, as far as they can be seen; the columns they took. */
static int put_foreign(int line, int column, const char *bytes)
{
	struct watch_text text = { 0 };

	kmp_error_destroy(watch_text_visible(&text, bytes, strlen(bytes)));
	int used = text.data ? put(line, column, text.data) : 0;

	watch_text_deinit(&text);
	return used;
}

static void draw_title(struct watch *watch)
{
	const struct watch_table *table = watch_table_of(watch);
	time_t now = (time_t)(table->now_ns / 1000000000);
	char clock[32] = "", since[WATCH_FIGURE], right[128];
	struct tm tm;

	if (table->samples)
		strftime(clock, sizeof(clock), watch->feed.history ? "%F %T" : "%T",
			 localtime_r(&now, &tm));
	watch_duration(since, table->now_ns - table->start_ns);
	if (watch->feed.history)
		snprintf(right, sizeof(right), "%s %zu/%zu  %s  %s", watch->frozen ? "=" : ">",
			 watch->feed.moment + 1, kmp_history_count(watch->feed.history), clock,
			 since);
	else
		snprintf(right, sizeof(right), "%s%s  %s", watch->frozen ? "FROZEN  " : "", clock,
			 since);
	attron(A_BOLD);
	int used = put(0, 0, "kmemprof watch  ");

	attroff(A_BOLD);
	put_foreign(0, used, watch->source);
	int start = COLS - (int)strlen(right);

	if (start > 1)
		put(0, start - 1, " ");
	put(0, start > 0 ? start : 0, right);
}

static void draw_tabs(struct watch *watch)
{
	const struct watch_table *table = watch_table_of(watch);
	char now[WATCH_FIGURE], change[WATCH_FIGURE], right[128], label[32];
	int column = 0;

	for (int i = 0; i < WATCH_TABS; i++) {
		attr_t attribute = i == (int)watch->tab ? A_REVERSE : 0;

		snprintf(label, sizeof(label), "%s%d %s%s", attribute ? "[" : " ", i + 1,
			 watch_tab_names[i], attribute ? "]" : " ");
		attron(attribute);
		column += put(1, column, label);
		attroff(attribute);
	}
	snprintf(right, sizeof(right), "%zu rows  %s  %s", table->shown_count,
		 watch_figure(now, table->now.bytes, false),
		 watch_figure(change, watch_total_figure(table, WATCH_START), true));
	if (COLS - (int)strlen(right) > column)
		put(1, COLS - (int)strlen(right), right);
}

static void draw_prompt(struct watch *watch)
{
	int used = put(2, 0,
		       watch->prompt == WATCH_PROMPT_SAVE ? "save as: "
		       : watch->tab == WATCH_TAGS	  ? "tags with: "
							  : "where: ");

	used += put_foreign(2, used, watch->typed);
	if (used < COLS)
		mvaddch(2, used, ' ' | A_REVERSE);
}

/* What was said last; else the filter, and what must be known of the sample. */
static void draw_message(struct watch *watch)
{
	const char *needle = watch_table_of(watch)->needle;
	const char *filter = watch->tab == WATCH_TAGS ? needle ? needle : "" : watch->where;
	int used = 0;

	if (watch->message[0]) {
		attron(watch->alarm ? A_BOLD | colour(1) : 0);
		put_foreign(2, 0, watch->message);
		attrset(A_NORMAL);
		return;
	}
	if (*filter) {
		used += put(2, 0, "filter: ");
		used += put_foreign(2, used, filter) + 2;
	}
	attron(watch->lossy ? A_BOLD | colour(1) : 0);
	put_foreign(2, used, watch->note);
	attrset(A_NORMAL);
}

static void draw_header(struct watch *watch)
{
	static const char *const names[WATCH_TABS] = { "STACK, innermost first", "TAG",
						       "TASK (PID)", "NODE, ZONE", "ORDER" };
	const struct watch_table *table = watch_table_of(watch);
	bool tags = watch->tab == WATCH_TAGS;
	char title[40];
	int column = 0;

	for (int i = 0; i < FIGURES; i++) {
		if (columns[i].wide && COLS < WIDE)
			continue;
		const char *name = tags && i == WATCH_COUNT ? "CALLS" : columns[i].title;

		snprintf(title, sizeof(title), "%s%s",
			 i == (int)table->sort ? table->reverse ? "^" : "v" : "", name);
		put_right(3, &column, columns[i].width, title);
	}
	put(3, column, "SERIES");
	column += SPARK + 1;
	snprintf(title, sizeof(title), "%s%s",
		 table->sort == WATCH_NAME ? table->reverse ? "^" : "v" : "", names[watch->tab]);
	put(3, column, title);
	mvchgat(3, 0, -1, A_UNDERLINE, 0, NULL);
}

static void draw_series(const struct watch_table *table, const struct watch_row *row, int line,
			int column)
{
	static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const plain[] = { "_", ".", ":", "-", "=", "+", "*", "#" };
	bool utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	int levels[SPARK];

	watch_row_levels(table, row, levels, SPARK);
	for (int i = 0; i < SPARK; i++) {
		if (levels[i] >= 0)
			put(line, column + i, (utf8 ? blocks : plain)[levels[i]]);
	}
}

static void draw_figures(struct watch *watch, const struct watch_row *row, int line, attr_t cursor)
{
	const struct watch_table *table = watch_table_of(watch);
	char buf[WATCH_FIGURE];
	int column = 0;

	for (int i = 0; i < FIGURES; i++) {
		int64_t value = watch_row_figure(table, row, (enum watch_column)i);
		attr_t attribute = cursor;

		if (columns[i].wide && COLS < WIDE)
			continue;
		if (columns[i].sign && value && !cursor)
			attribute = colour(value > 0 ? 1 : 2);
		attrset(attribute);
		if (i == WATCH_COUNT)
			snprintf(buf, sizeof(buf), "%" PRId64, value);
		else
			watch_figure(buf, value, columns[i].sign);
		put_right(line, &column, columns[i].width, buf);
	}
	attrset(cursor);
	draw_series(table, row, line, column);
	put(line, column + SPARK + 1, row->name);
	attrset(A_NORMAL);
}

static void draw_detail(const char *detail, size_t skip, int *line, int last)
{
	attron(colour(3));
	while (*detail && *line < last) {
		size_t len = strcspn(detail, "\n");

		if (skip) {
			skip--;
		} else {
			char *text = strndup(detail, len);

			if (text)
				put(*line, 4, text);
			free(text);
			(*line)++;
		}
		detail += len + 1;
	}
	attroff(colour(3));
}

static void draw_rows(struct watch *watch)
{
	const struct watch_table *table = watch_table_of(watch);
	int line = HEAD_LINES, last = LINES - 1;
	size_t skip = watch->top;

	for (size_t i = 0; i < table->shown_count && line < last; i++) {
		const struct watch_row *row = &table->rows[table->shown[i]];
		size_t lines = watch_lines(table, i);

		if (skip >= lines) {
			skip -= lines;
			continue;
		}
		if (!skip) {
			attr_t cursor = i == watch->cursor ? A_REVERSE : 0;

			if (cursor) {
				attron(cursor);
				fill(line, 0);
			}
			draw_figures(watch, row, line++, cursor);
		}
		if (row->open)
			draw_detail(row->detail, skip ? skip - 1 : 0, &line, last);
		skip = 0;
	}
	if (!table->shown_count)
		put(HEAD_LINES, 2, table->samples ? "nothing to show" : "no sample yet");
}

static void draw_keys(struct watch *watch)
{
	attron(A_REVERSE);
	int used =
		put(LINES - 1, 0,
		    watch->feed.history ? " q quit  / filter  < > sort  Enter open  Space play  "
					  "[ ] moment  w save  ? help"
					: " q quit  / filter  < > sort  Enter open  Space freeze  "
					  "w save  ? help");

	fill(LINES - 1, used);
	attroff(A_REVERSE);
}

static void draw_help(void)
{
	for (size_t i = 0; i < sizeof(help) / sizeof(*help); i++)
		put((int)i + 2, 2, help[i]);
}

void watch_draw(struct watch *watch)
{
	size_t page = LINES > HEAD_LINES + 1 ? (size_t)(LINES - HEAD_LINES - 1) : 0;

	if (page != watch->page) {
		watch->page = page;
		watch_arrange(watch);
	}
	erase();
	if (watch->help) {
		attron(A_BOLD);
		put(0, 0, "kmemprof watch");
		attroff(A_BOLD);
		draw_help();
	} else {
		draw_title(watch);
		draw_tabs(watch);
		if (watch->prompt)
			draw_prompt(watch);
		else
			draw_message(watch);
		draw_header(watch);
		draw_rows(watch);
		draw_keys(watch);
	}
	refresh();
}
