// SPDX-License-Identifier: GPL-2.0-only
#include "cli/watch/feed.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/clock.h"
#include "cli/common.h"
#include "cli/kernel.h"

DEFINE_CLEANUP(filter, struct kmp_filter *, kmp_filter_destroy)
DEFINE_CLEANUP(ledger, struct kmp_ledger *, kmp_ledger_destroy)
DEFINE_CLEANUP(source, struct kmp_source *, kmp_source_close)
DEFINE_CLEANUP(store, struct kmp_store *, kmp_store_abort)

const char *const watch_tab_names[WATCH_TABS] = { "stacks", "tags", "tasks", "nodes", "orders" };

/* NULL: tags are no groups of page owners. */
static const char *const tab_keys[WATCH_TABS] = { "stack,function", NULL, "comm,pid", "node,zone",
						  "order" };

/* One reading for several groupings. */
struct fan {
	struct kmp_filter *filters[WATCH_TABS];
	struct kmp_grouping *groupings[WATCH_TABS]; /* NULL: not asked for */
	struct kmp_sink sinks[WATCH_TABS];
};

static void fan_deinit(struct fan *fan)
{
	for (size_t i = 0; i < WATCH_TABS; i++) {
		kmp_grouping_destroy(fan->groupings[i]);
		kmp_filter_destroy(fan->filters[i]);
	}
}

static struct kmp_error *fan_pages(void *arg, struct kmp_ledger *ledger,
				   const struct kmp_page *pages, size_t count)
{
	const struct fan *fan = arg;

	for (size_t i = 0; i < WATCH_TABS; i++) {
		if (fan->groupings[i])
			try(fan->sinks[i].pages(fan->sinks[i].arg, ledger, pages, count));
	}
	return NULL;
}

/* Groupings for one tab, or (WATCH_TABS) for all that show page owners. */
static struct kmp_error *fan_init(struct fan *fan, const struct watch_feed *feed,
				  struct kmp_ledger *ledger, enum watch_tab only,
				  struct kmp_sink *sink)
{
	*sink = (struct kmp_sink){ fan_pages, fan, 0 };
	for (size_t i = 0; i < WATCH_TABS; i++) {
		if (!tab_keys[i] || (only != WATCH_TABS && i != only))
			continue;
		if (feed->where)
			try(kmp_filter_compile(feed->where, &fan->filters[i]));
		try(kmp_grouping_create(ledger, tab_keys[i], fan->filters[i], &fan->groupings[i]));
		fan->sinks[i] = kmp_grouping_sink(fan->groupings[i]);
		sink->columns |= fan->sinks[i].columns;
	}
	return NULL;
}

static struct kmp_error *fan_finish(struct fan *fan, struct kmp_groups *groups[WATCH_TABS])
{
	for (size_t i = 0; i < WATCH_TABS; i++) {
		if (fan->groupings[i])
			try(kmp_grouping_finish(no_free(fan->groupings[i]), &groups[i]));
	}
	return NULL;
}

/* Counts by stack are read again and again from a source that stays open. */
static struct kmp_error *open_counts(struct watch_feed *feed)
{
	struct stat st;

	if (stat(feed->path, &st) || !S_ISDIR(st.st_mode))
		return NULL;
	char file[4096];

	snprintf(file, sizeof(file), "%s/page_owner_stacks/show_handles", feed->path);
	if (access(file, R_OK)) {
		snprintf(file, sizeof(file), "%s/show_handles", feed->path);
		if (access(file, R_OK))
			return NULL;
	}
	try(kmp_ledger_create(&feed->ledger));
	return kmp_source_open(feed->path, NULL, &feed->counts);
}

struct kmp_error *watch_feed_open(struct watch_feed *feed, const char *path,
				  struct kmp_recorder *recorder)
{
	const char *missing;

	*feed = (struct watch_feed){ .path = path, .recorder = recorder };
	if (recorder)
		return NULL;
	if (kmp_history_probe(path)) {
		try(kmp_history_open(path, &feed->history));
		feed->moment = kmp_history_count(feed->history) - 1;
		return NULL;
	}
	if (!strcmp(path, "kernel")) {
		try(cli_kernel_choose(&feed->path, &missing));
		feed->tags = missing ? NULL : "/proc/allocinfo";
		if (feed->tags && access(feed->tags, R_OK))
			feed->tags = NULL;
	}
	return open_counts(feed);
}

void watch_feed_close(struct watch_feed *feed)
{
	kmp_recorder_destroy(feed->recorder);
	kmp_history_close(feed->history);
	kmp_source_close(feed->counts);
	kmp_ledger_destroy(feed->ledger);
	*feed = (struct watch_feed){ 0 };
}

struct kmp_error *watch_feed_filter(struct watch_feed *feed, const char *where)
{
	struct kmp_filter *filter cleanup(cleanup_filter) = NULL;

	if (where)
		try(kmp_filter_compile(where, &filter));
	feed->where = where;
	return NULL;
}

