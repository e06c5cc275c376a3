// SPDX-License-Identifier: GPL-2.0-only
/* kmemprof monitor: samples of who holds how much, into a history. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/clock.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/feed.h"
#include "cli/ticker.h"

static const uint64_t second = UINT64_C(1000000000);

struct monitor {
	struct cli_feed feed;
	struct kmp_history_writer *history;
	struct cli_ticker ticker;
	uint64_t count; /* 0: until a signal comes */
	uint64_t taken;
	uint64_t lost; /* samples that could not be read or written */
	bool lost_last;
	bool verbose;
	uint64_t cpu; /* ns, of all samples */
};

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

static void print_sample(const struct monitor *m, uint64_t read_ns, uint64_t write_ns)
{
	struct kmp_history_stats stats;

	kmp_history_stats(m->history, &stats);
	fprintf(stderr,
		"kmemprof: sample %" PRIu64 ": %" PRIu64 " figures, %" PRIu64 " changed, %" PRIu64
		" bytes; CPU: %.1f ms to read, %.1f ms to write; the file has %" PRIu64 " KiB\n",
		m->taken, stats.figures, stats.changed, stats.sample_bytes, ms(read_ns),
		ms(write_ns), stats.file_bytes / 1024);
}

static struct kmp_error *take(struct monitor *m)
{
	struct kmp_sink sink = kmp_history_sink(m->history);
	struct kmp_moment moment;
	uint64_t start = cli_clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	kmp_moment_now(&moment);
	/* What another machine's files tell has nothing to do with this one's memory. */
	if (!m->feed.own_machine)
		moment = (struct kmp_moment){ .time = moment.time,
					      .uptime = KMP_UNKNOWN,
					      .memory_total = KMP_UNKNOWN,
					      .memory_free = KMP_UNKNOWN,
					      .memory_available = KMP_UNKNOWN };
	try(cli_feed_read(&m->feed, &sink));
	uint64_t read = cli_clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	try(kmp_history_add(m->history, m->feed.ledger, &moment));
	uint64_t written = cli_clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	m->taken++;
	m->cpu += written - start;
	if (m->verbose)
		print_sample(m, read - start, written - read);
	return NULL;
}

/* Once it works, a sample that fails is told, and the next one tried: on a disk that was full. */
static struct kmp_error *bear(struct monitor *m, struct kmp_error *err)
{
	if (!err) {
		if (m->lost_last)
			fprintf(stderr, "kmemprof: samples are taken again; %" PRIu64 " are lost\n",
				m->lost);
		m->lost_last = false;
		return NULL;
	}
	if (!m->taken || (err->kind != KMP_ERROR_SYSTEM && err->kind != KMP_ERROR_INPUT))
		return err;
	m->lost++;
	if (!m->lost_last || m->verbose) {
		char *text = kmp_error_format(err);

		fprintf(stderr, "kmemprof: warning: a sample is lost: %s\n",
			text ? text : "out of memory");
		free(text);
	}
	m->lost_last = true;
	kmp_error_destroy(err);
	return NULL;
}

static struct kmp_error *take_all(struct monitor *m)
{
	for (;;) {
		try(bear(m, take(m)));
		if (m->taken + m->lost == m->count || !cli_ticker_wait(&m->ticker))
			return NULL;
	}
}

static struct kmp_error *read_options(const struct cli_args *args,
				      struct kmp_history_options *options, uint64_t *interval,
				      uint64_t *count)
{
	options->keep = cli_value(args, "keep");
	options->pids = cli_value(args, "pids") != NULL;
	*interval = 10 * second;
	*count = 0;
	if (cli_value(args, "interval"))
		try(cli_interval(args, "interval", interval));
	if (!cli_value(args, "count"))
		return NULL;
	try(cli_number(args, "count", count));
	return *count ? NULL : kmp_error_new(KMP_ERROR_USAGE, "--count: 0 samples are none at all");
}

static void print_summary(const struct monitor *m, const struct kmp_history_stats *stats,
			  const char *path)
{
	printf("%s: %" PRIu64 " samples taken", path, m->taken);
	if (stats->samples != m->taken)
		printf(", %" PRIu64 " there", stats->samples);
	printf(" of %" PRIu64 " series; %.1f ms of CPU each\n", stats->series,
	       m->taken ? ms(m->cpu / m->taken) : 0);
}

