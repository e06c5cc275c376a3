// SPDX-License-Identifier: GPL-2.0-only
#include "cli/serve/metrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

DEFINE_CLEANUP(groups, struct kmp_groups *, kmp_groups_destroy)

enum { LABELS_MAX = 4, PLACES_MAX = 1000 };

/* After so many seconds, what was counts a third in what was lately. */
static const double fades = 600;

struct family {
	const char *name;
	const char *help;
};

/* A way to group, the labels of its keys, and the figures. */
static const struct class
{
	const char *name;
	const char *keys;
	const char *labels[LABELS_MAX];
	struct family bytes;
	struct family count; /* pages, or calls */
} classes[SERVE_CLASSES] = {
	[SERVE_PLACES] = { "kmemprof_places",
			   "node,zone,order,migratetype",
			   { "node", "zone", "order", "migratetype" },
			   { "kmemprof_allocated_bytes", "Memory that has an owner." },
			   { "kmemprof_allocated_pages", "The same in base pages." } },
	[SERVE_STACKS] = { "kmemprof_stacks",
			   "stack,function",
			   { "fingerprint", "function" },
			   { "kmemprof_stack_bytes", "Memory by the stack that allocated it." },
			   { "kmemprof_stack_pages", "The same in base pages." } },
	[SERVE_TAGS] = { "kmemprof_tags",
			 "module,file,line,function",
			 { "module", "file", "line", "function" },
			 { "kmemprof_tag_bytes", "Memory by the line of code that allocated it." },
			 { "kmemprof_tag_calls", "Allocations by the line of code." } },
	[SERVE_TASKS] = { "kmemprof_tasks",
			  "comm",
			  { "comm" },
			  { "kmemprof_task_bytes", "Memory by the task that allocated it." },
			  { "kmemprof_task_pages", "The same in base pages." } },
};

void serve_metrics_deinit(struct serve_metrics *metrics)
{
	for (size_t i = 0; i < SERVE_CLASSES; i++)
		serve_series_deinit(&metrics->series[i]);
	vec_deinit(&metrics->text);
}

static struct kmp_error *add_row(struct serve_series *series, const struct class *class,
				 const struct kmp_group *group, bool tags)
{
	size_t label = series->texts.len;

	for (size_t i = 0; i < LABELS_MAX && class->labels[i]; i++)
		try(serve_series_label(series, class->labels[i], &group->key[i]));
	return serve_series_row(series, label, group->now.bytes,
				tags ? group->now.records : group->now.pages);
}

/* What is in no row of its own. */
static struct kmp_error *add_other(struct serve_series *series, const struct class *class,
				   struct serve_row *other)
{
	struct kmp_value word = { KMP_VALUE_TEXT, .text = "other", .len = 5 };

	other->label = series->texts.len;
	for (size_t i = 0; i < LABELS_MAX && class->labels[i]; i++) {
		try(serve_series_label(series, class->labels[i], &word));
		word.kind = KMP_VALUE_NONE;
	}
	try(grow_append(&series->texts, "}", 2));
	for (size_t i = 0; i < series->rows.len; i++) {
		struct serve_row *row = &series->rows.data[i];

		/* A task can be called that, too. */
		if (row->chosen &&
		    strcmp(series->texts.data + row->label, series->texts.data + other->label))
			continue;
		row->chosen = false;
		other->bytes += row->bytes;
		other->count += row->count;
	}
	return NULL;
}

static void head(FILE *out, const struct family *family)
{
	size_t len = strlen(family->name);

	fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", family->name, family->help, family->name);
	if (len > 6 && !strcmp(family->name + len - 6, "_bytes"))
		fprintf(out, "# UNIT %s bytes\n", family->name);
}

static void put_family(FILE *out, const struct serve_series *series, const struct family *family,
		       const struct serve_row *other, bool count)
{
	const char *texts = series->texts.data;

	head(out, family);
	for (size_t i = 0; i < series->rows.len; i++) {
		const struct serve_row *row = &series->rows.data[i];

		if (row->chosen)
			fprintf(out, "%s%s %" PRId64 "\n", family->name, texts + row->label,
				count ? row->count : row->bytes);
	}
	fprintf(out, "%s%s %" PRId64 "\n", family->name, texts + other->label,
		count ? other->count : other->bytes);
}

