/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the samples of the screen come from: the kernel's files or any file, read anew each time;
 * a recording that goes on; or the samples of a history.
 */
#ifndef KMP_CLI_WATCH_FEED_H
#define KMP_CLI_WATCH_FEED_H

#include "kmemprof/kmemprof.h"

/* The tabs. */
enum watch_tab { WATCH_STACKS, WATCH_TAGS, WATCH_TASKS, WATCH_NODES, WATCH_ORDERS, WATCH_TABS };

extern const char *const watch_tab_names[WATCH_TABS];

struct watch_feed {
	const char *path;	       /* for people */
	struct kmp_recorder *recorder; /* live, else NULL */
	bool records_tags;	       /* it knows tags, too */
	struct kmp_history *history;   /* or NULL */
	size_t moment;		       /* of the history: the sample that is read */
	struct kmp_source *counts;     /* the kernel's counts by stack, or NULL */
	struct kmp_ledger *ledger;     /* theirs: it knows their stacks */
	const char *tags;	       /* where tags are read, or NULL */
	const char *where;	       /* page owners for which this holds, or NULL */
};

/*
 * Open what path names, `kernel` for the running one; or read this recorder, which then belongs
 * to the feed.
 */
struct kmp_error *watch_feed_open(struct watch_feed *feed, const char *path,
				  struct kmp_recorder *recorder);
void watch_feed_close(struct watch_feed *feed);

/* Only page owners for which this holds, NULL for all; must outlive the feed. */
struct kmp_error *watch_feed_filter(struct watch_feed *feed, const char *where);

/*
 * Read a sample: the groups of this tab, and of others that came with it. Those that did not are
 * NULL. Free each with kmp_groups_destroy().
 */
struct kmp_error *watch_feed_read(struct watch_feed *feed, enum watch_tab tab,
				  struct kmp_groups *groups[WATCH_TABS]);

/* The time of the moment that is read, ns since 1970. */
uint64_t watch_feed_time(const struct watch_feed *feed);

/* Save all that there is now, or at the moment of the history, into a new ledger file. */
struct kmp_error *watch_feed_save(struct watch_feed *feed, const char *path);

#endif
