// SPDX-License-Identifier: GPL-2.0-only
/* What keys do. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "cli/watch/watch.h"

static void move_to(struct watch *watch, size_t cursor)
{
	const struct watch_table *table = watch_table_of(watch);

	watch->cursor = cursor < table->shown_count ? cursor
			: table->shown_count	    ? table->shown_count - 1
						    : 0;
	if (watch->cursor < table->shown_count)
		memcpy(watch->cursor_hash, table->rows[table->shown[watch->cursor]].hash,
		       sizeof(watch->cursor_hash));
	watch_arrange(watch);
}

static void move_by(struct watch *watch, long rows)
{
	size_t back = (size_t)-rows;

	if (rows < 0)
		move_to(watch, watch->cursor > back ? watch->cursor - back : 0);
	else
		move_to(watch, watch->cursor + (size_t)rows);
}

static void show_tab(struct watch *watch, unsigned tab)
{
	watch->tab = (enum watch_tab)(tab % WATCH_TABS);
	watch->cursor = watch->top = 0;
	struct watch_table *table = watch_table_of(watch);

	if (watch->feed.history)
		watch_tell(watch, watch_show_moment(watch));
	else if (!table->samples)
		watch_sample(watch);
	watch_arrange(watch);
}

static void sort_by(struct watch *watch, int step)
{
	struct watch_table *table = watch_table_of(watch);

	table->sort =
		(enum watch_column)(((int)table->sort + step + WATCH_COLUMNS) % WATCH_COLUMNS);
	watch_arrange(watch);
}

static void scrub(struct watch *watch, long moments)
{
	if (!watch->feed.history) {
		watch_tell(watch, kmp_error_new(KMP_ERROR_USAGE,
						"only a history knows other moments than now"));
		return;
	}
	size_t last = kmp_history_count(watch->feed.history) - 1;
	size_t back = (size_t)-moments;

	watch->frozen = true;
	if (moments < 0)
		watch->feed.moment = watch->feed.moment > back ? watch->feed.moment - back : 0;
	else
		watch->feed.moment = last - watch->feed.moment > (size_t)moments
					     ? watch->feed.moment + (size_t)moments
					     : last;
	watch_tell(watch, watch_show_moment(watch));
	watch_arrange(watch);
}

static void begin_prompt(struct watch *watch, enum watch_prompt prompt)
{
	time_t now = time(NULL);
	struct tm tm;

	watch->prompt = prompt;
	snprintf(watch->typed, sizeof(watch->typed), "%s",
		 watch->tab != WATCH_TAGS	 ? watch->where
		 : watch_table_of(watch)->needle ? watch_table_of(watch)->needle
						 : "");
	if (prompt == WATCH_PROMPT_SAVE)
		strftime(watch->typed, sizeof(watch->typed), "kmemprof-%Y%m%d-%H%M%S.kmp",
			 localtime_r(&now, &tm));
}

static void apply_filter(struct watch *watch)
{
	struct kmp_error *err;

	if (watch->tab == WATCH_TAGS) {
		err = watch_table_find(watch_table_of(watch), watch->typed);
	} else {
		err = watch_filter(watch, watch->typed);
		if (!err && watch->feed.history)
			err = watch_show_moment(watch);
		else if (!err)
			watch_sample(watch);
	}
	if (err)
		watch_tell(watch, err);
	watch_arrange(watch);
}

static void save(struct watch *watch)
{
	struct kmp_error *err = watch_feed_save(&watch->feed, watch->typed);

	if (err)
		watch_tell(watch, err);
	else
		snprintf(watch->message, sizeof(watch->message), "saved: %s", watch->typed);
}

/* The last character goes, all of its bytes. */
static void rub_out(char *typed)
{
	size_t len = strlen(typed);

	while (len && ((unsigned char)typed[len - 1] & 0xc0) == 0x80)
		len--;
	typed[len ? len - 1 : 0] = '\0';
}