/* What is left to say, of one that went well so far. */
static void report(struct cli_args *args, const struct monitor *m, const char *path)
{
	struct kmp_history_stats stats;

	kmp_history_stats(m->history, &stats);
	if (!cli_value(args, "quiet"))
		print_summary(m, &stats, path);
	if (m->ticker.late)
		fprintf(stderr,
			"kmemprof: warning: %" PRIu64 " of %" PRIu64
			" samples came late: one takes longer than the interval\n",
			m->ticker.late, m->taken);
	if (m->lost) {
		fprintf(stderr, "kmemprof: %" PRIu64 " samples are lost\n", m->lost);
		args->status = CLI_LOSSES;
	}
	cli_report_ledger(args, m->feed.ledger);
}

static struct kmp_error *monitor(struct cli_args *args, struct monitor *m, const char *path)
{
	struct kmp_history_options options = { 0 };
	uint64_t interval;

	try(read_options(args, &options, &interval, &m->count));
	m->verbose = cli_value(args, "verbose") != NULL;
	try(cli_feed_open(args, &m->feed));
	try(kmp_history_create(path, &options, &m->history));
	cli_ticker_start(&m->ticker, interval);
	try(take_all(m));
	if (m->verbose)
		fprintf(stderr, "kmemprof: read: %s\n", cli_feed_way(&m->feed));
	report(args, m, path);
	return NULL;
}

static struct kmp_error *run(struct cli_args *args)
{
	const char *directory = getenv("STATE_DIRECTORY"); /* systemd's */
	const char *path = cli_value(args, "output");
	struct monitor m = { 0 };
	auto_free char *made = NULL;

	if (!path) {
		if (asprintf(&made, "%s%shistory.kmp", directory ? directory : "",
			     directory ? "/" : "") < 0) {
			made = NULL;
			return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
		}
		path = made;
	}
	struct kmp_error *err = monitor(args, &m, path);
	/* Samples that were taken are there, whatever went wrong then. */
	struct kmp_error *end = kmp_history_end(m.history);

	cli_feed_deinit(&m.feed);
	if (!err)
		return end;
	kmp_error_destroy(end);
	return err;
}

const struct cli_command cmd_monitor = {
	.name = "monitor",
	.summary = "takes samples of who holds how much, into a small history file",
	.synopsis = "",
	.details =
		"Each interval the pages of each stack and the bytes of each tag are added to a\n"
		"history, from the cheapest source that there is: the kernel's counts by stack\n"
		"(page_owner_stacks/show_handles or show_stacks) and /proc/allocinfo, of 7.3\n"
		"only the tags that hold something; of another source all that it has. --source\n"
		"live records on a kernel that has neither.\n"
		"\n"
		"A history that is there is gone on with. Each sample is in the file when it was\n"
		"taken, also if the machine is switched off a minute later; a full disk costs the\n"
		"samples that find no room. SIGINT, SIGTERM and SIGHUP end it. Others can read "
		"the\n"
		"file meanwhile: 'kmemprof trend FILE', 'kmemprof report FILE@-1h',\n"
		"'kmemprof diff FILE@-1h FILE@now'.\n"
		"\n"
		"--keep 1h@10s,7d@5m keeps one sample each 10 s for an hour, one each 5 minutes\n"
		"for a week, and drops what is older: docs/ledger-file.md.\n",
	.options =
		(const struct cli_option[]){
			{ "interval", 'i', "TIME", "time between samples: 100ms, 1s, 10m; 10s" },
			{ "count", 'n', "N", "so many samples; until it is interrupted" },
			{ "output", 'o', "HISTORY.kmp",
			  "the history; history.kmp, in a service's state directory" },
			{ "keep", 'k', "RULES", "thin out by age: 1h@10s,7d@5m; keep everything" },
			{ "pids", 0, NULL, "tell tasks apart by pid, not by name alone" },
			CLI_FEED_OPTIONS,
			{ "tags", 't', NULL, "live: tags, too" },
			{ "max-tags", 0, "N",
			  "live: different call sites there is room for; 16384" },
			{ "max-objects", 0, "N",
			  "live: kernel objects there is room for; 1048576" },
			{ "verbose", 'v', NULL, "tell what each sample costs" },
			{ "quiet", 'q', NULL, "do not tell what was taken" },
			{ 0 } },
	.run = run,
};
