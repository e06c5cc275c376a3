// SPDX-License-Identifier: GPL-2.0-only
/* kmemprof watch: a live screen. */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/child.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/record.h"
#include "cli/watch/screen.h"

DEFINE_CLEANUP(recorder, struct kmp_recorder *, kmp_recorder_destroy)

/* The command that is recorded; pid 0: none. */
struct child {
	pid_t pid;
};

/* The words behind `--` are a command; a FILE stands before it. */
static bool has_command(const struct cli_args *args)
{
	return args->count > 0 && !strcmp(args->rest[-1], "--");
}

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
	if (args->count && !has_command(args) && (args->count > 1 || watch->source))
		return kmp_error_new(KMP_ERROR_USAGE,
				     "one FILE, as --source; a command stands behind '--'");
	if (args->count && !watch->source)
		watch->source = has_command(args) ? "live" : args->rest[0];
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
	if (strcmp(watch->source, "live") != 0)
		try(cli_record_refuse(args));
	if (has_command(args) && strcmp(watch->source, "live") != 0)
		return kmp_error_new(KMP_ERROR_USAGE, "a command: only with --source live");
	return read_tab(args, watch);
}

static struct kmp_error *start_recorder(const struct cli_args *args, struct child *child,
					struct kmp_recorder **recorder)
{
	struct cli_record job cleanup(cli_record_deinit) = { 0 };
	auto_fd int go = -1;

	try(cli_record_scope(args, has_command(args), &job));
	if (!job.options.all && !job.options.pids && !job.options.cgroup && !has_command(args))
		return kmp_error_new(KMP_ERROR_USAGE,
				     "what to record? --all, --pid, --cgroup or -- COMMAND");
	job.options.what = KMP_READ_PAGES | (cli_value(args, "tags") ? KMP_READ_TAGS : 0);
	try(kmp_recorder_create(&job.options, recorder));
	if (has_command(args)) {
		try(cli_child_start(args->rest, true, &child->pid, &go));
		if (!job.options.all)
			try(kmp_recorder_follow(*recorder, (uint32_t)child->pid));
	}
	try(kmp_recorder_start(*recorder));
	if (go >= 0 && write(go, "", 1) != 1)
		return kmp_error_system(errno, NULL, "cannot start '%s'", args->rest[0]);
	return NULL;
}

static struct kmp_error *open_feed(const struct cli_args *args, struct child *child,
				   struct watch *watch)
{
	struct kmp_recorder *recorder cleanup(cleanup_recorder) = NULL;
	const char *where = watch->feed.where;

	if (!strcmp(watch->source, "live"))
		try(start_recorder(args, child, &recorder));
	try(watch_feed_open(&watch->feed, watch->source, no_free(recorder)));
	watch->feed.where = where;
	watch->feed.records_tags = cli_value(args, "tags") != NULL;
	watch->frozen = watch->feed.history != NULL;
	return NULL;
}

static void end_child(struct child *child)
{
	if (child->pid <= 0)
		return;
	kill(child->pid, SIGTERM);
	waitpid(child->pid, NULL, 0);
}

static struct kmp_error *run(struct cli_args *args)
{
	struct watch watch cleanup(watch_deinit) = { 0 };
	struct child child cleanup(end_child) = { 0 };
	uint64_t samples = 0;
	int number = 0;

	/* Names are shown in the locale's characters; figures stay as they are. */
	setlocale(LC_CTYPE, "");
	try(read_options(args, &watch, &samples));
	if (cli_value(args, "where"))
		try(watch_filter(&watch, cli_value(args, "where")));
	try(open_feed(args, &child, &watch));
	watch_sample(&watch);
	/* What cannot be read at all is no matter for a screen. */
	if (!watch_table_of(&watch)->samples)
		return kmp_error_new(KMP_ERROR_INPUT, "%s", watch.message);
	try(watch_run(&watch, samples, &number));
	if (watch.lossy) {
		fprintf(stderr, "kmemprof: warning: %s\n", watch.note);
		args->status = CLI_LOSSES;
	}
	if (number && number != SIGINT) {
		end_child(&child);
		signal(number, SIG_DFL);
		raise(number);
	}
	return NULL;
}

const struct cli_command cmd_watch = {
	.name = "watch",
	.summary = "shows live, as top does, who holds memory and who gets more",
	.synopsis = "[FILE] [-- COMMAND …]",
	.details =
		"Stacks, tags, tasks, nodes and orders are tabs; each row has its bytes, how they\n"
		"changed since watching began and since the sample before, and a small chart.\n"
		"The key ? tells what the keys do.\n"
		"\n"
		"With no FILE, the running kernel is read: stacks from page_owner_stacks, which "
		"is\n"
		"cheap, the rest from page_owner. A dump, a directory or a ledger file is read "
		"anew\n"
		"each time. The source live records, as record does; a COMMAND is started for "
		"that,\n"
		"ended with the screen, and what it prints goes nowhere. A history, which monitor\n"
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
			{ "tags", 't', NULL, "live: tags, too, which costs more" },
			{ "stack-depth", 'D', "N", "live: frames kept of a stack, at most 32; 16" },
			{ "max-stacks", 0, "N", "live: different stacks there is room for; 65536" },
			{ "max-tasks", 0, "N",
			  "live: tasks that hold memory there is room for; 12288" },
			{ 0 },
		},
	.max_args = -1,
	.run = run,
};
