// SPDX-License-Identifier: GPL-2.0-only
/* kmemprof trend: what grows in a history, how fast, and is it a leak? */
#include <langinfo.h>
#include <locale.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/trend.h"

DEFINE_CLEANUP(history, struct kmp_history *, kmp_history_close)
DEFINE_CLEANUP(filter, struct kmp_filter *, kmp_filter_destroy)
DEFINE_CLEANUP(trends, struct kmp_trends *, kmp_trends_destroy)

/* Keys that only tags have. */
static bool are_of_tags(const char *keys)
{
	static const char *const names[] = { "tag", "file", "line", "directory" };

	for (size_t i = 0; keys && i < sizeof(names) / sizeof(*names); i++) {
		size_t len = strlen(names[i]);

		if (!strncmp(keys, names[i], len) && (!keys[len] || keys[len] == ','))
			return true;
	}
	return false;
}

static struct kmp_error *read_range(const struct cli_args *args, const struct kmp_history *history,
				    struct kmp_trend_options *options)
{
	const char *since = cli_value(args, "since"), *until = cli_value(args, "until");
	size_t last = kmp_history_count(history) - 1;

	if (since)
		try(kmp_history_find(history, since, &options->first));
	if (until)
		try(kmp_history_find(history, until, &last));
	if (last < options->first)
		return kmp_error_new(KMP_ERROR_USAGE, "--until %s is before --since %s", until,
				     since ? since : "first");
	options->count = last - options->first + 1;
	return NULL;
}

struct kmp_error *cli_trend_options(const struct cli_args *args, const struct kmp_history *history,
				    struct kmp_trend_options *options)
{
	const struct kmp_sample *last = kmp_history_sample(history, kmp_history_count(history) - 1);
	int64_t growth = 0;

	options->keys = cli_value(args, "by");
	options->tags = cli_value(args, "tags") || are_of_tags(options->keys) ||
			(!options->keys && !(last->holds & KMP_READ_PAGES));
	if (options->tags && cli_value(args, "where"))
		return kmp_error_new(KMP_ERROR_USAGE, "--where is about page owners, not tags");
	if (cli_value(args, "min-growth")) {
		try(cli_size(args, "min-growth", &growth));
		if (growth < 1)
			return kmp_error_new(KMP_ERROR_USAGE, "--min-growth: at least 1 byte");
	}
	options->min_growth = (double)growth;
	return read_range(args, history, options);
}

static bool is_ascii(void)
{
	setlocale(LC_CTYPE, "");
	return strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

/* A summary for people is cut where nothing happens, not in the middle of leaks. */
static struct kmp_error *write_trends(struct cli_args *args, struct kmp_trends *trends,
				      struct cli_output *output)
{
	const struct kmp_groups *groups = trends->groups;
	struct kmp_view view;

	try(cli_view(args, output, &view));
	if (cli_value(args, "sort"))
		try(kmp_trends_sort(trends, cli_value(args, "sort")));
	try(kmp_trends_write(trends, output->file, &view, is_ascii()));
	try(cli_output_commit(output));
	if (view.format != KMP_FORMAT_TABLE || output->path)
		cli_report_losses(args, &groups->losses, groups->warnings, groups->warning_count);
	else if (groups->losses.skipped || groups->losses.cut || groups->losses.dropped)
		args->status = CLI_LOSSES;
	return NULL;
}

static struct kmp_error *run(struct cli_args *args)
{
	struct kmp_history *history cleanup(cleanup_history) = NULL;
	struct kmp_filter *filter cleanup(cleanup_filter) = NULL;
	struct kmp_trends *trends cleanup(cleanup_trends) = NULL;
	struct cli_output output cleanup(cli_output_deinit) = { 0 };
	struct kmp_trend_options options = { 0 };

	if (cli_value(args, "where"))
		try(kmp_filter_compile(cli_value(args, "where"), &filter));
	options.filter = filter;
	try(kmp_history_open(args->rest[0], &history));
	try(cli_trend_options(args, history, &options));
	try(cli_output_open(args, &output));
	try(kmp_trends_find(history, &options, &trends));
	return write_trends(args, trends, &output);
}

const struct cli_command cmd_trend = {
	.name = "trend",
	.summary = "tells what grows in a history, how fast, and what is a leak",
	.synopsis = "HISTORY",
	.details =
		"Each stack's course over the samples of a history that 'kmemprof monitor' wrote,\n"
		"with a verdict: leak (grows steadily, and load does not explain it), step, "
		"spike,\n"
		"churn, flat. Leaks come first, the fastest first. The rate is the median of the\n"
		"slopes of all pairs of points, with half its 95 % interval behind it.\n"
		"\n"
		"--by tag looks at tags, --by comm at tasks by name; other keys as in 'kmemprof\n"
		"report', and with --tags as in 'kmemprof tags'. WHEN is as in HISTORY@WHEN: -1h,\n"
		"17:05, 2026-11-30T17:05:10, first, now, N. The rules: docs/trend.md.\n",
	.options =
		(const struct cli_option[]){
			{ "by", 'k', "KEYS", "group by these keys, joined with commas; stack" },
			{ "tags", 't', NULL, "look at tags, with their keys" },
			{ "where", 'w', "EXPR", "only page owners for which this holds" },
			{ "since", 'S', "WHEN", "from this sample on; first" },
			{ "until", 'U', "WHEN", "up to this sample; now" },
			{ "min-growth", 'm', "SIZE", "what changes less is flat; 64K" },
			{ "sort", 's', "KEY",
			  "order by verdict, rate, delta, first, last, min, max, tau; -KEY "
			  "reversed" },
			{ "limit", 'l', "N", "rows to print, 0 for all; tables print 20" },
			{ "format", 'f', "FORMAT", "table, json or csv" },
			{ "bytes", 'b', NULL, "exact bytes, not binary units" },
			{ "output", 'o', "FILE", "write there, in place when complete" },
			{ 0 } },
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
