/* SPDX-License-Identifier: GPL-2.0-only */
/* The courses of a history's figures, by group: collected from its samples, then judged. */
#ifndef KMP_STORE_TRENDS_H
#define KMP_STORE_TRENDS_H

#include "ledger/group_keys.h"
#include "ledger/groups.h"
#include "ledger/tag_keys.h"
#include "store/history-reader.h"

enum { TRENDS_POINTS = 64 };

/* Which group a series is in. */
struct kmp_series_groups {
	struct kmp_history *history;
	struct kmp_ledger *ledger;
	struct kmp_filter *filter;
	bool tags;
	struct kmp_tag_keys tag_keys;
	enum kmp_group_key keys[KMP_KEY_COUNT];
	size_t key_count;
	struct kmp_parts parts;
	struct kmp_builder builder;
	VEC(uint32_t) group_of; /* by series: 0 not asked yet, 1 none, else number + 2 */
	VEC(char) path;		/* scratch */
};

/* index: a sample whose facts are those of the groups. An error leaves nothing to deinit. */
struct kmp_error *kmp_series_groups_init(struct kmp_series_groups *groups,
					 struct kmp_history *history,
					 const struct kmp_trend_options *options,
					 size_t index) must_check;

/* The number of the group of a series; KMP_NONE: it is left out. */
struct kmp_error *kmp_series_group(struct kmp_series_groups *groups, uint32_t series,
				   uint32_t *group) must_check;

void kmp_series_groups_deinit(struct kmp_series_groups *groups);

/* What was collected, in units of the figures (pages, or bytes). */
struct kmp_courses {
	size_t first; /* sample */
	size_t count; /* of samples */
	size_t left_out;
	size_t bins;	 /* there is room for */
	size_t points;	 /* that have samples */
	VEC(double) now; /* by group, from here on */
	VEC(double) sum; /* of the samples of this bin */
	VEC(double) least;
	VEC(double) most;
	VEC(double) before; /* in the first sample */
	VEC(double) means;  /* bins of each group */
	VEC(double) times;  /* of the points; seconds */
	VEC(double) totals;
	VEC(double) available; /* empty if a sample does not tell it */
};

/* Walk through the samples that the options ask for. */
struct kmp_error *kmp_courses_collect(struct kmp_courses *courses, struct kmp_history *history,
				      const struct kmp_trend_options *options,
				      struct kmp_series_groups *groups) must_check;

/* Set first, count and left_out. */
struct kmp_error *kmp_courses_choose(struct kmp_courses *courses, const struct kmp_history *history,
				     const struct kmp_trend_options *options) must_check;

void kmp_courses_deinit(struct kmp_courses *courses);

#endif
