// SPDX-License-Identifier: GPL-2.0-only
/* Trends for programs: CSV and JSON; sparklines for people. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "format/json.h"
#include "format/trends.h"

enum { NS = 1000000000 };

struct kmp_error *kmp_sparkline(struct kmp_buf *buf, const double *points, size_t count,
				size_t width, bool ascii)
{
	static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char letters[] = "_.-~=+*#";
	double least = INFINITY, most = -INFINITY;

	for (size_t i = 0; i < count; i++) {
		least = points[i] < least ? points[i] : least;
		most = points[i] > most ? points[i] : most;
	}
	if (width > count)
		width = count;
	for (size_t i = 0; i < width; i++) {
		size_t from = i * count / width, to = (i + 1) * count / width;
		double sum = 0;

		for (size_t p = from; p < to; p++)
			sum += points[p];
		double share =
			most > least ? (sum / (double)(to - from) - least) / (most - least) : 0;
		int step = (int)(share * 7.999);

		if (ascii)
			try(vec_push(buf, letters[step]));
		else
			try(vec_append(buf, blocks[step], strlen(blocks[step])));
	}
	return NULL;
}

/* ---- CSV ---- */

static void put_double(struct kmp_csv *csv, const char *fmt, double value)
{
	kmp_csv_field(csv);
	fprintf(csv->out, fmt, value);
}

static void put_time(struct kmp_csv *csv, uint64_t ns)
{
	kmp_csv_field(csv);
	fprintf(csv->out, "%" PRIu64 ".%03" PRIu64, ns / NS, ns % NS / 1000000);
}

static void csv_row(struct kmp_csv *csv, const struct kmp_trends *trends, const struct kmp_trend *t)
{
	const char *verdict = kmp_verdict_name(t->verdict);

	kmp_csv_key(csv, trends->groups, t->group);
	kmp_csv_text(csv, verdict, strlen(verdict));
	put_double(csv, "%.0f", (double)t->group->before.bytes);
	put_double(csv, "%.0f", (double)t->group->now.bytes);
	put_double(csv, "%.0f", t->min);
	put_double(csv, "%.0f", t->max);
	put_double(csv, "%.3f", t->slope);
	put_double(csv, "%.3f", t->slope_low);
	put_double(csv, "%.3f", t->slope_high);
	put_double(csv, "%.4f", t->tau);
	put_double(csv, "%.3g", t->p);
	put_time(csv, t->since);
	kmp_csv_text(csv, t->reason, strlen(t->reason));
	kmp_csv_end(csv);
}

static void write_csv(const struct kmp_trends *trends, FILE *out, const struct kmp_view *view)
{
	static const char *const names[] = { "verdict", "first", "last",     "min",
					     "max",	"rate",	 "rate_low", "rate_high",
					     "tau",	"p",	 "since",    "reason" };
	struct kmp_csv csv = { .out = out };

	for (size_t i = 0; i < trends->groups->key_count; i++)
		kmp_csv_text(&csv, trends->groups->keys[i], strlen(trends->groups->keys[i]));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		kmp_csv_text(&csv, names[i], strlen(names[i]));
	kmp_csv_end(&csv);
	for (size_t i = 0; i < trends_shown(trends, view); i++)
		csv_row(&csv, trends, &trends->trends[i]);
}

/* ---- JSON ---- */

static void json_time(struct kmp_json *json, const char *name, uint64_t ns)
{
	kmp_json_real(json, name, (double)ns / NS);
}

static void json_trend(struct kmp_json *json, const struct kmp_trends *trends,
		       const struct kmp_trend *t)
{
	const char *verdict = kmp_verdict_name(t->verdict);

	kmp_json_open(json, NULL, '{');
	kmp_groups_json_key(json, trends->groups, t->group);
	kmp_json_text(json, "verdict", verdict, strlen(verdict));
	kmp_json_text(json, "reason", t->reason, strlen(t->reason));
	kmp_json_number(json, "first", t->group->before.bytes);
	kmp_json_number(json, "last", t->group->now.bytes);
	kmp_json_number(json, "min", (int64_t)t->min);
	kmp_json_number(json, "max", (int64_t)t->max);
	kmp_json_real(json, "rate", t->slope);
	kmp_json_real(json, "rate_low", t->slope_low);
	kmp_json_real(json, "rate_high", t->slope_high);
	kmp_json_real(json, "tau", t->tau);
	kmp_json_real(json, "p", t->p);
	json_time(json, "since", t->since);
	kmp_json_open(json, "points", '[');
	for (size_t i = 0; i < trends->point_count; i++)
		kmp_json_number(json, NULL, (int64_t)t->points[i]);
	kmp_json_close(json, ']');
	kmp_json_close(json, '}');
}

static void write_json(const struct kmp_trends *trends, FILE *out, const struct kmp_view *view)
{
	size_t shown = trends_shown(trends, view);
	struct kmp_json json;

	kmp_groups_json_begin(&json, trends->groups, view, out);
	kmp_json_number(&json, "samples", (int64_t)trends->samples);
	kmp_json_number(&json, "samples_left_out", (int64_t)trends->left_out);
	json_time(&json, "first_time", trends->first_time);
	json_time(&json, "last_time", trends->last_time);
	kmp_json_open(&json, "times", '[');
	for (size_t i = 0; i < trends->point_count; i++)
		kmp_json_real(&json, NULL, trends->times[i]);
	kmp_json_close(&json, ']');
	kmp_json_open(&json, "trends", '[');
	for (size_t i = 0; i < shown; i++)
		json_trend(&json, trends, &trends->trends[i]);
	kmp_json_close(&json, ']');
	if (shown < trends->count) {
		kmp_json_open(&json, "left_out", '{');
		kmp_json_number(&json, "trends", (int64_t)(trends->count - shown));
		kmp_json_close(&json, '}');
	}
	kmp_groups_json_end(&json, trends->groups);
}

struct kmp_error *kmp_trends_write(const struct kmp_trends *trends, FILE *out,
				   const struct kmp_view *view, bool ascii)
{
	errno = 0;
	if (view->format == KMP_FORMAT_TABLE)
		try(kmp_trends_table(trends, out, view, ascii));
	else if (view->format == KMP_FORMAT_JSON)
		write_json(trends, out, view);
	else if (view->format == KMP_FORMAT_CSV)
		write_csv(trends, out, view);
	else
		return kmp_error_new(KMP_ERROR_USAGE, "trends are printed as table, json or csv");
	if (fflush(out) || ferror(out))
		return kmp_error_system(errno ? errno : EIO, NULL, "cannot write");
	return NULL;
}
