/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of the screen, and what keys do to it. Knows no terminal. */
#ifndef KMP_CLI_WATCH_WATCH_H
#define KMP_CLI_WATCH_WATCH_H

#include "cli/watch/feed.h"
#include "cli/watch/table.h"

/* What is typed into the line below the tabs. */
enum watch_prompt { WATCH_NO_PROMPT, WATCH_PROMPT_FILTER, WATCH_PROMPT_SAVE };

struct watch {
	struct watch_feed feed;
	const char *source; /* for the title */
	uint64_t interval;  /* ns */
	enum watch_tab tab;
	struct watch_table tables[WATCH_TABS];
	size_t moments[WATCH_TABS]; /* of a history: which one the table shows */
	size_t cursor;		    /* the row among those shown */
	uint64_t cursor_hash[2];    /* of that row: it is followed */
	size_t top;		    /* the first line on the screen */
	size_t page;		    /* lines for rows that the screen has */
	bool frozen;		    /* no samples are taken; a history stands */
	bool help;
	bool quit;
	enum watch_prompt prompt;
	char typed[1024];
	char where[1024];  /* the filter of page owners, "" for none */
	char note[256];	   /* what a reader must know of the last sample, "" if nothing */
	bool lossy;	   /* it is not all that there was */
	char message[512]; /* one line, until the next key */
	bool alarm;	   /* the message is an error */
	bool failing;	   /* it tells why there was no sample */
};

/* What keys are here: characters, and these. */
enum watch_key {
	WATCH_KEY_UP = 0x110000,
	WATCH_KEY_DOWN,
	WATCH_KEY_LEFT,
	WATCH_KEY_RIGHT,
	WATCH_KEY_PAGE_UP,
	WATCH_KEY_PAGE_DOWN,
	WATCH_KEY_HOME,
	WATCH_KEY_END,
	WATCH_KEY_BACKSPACE,
	WATCH_KEY_BACKTAB,
	WATCH_KEY_ENTER = '\n',
	WATCH_KEY_TAB = '\t',
	WATCH_KEY_ESCAPE = 27
};

struct watch_table *watch_table_of(struct watch *watch);

/* What the groups of a sample say of themselves: losses, else a warning. */
void watch_note(struct watch *watch, const struct kmp_groups *groups);

/* Show an error in the line of messages, and free it; NULL clears it. */
void watch_tell(struct watch *watch, struct kmp_error *err);

/*
 * Take a sample for this tab, or go on to the next moment of a history. An error stands in the line
 * of messages: what was shown stays.
 */
void watch_sample(struct watch *watch);

/* Have the tab's table show the moment of the history that the feed stands at. */
struct kmp_error *watch_show_moment(struct watch *watch);

/* Filter page owners; what is wrong with the expression is told, and nothing changes. */
struct kmp_error *watch_filter(struct watch *watch, const char *where);

/* Arrange the rows anew and keep the cursor on its row. */
void watch_arrange(struct watch *watch);

/* Do what a key says. */
void watch_key(struct watch *watch, uint32_t key);

/* How many lines a row takes, and all rows before one. */
size_t watch_lines(const struct watch_table *table, size_t shown);
size_t watch_line_of(const struct watch_table *table, size_t shown);

void watch_deinit(struct watch *watch);

#endif
