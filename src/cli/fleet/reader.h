/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads samples to be pushed: of a feed, or of a history. */
#ifndef KMP_CLI_FLEET_READER_H
#define KMP_CLI_FLEET_READER_H

#include "cli/feed.h"
#include "cli/fleet/gather.h"

struct push_reader {
	const char *host; /* --host, or NULL */
	struct row_writer labels;
	struct gather gather;
	struct cli_feed feed;	     /* or: */
	struct kmp_history *history; /* NULL: the feed */
	struct kmp_ledger *ledger;   /* of the history */
	uint64_t ledgers;	     /* the feed's, when it was read last */
};

/* Open what the options and the argument tell. */
struct kmp_error *push_reader_open(const struct cli_args *args, struct push_reader *reader);
void push_reader_close(struct push_reader *reader);

/* A sample of the feed, now. */
struct kmp_error *push_reader_now(struct push_reader *reader, struct push_sample **sample);

/* The sample of this index of the history. */
struct kmp_error *push_reader_at(struct push_reader *reader, size_t index,
				 struct push_sample **sample);

/* What the session of this sample of the history is. KMP_ERROR_USAGE if no host is known. */
struct kmp_error *push_reader_session(const struct push_reader *reader, const struct kmp_sample *of,
				      uint64_t *session);

#endif