/* Do the counts by stack tell all that the filter asks? */
static struct kmp_error *counts_suffice(const struct watch_feed *feed, bool *suffice)
{
	struct kmp_filter *filter cleanup(cleanup_filter) = NULL;

	*suffice = feed->counts != NULL;
	if (!*suffice || !feed->where)
		return NULL;
	try(kmp_filter_compile(feed->where, &filter));
	*suffice = !(kmp_filter_columns(filter) & ~(uint32_t)KMP_COLUMN_STACK);
	return NULL;
}

static struct kmp_error *read_counts(struct watch_feed *feed, struct kmp_groups *groups[WATCH_TABS])
{
	struct fan fan cleanup(fan_deinit) = { 0 };
	struct kmp_sink sink;

	try(fan_init(&fan, feed, feed->ledger, WATCH_STACKS, &sink));
	try(kmp_source_read(feed->counts, feed->ledger, KMP_READ_COUNTS, &sink));
	return fan_finish(&fan, groups);
}

static struct kmp_error *drop_pages(void *arg, struct kmp_ledger *ledger,
				    const struct kmp_page *pages, size_t count)
{
	return NULL;
}

/* Page owners, or tags, as they are now, to the sink or into the ledger. */
static struct kmp_error *read_now(struct watch_feed *feed, uint32_t what, struct kmp_ledger *ledger,
				  const struct kmp_sink *sink)
{
	static const struct kmp_sink nowhere = { drop_pages, NULL, 0 };
	struct kmp_source *source cleanup(cleanup_source) = NULL;
	const char *path = what == KMP_READ_TAGS && feed->tags ? feed->tags : feed->path;

	if (feed->history)
		return kmp_history_read(feed->history, feed->moment, what, ledger, sink);
	if (feed->recorder && what == KMP_READ_TAGS && !feed->records_tags)
		return kmp_error_new(KMP_ERROR_USAGE, "tags are recorded only with --tags");
	if (feed->recorder)
		return kmp_recorder_read(feed->recorder, ledger, sink ? sink : &nowhere);
	try(kmp_source_open(path, NULL, &source));
	if (!(kmp_source_holds(source) & what))
		return kmp_error_new(KMP_ERROR_INPUT, "%s: has no %s", path,
				     what == KMP_READ_TAGS ? "tags" : "page owners");
	return kmp_source_read(source, ledger, what, sink);
}

static struct kmp_error *read_pages(struct watch_feed *feed, enum watch_tab tab,
				    struct kmp_groups *groups[WATCH_TABS])
{
	struct kmp_ledger *ledger cleanup(cleanup_ledger) = NULL;
	struct fan fan cleanup(fan_deinit) = { 0 };
	struct kmp_sink sink;

	try(kmp_ledger_create(&ledger));
	/* What costs little by itself is not made dearer by what nobody looks at. */
	try(fan_init(&fan, feed, ledger, feed->recorder || feed->history ? tab : WATCH_TABS,
		     &sink));
	try(read_now(feed, KMP_READ_PAGES, ledger, &sink));
	return fan_finish(&fan, groups);
}

struct kmp_error *watch_feed_read(struct watch_feed *feed, enum watch_tab tab,
				  struct kmp_groups *groups[WATCH_TABS])
{
	struct kmp_ledger *ledger cleanup(cleanup_ledger) = NULL;
	bool counts = false;

	memset(groups, 0, WATCH_TABS * sizeof(*groups));
	if (tab == WATCH_TAGS) {
		try(kmp_ledger_create(&ledger));
		try(read_now(feed, KMP_READ_TAGS, ledger, NULL));
		return kmp_tags_group(ledger, "file,line,module,function", NULL, &groups[tab]);
	}
	if (tab == WATCH_STACKS)
		try(counts_suffice(feed, &counts));
	return counts ? read_counts(feed, groups) : read_pages(feed, tab, groups);
}

uint64_t watch_feed_time(const struct watch_feed *feed)
{
	return feed->history ? kmp_history_sample(feed->history, feed->moment)->time
			     : cli_clock_ns(CLOCK_REALTIME);
}

struct kmp_error *watch_feed_save(struct watch_feed *feed, const char *path)
{
	struct kmp_ledger *ledger cleanup(cleanup_ledger) = NULL;
	struct kmp_store *store cleanup(cleanup_store) = NULL;

	if (!access(path, F_OK))
		return kmp_error_new(KMP_ERROR_USAGE, "%s: is there already, and stays", path);
	try(kmp_ledger_create(&ledger));
	try(kmp_store_create(path, false, &store));
	struct kmp_sink sink = kmp_store_sink(store);
	struct kmp_error *pages = read_now(feed, KMP_READ_PAGES, ledger, &sink);
	/* A recording's reading has both. */
	bool both = feed->recorder != NULL;
	struct kmp_error *tags = both ? NULL : read_now(feed, KMP_READ_TAGS, ledger, NULL);

	/* One of them is enough. */
	if (pages && (tags || both)) {
		kmp_error_destroy(tags);
		return pages;
	}
	kmp_error_destroy(pages);
	kmp_error_destroy(tags);
	return kmp_store_commit(no_free(store), ledger);
}