static void type(struct watch *watch, uint32_t key)
{
	enum watch_prompt prompt = watch->prompt;
	size_t len = strlen(watch->typed);

	if (key == WATCH_KEY_ENTER || key == '\r') {
		watch->prompt = WATCH_NO_PROMPT;
		if (prompt == WATCH_PROMPT_FILTER)
			apply_filter(watch);
		else if (*watch->typed)
			save(watch);
	} else if (key == WATCH_KEY_ESCAPE) {
		watch->prompt = WATCH_NO_PROMPT;
	} else if (key == WATCH_KEY_BACKSPACE || key == 127 || key == 8) {
		rub_out(watch->typed);
	} else if (key == 21) { /* Ctrl-U */
		watch->typed[0] = '\0';
	} else if (key >= ' ' && key < 256 && len + 1 < sizeof(watch->typed)) {
		watch->typed[len] = (char)key;
		watch->typed[len + 1] = '\0';
	}
}

static bool move(struct watch *watch, uint32_t key)
{
	long page = watch->page > 1 ? (long)watch->page - 1 : 1;

	switch (key) {
	case WATCH_KEY_UP:
	case 'k':
		move_by(watch, -1);
		return true;
	case WATCH_KEY_DOWN:
	case 'j':
		move_by(watch, 1);
		return true;
	case WATCH_KEY_PAGE_UP:
		move_by(watch, -page);
		return true;
	case WATCH_KEY_PAGE_DOWN:
		move_by(watch, page);
		return true;
	case WATCH_KEY_HOME:
	case 'g':
		move_to(watch, 0);
		return true;
	case WATCH_KEY_END:
	case 'G':
		move_to(watch, SIZE_MAX);
		return true;
	case WATCH_KEY_RIGHT:
	case WATCH_KEY_TAB:
		show_tab(watch, watch->tab + 1u);
		return true;
	case WATCH_KEY_LEFT:
	case WATCH_KEY_BACKTAB:
		show_tab(watch, watch->tab + WATCH_TABS - 1u);
		return true;
	default:
		if (key < '1' || key >= '1' + WATCH_TABS)
			return false;
		show_tab(watch, key - '1');
		return true;
	}
}

static void open_row(struct watch *watch)
{
	struct watch_table *table = watch_table_of(watch);

	if (watch->cursor < table->shown_count) {
		struct watch_row *row = &table->rows[table->shown[watch->cursor]];

		row->open = !row->open && row->lines;
	}
	watch_arrange(watch);
}

/* Changes are counted from now on. */
static void start_again(struct watch *watch)
{
	if (watch->feed.history)
		return;
	watch_table_clear(watch_table_of(watch));
	watch_sample(watch);
}

static void reverse(struct watch *watch)
{
	watch_table_of(watch)->reverse ^= true;
	watch_arrange(watch);
}

static void command(struct watch *watch, uint32_t key)
{
	switch (key) {
	case 'q':
		watch->quit = true;
		break;
	case '?':
	case 'h':
		watch->help = true;
		break;
	case '/':
		begin_prompt(watch, WATCH_PROMPT_FILTER);
		break;
	case 'w':
		begin_prompt(watch, WATCH_PROMPT_SAVE);
		break;
	case ' ':
	case 'f':
		watch->frozen ^= true;
		break;
	case 'r':
		watch_sample(watch);
		break;
	case 'z':
		start_again(watch);
		break;
	case '<':
		sort_by(watch, -1);
		break;
	case '>':
		sort_by(watch, 1);
		break;
	case 'R':
		reverse(watch);
		break;
	case '\r':
	case WATCH_KEY_ENTER:
		open_row(watch);
		break;
	case '[':
		scrub(watch, -1);
		break;
	case ']':
		scrub(watch, 1);
		break;
	case '{':
		scrub(watch, -60);
		break;
	case '}':
		scrub(watch, 60);
		break;
	default:
		break;
	}
}

void watch_key(struct watch *watch, uint32_t key)
{
	watch->alarm = false;
	watch->message[0] = '\0';
	if (watch->help) {
		watch->help = false;
		watch->quit |= key == 'q';
	} else if (watch->prompt) {
		type(watch, key);
	} else if (!move(watch, key)) {
		command(watch, key);
	}
}
