/* SPDX-License-Identifier: GPL-2.0-only */
/* A run of `push`. */
#ifndef KMP_CLI_FLEET_PUSH_H
#define KMP_CLI_FLEET_PUSH_H

#include "cli/fleet/reader.h"
#include "cli/fleet/sender.h"
#include "cli/ticker.h"

struct push {
	struct sender_options options;
	struct outbox_options box;
	uint64_t interval; /* ns */
	bool repeats;
	uint64_t count; /* samples to read, 0: until a signal comes */
	struct push_reader reader;
	struct outbox *outbox;
	struct sender sender;
	struct cli_ticker ticker;
	uint64_t read;		/* samples */
	uint64_t unread;	/* that could not be read */
	uint64_t there;		/* of a history, that the server had */
	uint64_t lost_records;	/* samples in which records are missing */
	bool interrupted;	/* by a signal */
	atomic_int stop;	/* the sender is to give up */
	atomic_int sender_over; /* it has ended */
	struct kmp_error *sender_error;
};

/* Wait for a time at most; false: a signal came, or the sender has ended. */
bool push_wait(struct push *push, uint64_t ns);

/* Push the samples of a history that the server does not have; with an interval, those to come. */
struct kmp_error *push_history(struct push *push);

#endif