static struct kmp_error *put_class(struct serve_metrics *metrics, struct serve_sample *sample,
				   enum serve_class which, double weight, FILE *out)
{
	struct kmp_groups *groups cleanup(cleanup_groups) = NULL;
	struct serve_series *series = &metrics->series[which];
	const struct class *class = &classes[which];
	struct serve_row other = { 0 };
	bool tags = which == SERVE_TAGS;

	try(tags ? serve_sample_group_tags(sample, class->keys, NULL, &groups)
		 : serve_sample_group(sample, class->keys, NULL, &groups));
	serve_series_begin(series);
	for (size_t i = 0; i < groups->count; i++)
		try(add_row(series, class, &groups->groups[i], tags));
	try(serve_series_choose(series, which == SERVE_PLACES ? PLACES_MAX : metrics->top, weight));
	try(add_other(series, class, &other));
	put_family(out, series, &class->bytes, &other, false);
	put_family(out, series, &class->count, &other, true);
	serve_metric(out, false, class->name, "Different ones there are.", (double)groups->count);
	return NULL;
}

static void put_losses(FILE *out, const char *of, const struct kmp_losses *losses)
{
	const char *name = "kmemprof_sample_lost_records";

	fprintf(out,
		"%s{of=\"%s\",how=\"skipped\"} %" PRIu64 "\n%s{of=\"%s\",how=\"dropped\"} %" PRIu64
		"\n%s{of=\"%s\",how=\"cut\"} %" PRIu64 "\n",
		name, of, losses->skipped, name, of, losses->dropped, name, of, losses->cut);
}

static struct kmp_error *put_sample(struct serve_metrics *metrics, struct serve_sample *sample,
				    double weight, FILE *out)
{
	if (sample->holds & KMP_READ_PAGES) {
		try(put_class(metrics, sample, SERVE_PLACES, weight, out));
		try(put_class(metrics, sample, SERVE_STACKS, weight, out));
		if (!sample->redact)
			try(put_class(metrics, sample, SERVE_TASKS, weight, out));
	}
	if (sample->holds & KMP_READ_TAGS)
		try(put_class(metrics, sample, SERVE_TAGS, weight, out));
	fputs("# HELP kmemprof_sample_lost_records What is missing in the sample.\n"
	      "# TYPE kmemprof_sample_lost_records gauge\n",
	      out);
	put_losses(out, "pages", kmp_ledger_losses(sample->ledger));
	put_losses(out, "tags", kmp_ledger_losses(sample->tags));
	fprintf(out,
		"# HELP kmemprof_sample_timestamp_seconds When it was taken.\n"
		"# TYPE kmemprof_sample_timestamp_seconds gauge\n"
		"# UNIT kmemprof_sample_timestamp_seconds seconds\n"
		"kmemprof_sample_timestamp_seconds %.3f\n"
		"# HELP kmemprof_sample_duration_seconds What it took to read it.\n"
		"# TYPE kmemprof_sample_duration_seconds gauge\n"
		"# UNIT kmemprof_sample_duration_seconds seconds\n"
		"kmemprof_sample_duration_seconds %.6f\n",
		(double)sample->time / 1e9, sample->seconds);
	return NULL;
}

struct kmp_error *serve_metrics_of(struct serve_metrics *metrics, struct serve_sample *sample)
{
	double passed = metrics->number && sample->time > metrics->time
				? (double)(sample->time - metrics->time) / 1e9
				: 0;
	char *text auto_free = NULL;
	size_t len = 0;

	FILE *out = open_memstream(&text, &len);

	if (!out)
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	struct kmp_error *err = put_sample(metrics, sample, 1 - exp(-passed / fades), out);
	bool failed = ferror(out);

	if ((fclose(out) || failed) && !err)
		err = kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	if (err)
		return err;
	metrics->text.len = 0;
	try(grow_append(&metrics->text, text, len));
	metrics->number = sample->number;
	metrics->time = sample->time;
	return NULL;
}

void serve_metric(FILE *out, bool open, const char *name, const char *help, double value)
{
	size_t len = strlen(name);
	bool counter = len > 6 && !strcmp(name + len - 6, "_total");
	int family = (int)(counter && open ? len - 6 : len);

	fprintf(out, "# HELP %.*s %s\n# TYPE %.*s %s\n%s %.15g\n", family, name, help, family, name,
		counter ? "counter" : "gauge", name, value);
}
