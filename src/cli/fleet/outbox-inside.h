/* SPDX-License-Identifier: GPL-2.0-only */
/* An outbox, for its own parts. */
#ifndef KMP_CLI_FLEET_OUTBOX_INSIDE_H
#define KMP_CLI_FLEET_OUTBOX_INSIDE_H

#include "cli/fleet/outbox.h"

/* A sample that waits: itself, its bytes, or its file. */
struct outbox_entry {
	struct push_sample *sample;
	struct row_writer bytes;
	struct spool_file file;
	uint64_t size;
	size_t rows;
	bool taken;
	bool old;   /* it has been tried, or another process may have done so */
	bool tried; /* by us */
};

struct outbox {
	struct outbox_options options;
	struct spool spool;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	VEC(struct outbox_entry *) entries; /* oldest first */
	size_t rows;			    /* direct: of those that are not taken */
	bool flush;
	bool ended;
	bool stopped;
	struct outbox_stats stats;
};

void outbox_entry_destroy(struct outbox_entry *entry);

/* Put it at the end of the list. The lock is held, or nobody else knows the outbox yet. */
struct kmp_error *outbox_add(struct outbox *outbox, struct outbox_entry *entry);

/* Take it off the list and destroy it; with its file, too. The lock is held. */
void outbox_remove(struct outbox *outbox, size_t at);

#endif
