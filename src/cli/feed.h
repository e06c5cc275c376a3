/* SPDX-License-Identifier: GPL-2.0-only */
/* What is read again and again: the running kernel the cheapest way, any source, or a recorder. */
#ifndef KMP_CLI_FEED_H
#define KMP_CLI_FEED_H

#include "cli/record.h"

/* The options that cli_feed_open() understands, for a command's list. */
#define CLI_FEED_OPTIONS                                                                           \
	{ "source", 'S', "FILE|DIR|kernel|live",                                                   \
	  "what to read; the kernel's own files unless told; live: record" },                      \
		{ "all", 'a', NULL, "live: the whole machine" },                                   \
		{ "pid", 'p', "LIST", "live: only these processes: 1,200" },                       \
		{ "cgroup", 'c', "DIR", "live: only tasks below this directory of cgroup 2" },     \
		{ "stack-depth", 'D', "N", "live: frames kept of a stack, at most 32; 16" },       \
		{ "max-stacks", 0, "N", "live: different stacks there is room for; 65536" },       \
	{                                                                                          \
		"max-tasks", 0, "N", "live: tasks that hold memory there is room for; 12288"       \
	}

struct cli_feed {
	const char *path;	   /* NULL: the recorder */
	struct kmp_source *source; /* a directory that is read again and again, or NULL */
	struct kmp_recorder *recorder;
	struct kmp_ledger *ledger;
	uint64_t ledgers; /* how many there were: another number, another ledger */
	struct cli_record job;
	bool counts;	     /* the kernel's own pages by stack */
	bool tags;	     /* tags are worth reading */
	bool started;	     /* it was read once */
	bool own_machine;    /* what is read is this machine's */
	const char *missing; /* why there are no page owners, or NULL */
};

/* Open what the options tell. */
struct kmp_error *cli_feed_open(const struct cli_args *args, struct cli_feed *feed);

/*
 * Read once more: tags into feed->ledger, page owners to the sink. The ledger may be another one
 * than before, since what is named in it grows.
 */
struct kmp_error *cli_feed_read(struct cli_feed *feed, const struct kmp_sink *sink);

/* How it is read, in a few words. */
const char *cli_feed_way(const struct cli_feed *feed);

void cli_feed_deinit(struct cli_feed *feed);

#endif
