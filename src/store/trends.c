// SPDX-License-Identifier: GPL-2.0-only
/* Trends: what was collected, judged and put in order. */
#include "store/trends.h"

#include <stdio.h>

#include "base/nearest.h"
#include "ledger/trend_judge.h"
#include "store/history-time.h"

static const double default_growth = 65536;

/* What is handed out, and its memory. */
struct owner {
	struct kmp_trends trends;
	double *points;
	double *times;
	double *totals;
	char (*reasons)[KMP_REASON];
};

const char *kmp_verdict_name(enum kmp_verdict verdict)
{
	static const char *const names[] = { "flat", "churn", "spike", "step", "leak" };

	return names[verdict];
}

void kmp_trends_destroy(struct kmp_trends *trends)
{
	struct owner *owner = (struct owner *)trends;

	if (!owner)
		return;
	kmp_groups_destroy(trends->groups);
	free(trends->trends);
	free(owner->points);
	free(owner->times);
	free(owner->totals);
	free(owner->reasons);
	free(owner);
}

/* ---- Groups ---- */

static int64_t whole(double value)
{
	return value >= 0x1p63 ? INT64_MAX : value < -0x1p63 ? INT64_MIN : (int64_t)value;
}

static struct kmp_sums sums_of(const struct kmp_groups *groups, double value, double unit)
{
	struct kmp_sums sums = { .bytes = whole(value * unit) };

	if (groups->unit == KMP_UNIT_PAGES)
		sums.pages = whole(value);
	return sums;
}

static struct kmp_error *finish_groups(struct kmp_series_groups *g, const struct kmp_courses *c,
				       double unit, struct kmp_groups **out)
{
	struct kmp_groups *result = kmp_builder_result(&g->builder);
	const struct kmp_session *first =
		g->history->sessions.data[g->history->places.data[c->first].session];

	for (size_t i = 0; i < g->builder.groups.len; i++) {
		struct kmp_group *group = &g->builder.groups.data[i];
		int64_t members = group->now.members;

		group->now = sums_of(result, c->now.data[i], unit);
		group->before = sums_of(result, c->before.data[i], unit);
		group->now.members = group->before.members = members;
	}
	try(kmp_builder_facts(&g->builder, g->ledger));
	result->difference = true;
	result->records_unknown = true;
	result->facts_before = result->facts;
	result->facts_before.time = g->history->samples.data[c->first].time / KMP_SECOND;
	result->facts_before.profiling_off = first->profiling_off;
	return kmp_builder_finish(&g->builder, out);
}

/* ---- Judging ---- */

static struct kmp_error *make_room(struct owner *owner, const struct kmp_courses *c)
{
	size_t groups = owner->trends.groups->count, points = c->points;

	owner->trends.trends = calloc(groups + 1, sizeof(*owner->trends.trends));
	owner->points = calloc(groups * points + 1, sizeof(double));
	owner->times = calloc(points + 1, sizeof(double));
	owner->totals = calloc(points + 1, sizeof(double));
	owner->reasons = calloc(groups + 1, sizeof(*owner->reasons));
	return owner->trends.trends && owner->points && owner->times && owner->totals &&
			       owner->reasons
		       ? NULL
		       : &kmp_error_no_memory;
}

/* The pages that slab objects lie in: what leaks them leaks objects, which are tags themselves. */
static bool is_slab(const struct kmp_groups *groups, const struct kmp_group *group)
{
	for (size_t k = 0; groups->unit == KMP_UNIT_TAGS && k < groups->key_count; k++) {
		if (!strcmp(groups->keys[k], "function") && group->key[k].kind == KMP_VALUE_TEXT &&
		    !strcmp(group->key[k].text, "alloc_slab_page"))
			return true;
	}
	return false;
}

static void judge_group(struct owner *owner, const struct kmp_courses *c, size_t at, double unit,
			double least_growth, double *scratch)
{
	const struct kmp_group *group = &owner->trends.groups->groups[at];
	struct kmp_trend *trend = &owner->trends.trends[at];
	size_t number = group->seen;
	double *points = owner->points + at * c->points;
	struct kmp_judgement judgement;

	for (size_t i = 0; i < c->points; i++)
		points[i] = c->means.data[number * c->bins + i] * unit;
	*trend = (struct kmp_trend){ .group = group,
				     .min = c->least.data[number] * unit,
				     .max = c->most.data[number] * unit,
				     .points = points };
	kmp_course_judge(
		&(struct kmp_course){
			.points = { owner->times, points, c->points },
			.min = trend->min,
			.max = trend->max,
			.least_growth = least_growth,
			.totals = owner->totals,
			.available = c->available.len ? c->available.data : NULL,
			.scratch = scratch,
		},
		&judgement);
	trend->slope = judgement.slope.slope;
	trend->slope_low = judgement.slope.low;
	trend->slope_high = judgement.slope.high;
	trend->tau = judgement.slope.tau;
	trend->p = judgement.slope.p;
	trend->verdict = judgement.verdict;
	trend->since = owner->trends.first_time +
		       (uint64_t)(owner->times[judgement.since] * (double)KMP_SECOND);
	trend->again = is_slab(owner->trends.groups, group);
	snprintf(owner->reasons[at], KMP_REASON, "%s%.96s",
		 trend->again ? "behind slab objects: " : "", judgement.reason);
	trend->reason = owner->reasons[at];
}

