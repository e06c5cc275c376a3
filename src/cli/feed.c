// SPDX-License-Identifier: GPL-2.0-only
#include "cli/feed.h"

#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/common.h"
#include "cli/kernel.h"

enum { TASKS_MAX = 100000 }; /* a ledger that has named so many is given up */

DEFINE_CLEANUP(source, struct kmp_source *, kmp_source_close)

static struct kmp_error *open_recorder(const struct cli_args *args, struct cli_feed *feed)
{
	try(cli_record_live(args, &feed->job));
	feed->own_machine = true;
	feed->tags = cli_value(args, "tags") != NULL;
	feed->job.options.what = KMP_READ_PAGES | (feed->tags ? KMP_READ_TAGS : 0);
	try(kmp_recorder_create(&feed->job.options, &feed->recorder));
	return kmp_recorder_start(feed->recorder);
}

/* Of tags those that hold something: one that is not there holds nothing. */
static const struct kmp_tag_filter held = { .has_min_size = true, .min_size = 1, .accurate = -1 };

static struct kmp_error *open_path(struct cli_feed *feed)
{
	const struct kmp_source_options options = { .tags = &held };
	struct stat st;

	try(cli_source_open(feed->path, KMP_READ_PAGES | KMP_READ_TAGS, &options, &feed->source));
	uint32_t holds = kmp_source_holds(feed->source);

	feed->tags = holds & KMP_READ_TAGS;
	feed->counts = (holds & KMP_READ_PAGES) && !stat(feed->path, &st) && S_ISDIR(st.st_mode);
	return NULL;
}

struct kmp_error *cli_feed_open(const struct cli_args *args, struct cli_feed *feed)
{
	const char *from = cli_value(args, "source");

	*feed = (struct cli_feed){ .path = from, .ledgers = 1 };
	try(kmp_ledger_create(&feed->ledger));
	if (from && !strcmp(from, "live")) {
		feed->path = NULL;
		return open_recorder(args, feed);
	}
	try(cli_record_refuse(args));
	if (!from || !strcmp(from, "kernel")) {
		try(cli_kernel_choose(&feed->path, &feed->missing));
		feed->own_machine = true;
	}
	return open_path(feed);
}

/* How many came by. */
struct counter {
	struct kmp_sink to;
	uint64_t count;
};

static struct kmp_error *count_pages(void *arg, struct kmp_ledger *ledger,
				     const struct kmp_page *pages, size_t count)
{
	struct counter *counter = arg;

	counter->count += count;
	return counter->to.pages(counter->to.arg, ledger, pages, count);
}

/* All that a source has; a directory's files are opened anew each time, others by us. */
static struct kmp_error *read_source(struct cli_feed *feed, uint32_t what,
				     const struct kmp_sink *sink)
{
	const struct kmp_source_options options = { .tags = &held };
	struct kmp_source *again cleanup(cleanup_source) = NULL;

	if (!feed->started)
		return kmp_source_read(feed->source, feed->ledger, what, sink);
	try(kmp_source_open(feed->path, &options, &again));
	return kmp_source_read(again, feed->ledger, what, sink);
}

/* The kernel's counts last: whose facts come last are kept. */
static struct kmp_error *read_counts(struct cli_feed *feed, const struct kmp_sink *sink)
{
	struct counter counter = { .to = *sink };
	const struct kmp_sink counting = { count_pages, &counter, sink->columns };

	if (feed->tags)
		try(kmp_source_read(feed->source, feed->ledger, KMP_READ_TAGS, sink));
	try(kmp_source_read(feed->source, feed->ledger, KMP_READ_COUNTS, &counting));
	/* No kernel that counts by stack counts none. */
	if (feed->started || counter.count)
		return NULL;
	feed->counts = false;
	if (!(kmp_source_holds(feed->source) & KMP_READ_PAGES))
		return NULL;
	return kmp_source_read(feed->source, feed->ledger, KMP_READ_PAGES, sink);
}

static struct kmp_error *read_path(struct cli_feed *feed, const struct kmp_sink *sink)
{
	uint32_t what = kmp_source_holds(feed->source) & KMP_READ_PAGES;

	if (feed->counts)
		return read_counts(feed, sink);
	if (feed->tags)
		what |= KMP_READ_TAGS;
	return what ? read_source(feed, what, sink) : NULL;
}

static struct kmp_error *renew_ledger(struct cli_feed *feed)
{
	kmp_ledger_clear(feed->ledger);
	if (kmp_ledger_count(feed->ledger, KMP_LIST_TASKS) < TASKS_MAX)
		return NULL;
	kmp_ledger_destroy(feed->ledger);
	feed->ledger = NULL;
	feed->ledgers++;
	return kmp_ledger_create(&feed->ledger);
}

struct kmp_error *cli_feed_read(struct cli_feed *feed, const struct kmp_sink *sink)
{
	try(renew_ledger(feed));
	if (feed->recorder)
		return kmp_recorder_read(feed->recorder, feed->ledger, sink);
	try(read_path(feed, sink));
	if (!feed->started)
		try(cli_kernel_check_read(feed->ledger, feed->missing));
	/* Profiling that was never on has tags of nothing. */
	if (!feed->started && kmp_ledger_facts(feed->ledger)->profiling_off &&
	    !cli_has_counted(feed->ledger))
		feed->tags = false;
	feed->started = true;
	return NULL;
}

const char *cli_feed_way(const struct cli_feed *feed)
{
	if (feed->recorder)
		return "recorded live";
	if (feed->counts)
		return feed->tags ? "the kernel's counts by stack, and allocinfo"
				  : "the kernel's counts by stack";
	return feed->path;
}

void cli_feed_deinit(struct cli_feed *feed)
{
	kmp_source_close(feed->source);
	kmp_recorder_destroy(feed->recorder);
	kmp_ledger_destroy(feed->ledger);
	cli_record_deinit(&feed->job);
}
