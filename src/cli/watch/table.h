/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a tab of the screen shows: rows that live through samples. Knows no terminal and no source:
 * it is fed with groups.
 */
#ifndef KMP_CLI_WATCH_TABLE_H
#define KMP_CLI_WATCH_TABLE_H

#include "kmemprof/kmemprof.h"

enum { WATCH_POINTS = 32 }; /* samples that a row remembers */

/* What rows can be ordered by, in the order of the columns. */
enum watch_column {
	WATCH_BYTES,
	WATCH_COUNT,
	WATCH_START,
	WATCH_LAST,
	WATCH_RATE,
	WATCH_NAME,
	WATCH_COLUMNS
};

struct watch_row {
	uint64_t hash[2];	      /* of its key */
	char *name;		      /* in one line; can be seen as it is */
	char *detail;		      /* more lines, each ended by a newline, or "" */
	uint32_t lines;		      /* how many */
	bool open;		      /* the lines are shown */
	int64_t bytes;		      /* now */
	int64_t count;		      /* now: pages, or calls of tags */
	int64_t start;		      /* bytes in the first sample, 0 if it was not there */
	int64_t last;		      /* bytes in the sample before */
	int64_t points[WATCH_POINTS]; /* bytes, by number of the sample */
	uint64_t seen;		      /* the sample that had it last, from 1 */
};

struct watch_sum {
	int64_t bytes;
	int64_t count;
};

struct watch_table {
	struct watch_row *rows;
	size_t count;
	size_t cap;
	uint32_t *slots; /* by hash: number of a row + 1 */
	size_t slot_count;
	uint32_t *shown; /* numbers of rows, in the order of the screen */
	size_t shown_count;
	uint64_t samples;
	uint64_t points; /* of them, those that series are made of */
	uint64_t start_ns, last_ns, now_ns;
	struct watch_sum start, last, now;
	enum watch_column sort;
	bool reverse;
	char *needle; /* only rows whose name contains it, or NULL */
};

void watch_table_deinit(struct watch_table *table);

/* Forget rows and samples: the next one is the first again. Order and needle stay. */
void watch_table_clear(struct watch_table *table);

/* Take a sample of this time, ns of any clock. The first one is what changes are counted from. */
struct kmp_error *watch_table_add(struct watch_table *table, const struct kmp_groups *groups,
				  uint64_t ns);

/* What was sampled until now is no part of the series, but it stays the start. */
void watch_table_cut(struct watch_table *table);

/* Make `shown`: the rows that have something to say and match the needle, in order. */
struct kmp_error *watch_table_arrange(struct watch_table *table);

/* Only rows whose name contains this, NULL for all. */
struct kmp_error *watch_table_find(struct watch_table *table, const char *needle);

/* The row's figure of a column; its rate is bytes a second. */
int64_t watch_row_figure(const struct watch_table *table, const struct watch_row *row,
			 enum watch_column column);

/* The same of the sums. */
int64_t watch_total_figure(const struct watch_table *table, enum watch_column column);

/*
 * The last `width` points of a row as levels from 0 (its least) to 7 (its most), oldest first; -1
 * where there was no sample.
 */
void watch_row_levels(const struct watch_table *table, const struct watch_row *row, int *levels,
		      unsigned width);

#endif
