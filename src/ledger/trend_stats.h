/* SPDX-License-Identifier: GPL-2.0-only */
/* Robust statistics of how a figure goes over time. */
#ifndef KMP_LEDGER_TREND_STATS_H
#define KMP_LEDGER_TREND_STATS_H

#include "base/error.h"

/* A figure at rising times. */
struct kmp_points {
	const double *times; /* seconds */
	const double *values;
	size_t count;
};

/*
 * The slope by Theil and Sen, the median of the slopes of all pairs, with Sen's 95 % interval; and
 * the test of Mann and Kendall: does it rise or fall more than chance would have it?
 */
struct kmp_slope {
	double slope; /* a second */
	double low;
	double high;
	double tau; /* rising pairs less falling ones, of all pairs: -1 to 1 */
	double p;   /* how likely that is by chance alone, both ways */
};

/* Pairs of so many points. */
static inline size_t kmp_pairs(size_t points)
{
	return points ? points * (points - 1) / 2 : 0;
}

/* scratch has room for kmp_pairs(points->count) + points->count numbers. */
void kmp_slope_find(const struct kmp_points *points, double *scratch, struct kmp_slope *slope);

/* The k-th smallest (from 0) of n numbers, which are reordered. */
double kmp_select(double *values, size_t n, size_t k);

/* The median; the numbers are reordered. 0 of none. */
double kmp_median(double *values, size_t n);

#endif
