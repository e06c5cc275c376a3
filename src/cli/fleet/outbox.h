/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples between who reads them and who sends them, two threads: in a spool on the disk, or in
 * memory. The reader never waits for the sender; where there is no more room, the oldest samples
 * go. Of a history, which keeps its samples itself, they are handed over as they are, and the
 * reader waits.
 */
#ifndef KMP_CLI_FLEET_OUTBOX_H
#define KMP_CLI_FLEET_OUTBOX_H

#include <pthread.h>

#include "cli/fleet/spool.h"

enum { OUTBOX_ROWS = 200000, OUTBOX_SAMPLES = 256 };

struct outbox_options {
	const char *spool; /* a directory, or NULL */
	uint64_t max;	   /* bytes of samples that wait */
	bool direct;	   /* hand over as it is, and wait */
};

struct outbox_stats {
	uint64_t lost;	  /* samples that found no room, or had to make some */
	uint64_t damaged; /* files of the spool that were none */
	uint64_t waiting; /* samples that are there now */
	uint64_t bytes;	  /* of them */
};

struct outbox;

struct kmp_error *outbox_create(const struct outbox_options *options, struct outbox **outbox);

/* What is in a spool stays there. */
void outbox_destroy(struct outbox *outbox);

/*
 * Put a sample in, which is the outbox's from now on, whatever the outcome. An error is of memory;
 * samples that are lost are counted.
 */
struct kmp_error *outbox_put(struct outbox *outbox, struct push_sample *sample);

/* Direct: is there room, so that outbox_put() does not make more wait than wanted? */
bool outbox_has_room(struct outbox *outbox);

/* What is there is to be sent now: more may be long in coming. */
void outbox_flush(struct outbox *outbox);

/* No more comes. */
void outbox_end(struct outbox *outbox);

/* The sender is to stop: outbox_take() returns at once, with nothing. */
void outbox_stop(struct outbox *outbox);

/* Samples of one session and day, oldest first. */
struct outbox_batch {
	VEC(struct push_sample *) samples;
};

/*
 * Wait for samples and take some; none: there are no more, or it was told to stop. They stay in the
 * outbox until they are done, or put back.
 */
struct kmp_error *outbox_take(struct outbox *outbox, struct outbox_batch *batch);

/* These were sent (or are to be tried again), and are freed. */
void outbox_done(struct outbox *outbox, struct outbox_batch *batch);
void outbox_back(struct outbox *outbox, struct outbox_batch *batch);

void outbox_stats(struct outbox *outbox, struct outbox_stats *stats);

#endif
