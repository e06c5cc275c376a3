// SPDX-License-Identifier: GPL-2.0-only
#include "ledger/trend_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline void swap(double *a, double *b)
{
	double t = *a;

	*a = *b;
	*b = t;
}

/* The middle one of three goes to the middle: a pivot that sorted input does not spoil. */
static double choose_pivot(double *v, size_t low, size_t high)
{
	size_t middle = low + (high - low) / 2;

	if (v[middle] < v[low])
		swap(&v[middle], &v[low]);
	if (v[high] < v[low])
		swap(&v[high], &v[low]);
	if (v[high] < v[middle])
		swap(&v[high], &v[middle]);
	return v[middle];
}

double kmp_select(double *v, size_t n, size_t k)
{
	size_t low = 0, high = n - 1;

	while (low < high) {
		double pivot = choose_pivot(v, low, high);
		size_t i = low, j = high;

		for (;;) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap(&v[i++], &v[j--]);
		}
		/* j is the last of the lower part; it is below high, as the pivot is. */
		if (k <= j)
			high = j;
		else
			low = j + 1;
	}
	return v[k];
}

double kmp_median(double *v, size_t n)
{
	if (!n)
		return 0;
	double upper = kmp_select(v, n, n / 2);

	if (n % 2)
		return upper;
	double lower = v[0];

	for (size_t i = 1; i < n / 2; i++)
		lower = v[i] > lower ? v[i] : lower;
	return (lower + upper) / 2;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The variance of Kendall's sum, which equal values make smaller. */
static double variance_of(const struct kmp_points *points, double *sorted)
{
	double n = (double)points->count;
	double variance = n * (n - 1) * (2 * n + 5);

	memcpy(sorted, points->values, points->count * sizeof(*sorted));
	qsort(sorted, points->count, sizeof(*sorted), compare);
	for (size_t i = 0, run; i < points->count; i += run) {
		for (run = 1; i + run < points->count && sorted[i + run] == sorted[i]; run++)
			;
		double t = (double)run;

		variance -= t * (t - 1) * (2 * t + 5);
	}
	return variance / 18;
}

/* The slopes of all pairs; the sum of their signs. */
static double find_slopes(const struct kmp_points *points, double *slopes)
{
	const double *t = points->times, *v = points->values;
	size_t n = 0;
	long sum = 0;

	for (size_t i = 0; i + 1 < points->count; i++) {
		for (size_t j = i + 1; j < points->count; j++) {
			double rise = v[j] - v[i];

			slopes[n++] = rise / (t[j] - t[i]);
			sum += (rise > 0) - (rise < 0);
		}
	}
	return (double)sum;
}

void kmp_slope_find(const struct kmp_points *points, double *scratch, struct kmp_slope *slope)
{
	size_t pairs = kmp_pairs(points->count);

	*slope = (struct kmp_slope){ .p = 1 };
	if (points->count < 2)
		return;
	double sum = find_slopes(points, scratch);
	double variance = variance_of(points, scratch + pairs);

	if (variance <= 0)
		return;
	double apart = 1.96 * sqrt(variance);
	double low = floor(((double)pairs - apart) / 2), high = ceil(((double)pairs + apart) / 2);

	slope->slope = kmp_median(scratch, pairs);
	slope->low = kmp_select(scratch, pairs, low > 0 ? (size_t)low : 0);
	slope->high =
		kmp_select(scratch, pairs, high < (double)pairs - 1 ? (size_t)high : pairs - 1);
	slope->tau = sum / (double)pairs;
	double beyond = fabs(sum) > 1 ? fabs(sum) - 1 : 0;

	slope->p = erfc(beyond / sqrt(2 * variance));
}
