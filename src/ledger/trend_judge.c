// SPDX-License-Identifier: GPL-2.0-only
#include "ledger/trend_judge.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PARTS = 5 };

static const double least_tau = 0.65;	  /* of a leak */
static const double least_z = 12;	  /* its slope, in its standard errors */
static const double least_part = 0.3;	  /* of the growth that each part must have */
static const double most_part = 0.6;	  /* of all growth, in one part */
static const double most_back = 0.2;	  /* of all growth, that is given back */
static const double most_by_load = 0.5;	  /* of all growth, that goes with all else */
static const double outlier = 10;	  /* of the usual distance from both neighbours */
static const double narrow = 0.05;	  /* of the level: noise */
static const double spike_time = 0.15;	  /* of all time, that a spike is high */
static const double least_in_sigmas = 5;  /* of a step */
static const double least_in_spreads = 8; /* of a spike */

static void judge(struct kmp_judgement *j, enum kmp_verdict verdict, size_t since, const char *fmt,
		  ...) __attribute__((format(printf, 4, 5)));

static void judge(struct kmp_judgement *j, enum kmp_verdict verdict, size_t since, const char *fmt,
		  ...)
{
	va_list args;

	j->verdict = verdict;
	j->since = since;
	va_start(args, fmt);
	vsnprintf(j->reason, sizeof(j->reason), fmt, args);
	va_end(args);
}

static double median_of(const double *values, size_t n, double *scratch)
{
	memcpy(scratch, values, n * sizeof(*values));
	return kmp_median(scratch, n);
}

/* The spread of values about their median, as a standard deviation. */
static double spread_of(const double *values, size_t n, double median, double *scratch)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] = fabs(values[i] - median);
	return 1.4826 * kmp_median(scratch, n);
}

/* ---- Leaks ---- */

/*
 * How many standard errors the slope is away from 0. Figures that wander keep their deviation for
 * a while, so that they are worth fewer points: as many as the correlation of one with the next
 * leaves.
 */