static struct kmp_error *judge_all(struct owner *owner, const struct kmp_courses *c, double unit,
				   double least_growth)
{
	auto_free double *scratch =
		calloc(kmp_pairs(c->points) + 2 * c->points + 1, sizeof(*scratch));

	if (!scratch)
		return &kmp_error_no_memory;
	try(make_room(owner, c));
	for (size_t i = 0; i < c->points; i++) {
		owner->times[i] = c->times.data[i];
		owner->totals[i] = c->totals.data[i] * unit;
	}
	for (size_t i = 0; i < owner->trends.groups->count; i++)
		judge_group(owner, c, i, unit, least_growth, scratch);
	return NULL;
}

/* Groups that have had nothing in these samples. */
static void leave_out_nothing(struct kmp_trends *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->count; i++) {
		if (t->trends[i].min != 0 || t->trends[i].max != 0)
			t->trends[kept++] = t->trends[i];
	}
	t->count = kept;
}

/* ---- All of it ---- */

static struct kmp_error *fill(struct owner *owner, struct kmp_history *h,
			      const struct kmp_trend_options *options, struct kmp_courses *c,
			      struct kmp_series_groups *g)
{
	struct kmp_trends *t = &owner->trends;
	double unit = options->tags ? 1 : kmp_ledger_facts(g->ledger)->page_size;

	try(kmp_courses_collect(c, h, options, g));
	try(finish_groups(g, c, unit, &t->groups));
	t->count = t->groups->count;
	t->point_count = c->points;
	t->times = NULL;
	t->samples = c->count;
	t->left_out = c->left_out;
	t->first_time = h->samples.data[c->first].time;
	t->last_time = h->samples.data[c->first + c->count - 1].time;
	try(judge_all(owner, c, unit,
		      options->min_growth > 0 ? options->min_growth : default_growth));
	leave_out_nothing(t);
	t->times = owner->times;
	t->totals = owner->totals;
	return kmp_trends_sort(t, "verdict");
}

static struct kmp_error *find(struct owner *owner, struct kmp_history *h,
			      const struct kmp_trend_options *options)
{
	struct kmp_courses courses = { 0 };
	struct kmp_series_groups groups;

	try(kmp_courses_choose(&courses, h, options));
	try(kmp_series_groups_init(&groups, h, options, courses.first + courses.count - 1));
	struct kmp_error *err = fill(owner, h, options, &courses, &groups);

	kmp_loader_pause(&h->loader);
	kmp_series_groups_deinit(&groups);
	kmp_courses_deinit(&courses);
	return err;
}

struct kmp_error *kmp_trends_find(struct kmp_history *h, const struct kmp_trend_options *options,
				  struct kmp_trends **trends)
{
	const struct kmp_trend_options plain = { 0 };
	struct owner *owner = calloc(1, sizeof(*owner));

	if (!owner)
		return &kmp_error_no_memory;
	struct kmp_error *err = kmp_error_at(find(owner, h, options ? options : &plain), h->path);

	if (err)
		kmp_trends_destroy(&owner->trends);
	else
		*trends = &owner->trends;
	return err;
}

/* ---- Order ---- */

enum order { BY_VERDICT, BY_RATE, BY_DELTA, BY_FIRST, BY_LAST, BY_MIN, BY_MAX, BY_TAU, ORDERS };

static const char *const order_names[ORDERS] = { "verdict", "rate", "delta", "first",
						 "last",    "min",  "max",   "tau" };

static double delta_of(const struct kmp_trend *t)
{
	return (double)t->group->now.bytes - (double)t->group->before.bytes;
}

static double figure_of(const struct kmp_trend *t, enum order by)
{
	switch (by) {
	case BY_RATE:
		return t->slope;
	case BY_DELTA:
		return delta_of(t);
	case BY_FIRST:
		return (double)t->group->before.bytes;
	case BY_LAST:
		return (double)t->group->now.bytes;
	case BY_MIN:
		return t->min;
	case BY_MAX:
		return t->max;
	case BY_TAU:
		return t->tau;
	case BY_VERDICT:
	case ORDERS:
		break;
	}
	return t->verdict;
}

static int compare_doubles(double a, double b)
{
	return (a < b) - (a > b);
}

struct sorting {
	enum order by;
	bool reverse;
	size_t keys;
};

static int compare(const void *left, const void *right, void *arg)
{
	const struct kmp_trend *a = left, *b = right;
	const struct sorting *sorting = arg;
	int result = compare_doubles(figure_of(a, sorting->by), figure_of(b, sorting->by));

	if (result)
		return sorting->reverse ? -result : result;
	/* Of leaks the fastest first, of the rest what changed most. */
	if (a->again != b->again)
		return a->again ? 1 : -1;
	if (a->verdict == KMP_VERDICT_LEAK && b->verdict == KMP_VERDICT_LEAK)
		result = compare_doubles(a->slope, b->slope);
	if (!result)
		result = compare_doubles(a->max - a->min, b->max - b->min);
	for (size_t k = 0; !result && k < sorting->keys; k++)
		result = kmp_value_compare(&a->group->key[k], &b->group->key[k]);
	return result;
}

struct kmp_error *kmp_trends_sort(struct kmp_trends *trends, const char *by)
{
	struct sorting sorting = { .reverse = *by == '-', .keys = trends->groups->key_count };
	const char *name = by + sorting.reverse;
	char offer[KMP_NEAREST_SIZE];

	while (sorting.by < ORDERS && strcmp(order_names[sorting.by], name) != 0)
		sorting.by++;
	if (sorting.by == ORDERS) {
		kmp_nearest(name, strlen(name), order_names, ORDERS, offer);
		return kmp_error_new(KMP_ERROR_USAGE, "trends cannot be sorted by '%.60s'%s", name,
				     offer);
	}
	qsort_r(trends->trends, trends->count, sizeof(*trends->trends), compare, &sorting);
	return NULL;
}
