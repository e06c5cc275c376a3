/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sends what is in an outbox to a ClickHouse, each sample once: what became of an insert without an
 * answer is asked for before it is tried again.
 */
#ifndef KMP_CLI_FLEET_SENDER_H
#define KMP_CLI_FLEET_SENDER_H

#include "cli/fleet/ids.h"
#include "cli/fleet/outbox.h"

struct sender_options {
	struct clickhouse_options server;
	struct schema_options schema;
	bool patient; /* a server that is away from the beginning is waited for */
	bool spooled; /* what is not sent stays, and need not be waited for at the end */
	bool verbose;
	double give_up; /* seconds of trouble, where it is not patient, or at the end */
};

struct sender_stats {
	uint64_t samples; /* sent */
	uint64_t rows;	  /* of figures */
	uint64_t there;	  /* samples that the server had already */
	uint64_t failed;  /* requests that failed */
};

struct sender {
	struct sender_options options;
	struct clickhouse *server;
	struct outbox *outbox;
	struct ids told[SCHEMA_KINDS]; /* whose names the server has */
	struct sender_stats stats;
	atomic_int ending; /* no more samples come */
	bool ready;	   /* the tables are there */
	bool troubled;
	bool silent;	       /* the last failure: who knows what the server is doing */
	uint64_t last_success; /* ns of CLOCK_MONOTONIC */
	uint64_t last_expiry;
	unsigned inserts; /* so far, for their ids */
};

struct kmp_error *sender_init(struct sender *sender, const struct sender_options *options,
			      struct outbox *outbox);
void sender_deinit(struct sender *sender);

/* Connect, and make the tables. */
struct kmp_error *sender_prepare(struct sender *sender);

/*
 * Send until the outbox ends or is stopped. An error is one that stays: what could not be sent is
 * in the outbox.
 */
struct kmp_error *sender_run(struct sender *sender);

#endif
