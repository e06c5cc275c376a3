// SPDX-License-Identifier: GPL-2.0-only
/*
 * The samples of a history, one after the other. Each group has its figure now; a bin of time has
 * the sum of its samples' figures, of which the mean becomes a point. Extremes are those of all
 * samples. What it takes grows with groups and points, not with samples.
 */
#include "ledger/trend_judge.h"
#include "store/history-time.h"
#include "store/trends.h"

struct walk {
	struct kmp_courses *c;
	struct kmp_history *h;
	struct kmp_series_groups *groups;
	struct kmp_figures old; /* before a sample that tells changes from zeros */
	VEC(uint32_t) touched;	/* groups */
	size_t sample;		/* the next one, index in the history */
	size_t bin;
	double bin_samples;
	double bin_time; /* sums, as are the next two */
	double bin_total;
	double bin_available;
	bool unavailable;
};

/* ---- Which samples ---- */

static bool same_boot(const struct kmp_history *h, size_t a, size_t b)
{
	return !strcmp(h->samples.data[a].of->boot, h->samples.data[b].of->boot);
}

/* Figures of another boot have nothing to do with these. */
struct kmp_error *kmp_courses_choose(struct kmp_courses *c, const struct kmp_history *h,
				     const struct kmp_trend_options *options)
{
	size_t all = h->samples.len;
	uint32_t wanted = options->tags ? KMP_READ_TAGS : KMP_READ_PAGES;

	if (options->first >= all)
		return kmp_error_new(KMP_ERROR_USAGE, "there is no sample %zu", options->first + 1);
	size_t last = all - 1, first = options->first;

	if (options->count && options->count < all - first)
		last = first + options->count - 1;
	while (last > first && !(h->samples.data[last].holds & wanted))
		last--;
	if (!(h->samples.data[last].holds & wanted))
		return kmp_error_new(KMP_ERROR_USAGE, "there are no %s in these samples",
				     options->tags ? "tags" : "page owners");
	size_t from = last;

	while (from > first && same_boot(h, from - 1, last))
		from--;
	c->first = from;
	c->count = last - from + 1;
	c->left_out = from - first;
	return NULL;
}

/* ---- Bins ---- */

static size_t bin_of(const struct walk *w, size_t sample)
{
	const struct kmp_courses *c = w->c;
	uint64_t first = w->h->samples.data[c->first].time;
	uint64_t last = w->h->samples.data[c->first + c->count - 1].time;
	uint64_t time = w->h->samples.data[sample].time;

	if (c->count <= c->bins || last <= first)
		return sample - c->first < c->bins ? sample - c->first : c->bins - 1;
	if (time < first)
		return w->bin;
	size_t bin =
		(size_t)((double)(time - first) / (double)(last - first + 1) * (double)c->bins);

	/* A clock that was set back. */
	return bin < w->bin ? w->bin : bin < c->bins ? bin : c->bins - 1;
}

static struct kmp_error *end_bin(struct walk *w)
{
	struct kmp_courses *c = w->c;
	size_t groups = c->now.len;
	double n = w->bin_samples;

	if (n == 0)
		return NULL;
	/* Times must rise: slopes divide by their differences. */
	double time = w->bin_time / n;

	if (c->points && time <= c->times.data[c->points - 1])
		time = c->times.data[c->points - 1] + 1e-6;
	for (size_t g = 0; g < groups; g++) {
		c->means.data[g * c->bins + c->points] = c->sum.data[g] / n;
		c->sum.data[g] = 0;
	}
	try(vec_push(&c->times, time));
	try(vec_push(&c->totals, w->bin_total / n));
	try(vec_push(&c->available, w->bin_available / n));
	c->points++;
	w->bin_samples = w->bin_time = w->bin_total = w->bin_available = 0;
	return NULL;
}

/* ---- Figures ---- */

static struct kmp_error *reach(struct kmp_courses *c, uint32_t group)
{
	while (c->now.len <= group) {
		try(vec_push(&c->sum, 0));
		try(vec_push(&c->least, 0));
		try(vec_push(&c->most, 0));
		try(vec_push(&c->before, 0));
		try(vec_reserve(&c->means, c->bins));
		memset(c->means.data + c->means.len, 0, c->bins * sizeof(double));
		c->means.len += c->bins;
		try(vec_push(&c->now, 0));
	}
	return NULL;
}

static struct kmp_error *change(struct walk *w, uint32_t series, int64_t delta)
{
	uint32_t group;

	try(kmp_series_group(w->groups, series, &group));
	if (group == KMP_NONE)
		return NULL;
	try(reach(w->c, group));
	w->c->now.data[group] += (double)delta;
	return vec_push(&w->touched, group);
}

/* What a sample that tells changes from zeros means after the one before. */
static struct kmp_error *change_all(struct walk *w)
{
	const struct kmp_figures *old = &w->old, *now = &w->h->figures;
	size_t len = old->len > now->len ? old->len : now->len;