static double slope_z(const struct kmp_points *p, double slope)
{
	size_t n = p->count;
	double mean_t = 0, mean_v = 0, spread_t = 0, squares = 0, products = 0, before = 0;

	for (size_t i = 0; i < n; i++) {
		mean_t += p->times[i] / (double)n;
		mean_v += p->values[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		double t = p->times[i] - mean_t;
		double rest = p->values[i] - mean_v - slope * t;

		spread_t += t * t;
		squares += rest * rest;
		products += i ? rest * before : 0;
		before = rest;
	}
	if (squares <= 0)
		return slope ? copysign(INFINITY, slope) : 0;
	/* The estimate is too low where there are few points. */
	double r = products / squares + 4 / (double)n;

	r = r < 0 ? 0 : r > 0.98 ? 0.98 : r;
	double error = sqrt(squares / (double)(n - 2) / spread_t * (1 + r) / (1 - r));

	return slope / error;
}

/* Does it grow in each part of the time, and in none nearly all of it? */
static bool is_steady(const struct kmp_points *p, double *scratch)
{
	double medians[PARTS];

	for (size_t i = 0; i < PARTS; i++) {
		size_t from = i * p->count / PARTS, to = (i + 1) * p->count / PARTS;

		medians[i] = median_of(p->values + from, to - from, scratch);
	}
	double growth = medians[PARTS - 1] - medians[0];

	for (size_t i = 0; i + 1 < PARTS; i++) {
		double part = medians[i + 1] - medians[i];

		if (part < least_part * growth / (PARTS - 1) || part > most_part * growth)
			return false;
	}
	return growth > 0;
}

/* The largest fall from a height that had been there, of means over an eighth of the time. */
static double fall_of(const struct kmp_points *p, size_t *at)
{
	size_t wide = p->count / 8 < 3 ? 3 : p->count / 8;
	double sum = 0, top = -INFINITY, fall = 0;

	*at = 0;
	for (size_t i = 0; i < p->count; i++) {
		sum += p->values[i] - (i >= wide ? p->values[i - wide] : 0);
		double mean = sum / (double)wide;

		if (i + 1 < wide)
			continue;
		if (mean > top)
			top = mean;
		if (top - mean > fall) {
			fall = top - mean;
			*at = i;
		}
	}
	return fall;
}

/* How much of the growth would be there if it had grown as all else did. */
static double growth_by_load(const struct kmp_course *c, size_t from, double growth)
{
	size_t n = c->points.count, few = (n - from) / 8 + 1;
	double first = 0, last = 0, own_first = 0;

	if (!c->totals)
		return 0;
	for (size_t i = 0; i < few; i++) {
		own_first += c->points.values[from + i] / (double)few;
		first += (c->totals[from + i] - c->points.values[from + i]) / (double)few;
		last += (c->totals[n - 1 - i] - c->points.values[n - 1 - i]) / (double)few;
	}
	if (first <= 0 || last <= first || own_first <= 0)
		return 0;
	double expected = own_first * (last / first - 1);

	return expected > growth ? 1 : expected / growth;
}

/* What stood still at first may have begun to grow later: the last point of no growth so far. */
static size_t beginning_of(const double *values, size_t n)
{
	double least = values[0], most = values[0];
	size_t from = 0;

	for (size_t i = 1; i < n; i++) {
		least = values[i] < least ? values[i] : least;
		most = values[i] > most ? values[i] : most;
	}
	for (size_t i = 0; i < n && values[i] <= least + 0.02 * (most - least); i++)
		from = i;
	return from;
}

/* A copy of the values in which single points far from both neighbours are like these. */
static const double *without_outliers(const struct kmp_course *c)
{
	const double *v = c->points.values;
	size_t n = c->points.count;
	double *clean = c->scratch + kmp_pairs(n) + n;

	for (size_t i = 0; i < n; i++) {
		double three[] = { v[i ? i - 1 : i], v[i], v[i + 1 < n ? i + 1 : i] };

		clean[i] = kmp_median(three, 3);
		c->scratch[i] = fabs(v[i] - clean[i]);
	}
	double usual = 1.4826 * kmp_median(c->scratch, n);

	for (size_t i = 0; i < n; i++) {
		if (fabs(v[i] - clean[i]) <= outlier * usual)
			clean[i] = v[i];
	}
	return clean;
}

static bool test_leak(const struct kmp_course *c, size_t from, struct kmp_judgement *j)
{
	struct kmp_points p = { c->points.times + from, without_outliers(c) + from,
				c->points.count - from };
	struct kmp_slope slope = j->slope;
	size_t at;

	if (p.count < KMP_POINTS_LEAST || p.count < c->points.count / 4)
		return false;
	if (from)
		kmp_slope_find(&p, c->scratch, &slope);
	double growth = slope.slope * (p.times[p.count - 1] - p.times[0]);

	if (slope.tau < least_tau || slope.low <= 0 || growth < c->least_growth ||
	    slope_z(&p, slope.slope) < least_z || !is_steady(&p, c->scratch) ||
	    fall_of(&p, &at) > most_back * growth)
		return false;
	double by_load = growth_by_load(c, from, growth);

	j->slope = slope;
	if (by_load > most_by_load)
		judge(j, KMP_VERDICT_CHURN, from,
		      "grows as all else does: load explains %.0f %% of it", 100 * by_load);
	else
		judge(j, KMP_VERDICT_LEAK, from, "grows steadily, %.0f %% of all pairs rise%s",
		      50 + 50 * slope.tau, by_load > 0.1 ? "; load explains a part" : "");
	return true;
}

/* ---- Spikes and steps ---- */

static bool test_spike(const struct kmp_course *c, struct kmp_judgement *j)
{
	const struct kmp_points *p = &c->points;
	double base = median_of(p->values, p->count, c->scratch);
	double spread = spread_of(p->values, p->count, base, c->scratch);
	double height = c->max - base;
	size_t high = 0, peak = 0;

	if (height < c->least_growth || height < narrow * base ||
	    height < least_in_spreads * spread)
		return false;
	for (size_t i = 0; i < p->count; i++) {
		high += p->values[i] > base + height / 2;
		peak = p->values[i] > p->values[peak] ? i : peak;
	}
	if ((double)high > spike_time * (double)p->count ||
	    p->values[p->count - 1] > base + height / 3)
		return false;
	judge(j, KMP_VERDICT_SPIKE, peak, "rises to %.3g times its level and falls back",
	      base > 0 ? c->max / base : INFINITY);
	if (base <= 0)
		judge(j, KMP_VERDICT_SPIKE, peak,
		      "is there for a moment and falls back to nothing");
	return true;
}

/* Where two levels fit best: the first point of the second, 0 for nowhere; what then remains. */
static size_t find_split(const struct kmp_points *p, double *rest, double *whole)
{
	size_t n = p->count, edge = n / 16 + 2, best = 0;
	double sum = 0, squares = 0, left = 0, left_squares = 0;

	for (size_t i = 0; i < n; i++) {
		double v = p->values[i] - p->values[0];

		sum += v;
		squares += v * v;
	}
	*whole = *rest = squares - sum * sum / (double)n;
	for (size_t i = 1; i < n; i++) {
		double v = p->values[i - 1] - p->values[0], right = sum - left - v;

		left += v;
		left_squares += v * v;
		double here = left_squares - left * left / (double)i + (squares - left_squares) -
			      right * right / (double)(n - i);

		if (i >= edge && i + edge <= n && here < *rest) {
			*rest = here;
			best = i;
		}
	}
	return best;
}

static bool test_step(const struct kmp_course *c, struct kmp_judgement *j)
{
	const struct kmp_points *p = &c->points;
	double rest, whole;
	size_t at = find_split(p, &rest, &whole);

	if (!at || rest > 0.3 * whole)
		return false;
	double before = median_of(p->values, at, c->scratch);
	double after = median_of(p->values + at, p->count - at, c->scratch);
	double change = after - before;
	double sigma = sqrt(rest > 0 ? rest / (double)p->count : 0);
	size_t next = at + 1 < p->count ? at + 1 : at;
	double jump = p->values[next] - p->values[at >= 2 ? at - 2 : 0];

	if (fabs(change) < c->least_growth || fabs(change) < least_in_sigmas * sigma ||
	    jump / change < 0.6)
		return false;
	judge(j, KMP_VERDICT_STEP, at, "%s at once and stays there",
	      change > 0 ? "rises" : "falls");
	return true;
}

/* ---- The rest ---- */

/* Was memory short at this point, or shortly before? */
static bool was_short(const struct kmp_course *c, size_t at)
{
	size_t n = c->points.count, from = at > n / 4 ? at - n / 4 : 0;

	if (!c->available)
		return false;
	double usual = median_of(c->available, n, c->scratch);

	for (size_t i = from; i <= at; i++) {
		if (c->available[i] < 0.8 * usual)
			return true;
	}
	return false;
}

static void judge_rest(const struct kmp_course *c, struct kmp_judgement *j)
{
	const struct kmp_points *p = &c->points;
	double growth = j->slope.slope * (p->times[p->count - 1] - p->times[0]);
	double level = median_of(p->values, p->count, c->scratch);
	size_t at;
	double fall = fall_of(p, &at);

	if (c->max - c->min <= narrow * level) {
		judge(j, KMP_VERDICT_FLAT, 0, "stays within %.0f %% of its level", 100 * narrow);
		return;
	}
	if (j->slope.high < 0 && j->slope.tau < -least_tau) {
		judge(j, KMP_VERDICT_CHURN, 0, "shrinks");
		return;
	}
	if (fall > most_back * (c->max - c->min) && was_short(c, at)) {
		judge(j, KMP_VERDICT_CHURN, at, "gives back what it has when memory is short");
		return;
	}
	if (j->slope.low > 0 && growth >= c->least_growth)
		judge(j, KMP_VERDICT_CHURN, 0, "grows, but not steadily, or gives back");
	else
		judge(j, KMP_VERDICT_CHURN, 0, "rises and falls");
}

void kmp_course_judge(const struct kmp_course *c, struct kmp_judgement *j)
{
	*j = (struct kmp_judgement){ .slope.p = 1 };
	if (c->max == c->min) {
		judge(j, KMP_VERDICT_FLAT, 0, "does not change");
		return;
	}
	kmp_slope_find(&c->points, c->scratch, &j->slope);
	if (c->max - c->min < c->least_growth) {
		judge(j, KMP_VERDICT_FLAT, 0, "changes by less than --min-growth");
		return;
	}
	if (c->points.count < KMP_POINTS_LEAST) {
		judge(j, KMP_VERDICT_FLAT, 0, "too few samples to tell: %zu of at least %d",
		      c->points.count, KMP_POINTS_LEAST);
		return;
	}
	size_t from = beginning_of(without_outliers(c), c->points.count);

	if (test_leak(c, 0, j) || (from && test_leak(c, from, j)))
		return;
	if (!test_spike(c, j) && !test_step(c, j))
		judge_rest(c, j);
}
