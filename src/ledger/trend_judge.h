/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a figure's course over time is: a leak, a spike, a step, churn or flat. docs/trend.md tells
 * the rules, for whoever must trust them.
 */
#ifndef KMP_LEDGER_TREND_JUDGE_H
#define KMP_LEDGER_TREND_JUDGE_H

#include "ledger/trend_stats.h"

enum { KMP_POINTS_LEAST = 8, KMP_POINTS_MAX = 1024, KMP_REASON = 128 };

struct kmp_course {
	struct kmp_points points;
	double min; /* of all samples, of which points are means */
	double max;
	double least_growth; /* what grows less is of no interest */
	/* At the times of the points, or NULL: the sum of all figures; memory that is to be had. */
	const double *totals;
	const double *available;
	double *scratch; /* kmp_pairs(count) + 2 * count numbers */
};

struct kmp_judgement {
	struct kmp_slope slope;
	enum kmp_verdict verdict;
	size_t since; /* the point at which it began */
	char reason[KMP_REASON];
};

void kmp_course_judge(const struct kmp_course *course, struct kmp_judgement *judgement);

#endif