	for (size_t i = 0; i < len; i++) {
		uint64_t was = i < old->len ? old->values[i] : 0;
		uint64_t is = i < now->len ? now->values[i] : 0;

		if (was != is)
			try(change(w, (uint32_t)i, (int64_t)(is - was)));
	}
	return NULL;
}

static struct kmp_error *decode(struct walk *w, const uint8_t *data, size_t len, bool from_zeros)
{
	struct kmp_history *h = w->h;
	struct kmp_figures swap = w->old;

	if (from_zeros) {
		w->old = h->figures;
		h->figures = swap;
		kmp_figures_clear(&h->figures);
	}
	try(kmp_sample_decode(&h->coder, data, len, h->series.keys.len, true, &h->figures));
	if (from_zeros)
		return change_all(w);
	for (size_t i = 0; i < h->coder.changed.len; i++)
		try(change(w, h->coder.changed.data[i], h->coder.deltas.data[i]));
	return NULL;
}

/* Extremes, and what stood at first; a group that comes later was at 0 before. */
static void mark(struct walk *w, bool first)
{
	struct kmp_courses *c = w->c;

	for (size_t i = 0; i < w->touched.len; i++) {
		uint32_t g = w->touched.data[i];
		double now = c->now.data[g];

		if (first)
			c->least.data[g] = c->most.data[g] = c->before.data[g] = now;
		if (now < c->least.data[g])
			c->least.data[g] = now;
		if (now > c->most.data[g])
			c->most.data[g] = now;
	}
}

static struct kmp_error *take_sample(struct walk *w, size_t index)
{
	const struct kmp_sample *sample = &w->h->samples.data[index];
	struct kmp_courses *c = w->c;
	size_t bin = bin_of(w, index);

	mark(w, index == c->first);
	w->touched.len = 0;
	if (bin != w->bin)
		try(end_bin(w));
	w->bin = bin;
	for (size_t g = 0; g < c->now.len; g++)
		c->sum.data[g] += c->now.data[g];
	uint64_t first = w->h->samples.data[c->first].time;

	w->bin_samples++;
	w->bin_time += (double)(int64_t)(sample->time - first) / (double)KMP_SECOND;
	w->bin_total += (double)(w->groups->tags ? sample->bytes : sample->pages);
	w->unavailable |= sample->memory_available == KMP_UNKNOWN;
	w->bin_available += (double)sample->memory_available;
	return NULL;
}

/* One row: a sample and what changed with it. */
static struct kmp_error *take_row(struct walk *w, sqlite3_stmt *stmt)
{
	uint64_t id = (uint64_t)sqlite3_column_int64(stmt, 0);
	bool from_zeros = sqlite3_column_int64(stmt, 1) == (int64_t)id;
	size_t len, last = w->c->first + w->c->count;
	const char *data = kmp_db_text(stmt, 2, &len);

	/* What leads to the first sample that is wanted is read too. */
	while (w->sample < last && w->h->samples.data[w->sample].id < id)
		w->sample++;
	if (w->sample == last || w->h->samples.data[w->sample].id != id)
		return kmp_error_new(KMP_ERROR_INPUT, "samples went by age meanwhile; try again");
	size_t sample = w->sample++;

	try(decode(w, (const uint8_t *)data, len, from_zeros));
	return sample < w->c->first ? NULL : take_sample(w, sample);
}

static struct kmp_error *walk(struct walk *w)
{
	const struct kmp_courses *c = w->c;
	auto_stmt sqlite3_stmt *stmt = NULL;
	int64_t block = w->h->places.data[c->first].block;
	uint64_t last = w->h->samples.data[c->first + c->count - 1].id;
	bool row;

	try(kmp_db_prepare(w->h->db,
			   "SELECT id, block, data FROM sample LEFT JOIN change"
			   " ON change.sample = id WHERE id BETWEEN ? AND ? ORDER BY id",
			   &stmt));
	try(kmp_db_bind(stmt, "iu", block, last));
	for (;;) {
		try(kmp_db_step(stmt, &row));
		if (!row)
			return end_bin(w);
		try(take_row(w, stmt));
	}
}

struct kmp_error *kmp_courses_collect(struct kmp_courses *c, struct kmp_history *h,
				      const struct kmp_trend_options *options,
				      struct kmp_series_groups *groups)
{
	struct walk w = { .c = c, .h = h, .groups = groups };

	c->bins = options->points ? options->points : TRENDS_POINTS;
	if (c->bins > KMP_POINTS_MAX)
		c->bins = KMP_POINTS_MAX;
	kmp_figures_clear(&h->figures);
	struct kmp_error *err = walk(&w);

	if (w.unavailable)
		c->available.len = 0;
	kmp_figures_deinit(&w.old);
	vec_deinit(&w.touched);
	return err;
}

void kmp_courses_deinit(struct kmp_courses *c)
{
	vec_deinit(&c->now);
	vec_deinit(&c->sum);
	vec_deinit(&c->least);
	vec_deinit(&c->most);
	vec_deinit(&c->before);
	vec_deinit(&c->means);
	vec_deinit(&c->times);
	vec_deinit(&c->totals);
	vec_deinit(&c->available);
}
