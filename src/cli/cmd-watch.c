// SPDX-License-Identifier: GPL-2.0-only
/* kmemprof watch: a live screen. */
#include <locale.h>
#include <signal.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/record.h"
#include "cli/watch/screen.h"

DEFINE_CLEANUP(recorder, struct kmp_recorder *, kmp_recorder_destroy)

static const char *const live_only[] = { "all",		"pid",	      "cgroup",
					 "stack-depth", "max-stacks", "max-tasks" };

static struct kmp_error *read_tab(const struct cli_args *args, struct watch *watch)
{
	const char *name = cli_value(args, "tab");

	for (int i = 0; name && i < WATCH_TABS; i++) {
		if (strcmp(name, watch_tab_names[i]) != 0)
			continue;
		watch->tab = (enum watch_tab)i;
		name = NULL;
	}
	return name ? kmp_error_new(KMP_ERROR_USAGE,
				    "--tab: '%s' is none of stacks, tags, tasks, nodes, orders",
				    name)
		    : NULL;
}

static struct kmp_error *read_options(const struct cli_args *args, struct watch *watch,
				      uint64_t *samples)
{
	double seconds = 1;

	watch->source = cli_value(args, "source");
	if (args->count && watch->source)
		return kmp_error_new(KMP_ERROR_USAGE, "--source and FILE say the same: give one");
	if (args->count)
		watch->source = args->rest[0];
	if (!watch->source)
		watch->source = "kernel";
	if (!strcmp(watch->source, "-"))
		return kmp_error_new(KMP_ERROR_USAGE, "standard input is read for keys");
	if (cli_value(args, "interval"))
		try(cli_duration(args, "interval", &seconds));
	if (seconds < 0.01 || seconds > 366 * 86400.0)
		return kmp_error_new(KMP_ERROR_USAGE, "--interval: from 10ms to a year");
	watch->interval = (uint64_t)(seconds * 1e9);
	if (cli_value(args, "count"))
		try(cli_number(args, "count", samples));
	for (size_t i = 0; i < sizeof(live_only) / sizeof(*live_only); i++) {
		if (cli_value(args, live_only[i]) && strcmp(watch->source, "live") != 0)
			return kmp_error_new(KMP_ERROR_USAGE, "--%s: only with --source live",
					     live_only[i]);
	}
	return read_tab(args, watch);
}

static struct kmp_error *start_recorder(const struct cli_args *args, const char *source,
					struct kmp_recorder **recorder)
{
	struct cli_record job cleanup(cli_record_deinit) = { 0 };

	if (strcmp(source, "live") != 0)
		return NULL;
	try(cli_record_scope(args, false, &job));
	if (!job.options.all && !job.options.pids && !job.options.cgroup)
		return kmp_error_new(KMP_ERROR_USAGE, "what to record? --all, --pid or --cgroup");
	try(kmp_recorder_create(&job.options, recorder));
	return kmp_recorder_start(*recorder);
}

static struct kmp_error *run(struct cli_args *args)
{
	struct kmp_recorder *recorder cleanup(cleanup_recorder) = NULL;
	struct watch watch cleanup(watch_deinit) = { 0 };
	uint64_t samples = 0;
	int number = 0;

	/* Names are shown in the locale's characters; figures stay as they are. */
	setlocale(LC_CTYPE, "");
	try(read_options(args, &watch, &samples));
	if (cli_value(args, "where"))
		try(watch_filter(&watch, cli_value(args, "where")));
	const char *where = watch.feed.where;

	try(start_recorder(args, watch.source, &recorder));
	try(watch_feed_open(&watch.feed, watch.source, no_free(recorder)));
	watch.feed.where = where;
	watch.frozen = watch.feed.history != NULL;
	watch_sample(&watch);
	/* What cannot be read at all is no matter for a screen. */
	if (!watch_table_of(&watch)->samples)
		return kmp_error_new(KMP_ERROR_INPUT, "%s", watch.message);
	try(watch_run(&watch, samples, &number));
	if (number && number != SIGINT) {
		signal(number, SIG_DFL);
		raise(number);
	}
	return NULL;
}

const struct cli_command cmd_watch = {
	.name = "watch",
	.summary = "shows live, as top does, who holds memory and who gets more",
	.synopsis = "[FILE]",
	.details =
		"Stacks, tags, tasks, nodes and orders are tabs; each row has its bytes, how they\n"
		"changed since watching began and since the sample before, and a small chart.\n"
		"The key ? tells what the keys do.\n"
		"\n"
		"With no FILE, the running kernel is read: stacks from page_owner_stacks, which "
		"is\n"
		"cheap, the rest from page_owner. A dump, a directory or a ledger file is read "
		"anew\n"
		"each time. The source live records, as record does. A history, which monitor\n"
		"writes, stands at its last moment: [ and ] go back and on, Space plays.\n"
		"\n"
		"--where is the filter of page owners, docs/where.md, and can be changed by /.\n",
	.options =
		(const struct cli_option[]){
			{ "source", 'S', "FILE|DIR|kernel|live",
			  "what to watch; the kernel unless told" },
			{ "interval", 'i', "TIME", "between two samples: 500ms, 10s; 1s" },
			{ "count", 'c', "N", "end after so many samples" },
			{ "tab", 'T', "NAME", "begin with stacks, tags, tasks, nodes or orders",
			  "stacks tags tasks nodes orders" },
			{ "where", 'w', "EXPR", "only page owners for which this holds" },
			{ "all", 'a', NULL, "live: the whole machine" },
			{ "pid", 'p', "LIST", "live: only these processes: 1,200" },
			{ "cgroup", 0, "DIR", "live: only tasks below this directory of cgroup 2" },
			{ "stack-depth", 'D', "N", "live: frames kept of a stack, at most 32; 16" },
			{ "max-stacks", 0, "N", "live: different stacks there is room for; 65536" },
			{ "max-tasks", 0, "N", "live: different tasks there is room for; 65536" },
			{ 0 },
		},
	.max_args = 1,
	.run = run,
};
