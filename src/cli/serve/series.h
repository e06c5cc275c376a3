/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which of many groups are series of their own: the largest and those that grow fastest. Monitoring
 * pays for each series that ever was, so who was chosen once stays while it is among twice as many.
 */
#ifndef KMP_CLI_SERVE_SERIES_H
#define KMP_CLI_SERVE_SERIES_H

#include "cli/grow.h"

struct serve_row {
	uint64_t id;   /* hash of the labels */
	size_t label;  /* where they stand in the texts: `{a="b"}` */
	int64_t bytes; /* what is ranked by */
	int64_t count;
	double growth; /* bytes, against what it was lately */
	bool chosen;
};

/* What is remembered of a series. */
struct serve_past {
	uint64_t id;
	double lately; /* bytes, a mean in which what is long ago fades */
	bool chosen;
};

struct serve_series {
	VEC(struct serve_row) rows; /* of this sample, by id */
	VEC(char) texts;
	struct serve_past *past; /* of the sample before, by id */
	size_t past_count;
};

void serve_series_deinit(struct serve_series *series);

/* Begin the rows of a sample. */
void serve_series_begin(struct serve_series *series);

/* A label of the row that comes next: the first one, or another. Bytes that are no UTF-8 are told.
 */
struct kmp_error *serve_series_label(struct serve_series *series, const char *name,
				     const struct kmp_value *value);

/* End the labels of a row, which begin at `label` in the texts; equal labels are one row. */
struct kmp_error *serve_series_row(struct serve_series *series, size_t label, int64_t bytes,
				   int64_t count);

/*
 * All rows of a sample are there: choose `top` by size and a quarter as many by growth. weight is
 * that of this sample in the mean.
 */
struct kmp_error *serve_series_choose(struct serve_series *series, size_t top, double weight);

#endif
