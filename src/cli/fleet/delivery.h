/* SPDX-License-Identifier: GPL-2.0-only */
/* A batch on its way: what of it the server has, and what is still to be inserted. */
#ifndef KMP_CLI_FLEET_DELIVERY_H
#define KMP_CLI_FLEET_DELIVERY_H

#include "cli/fleet/sender.h"

/* Tables that have rows of each sample, in the order in which they are filled. */
enum { DELIVERY_TABLES = SCHEMA_SAMPLES + 1 };

/* The server had all of it before. */
enum { DELIVERY_THERE = 0x80 };

struct delivery {
	struct sender *sender;
	struct outbox_batch batch;
	/* Of each sample, a bit for each table that has its rows; DELIVERY_THERE. */
	uint8_t *present;
	bool doubt;		  /* the server is to be asked what it has */
	struct row_writer packed; /* figures, of the samples that packed_of says */
	uint64_t packed_of;	  /* a hash of them, 0: none */
};

static inline bool delivery_has(const struct delivery *delivery, size_t sample,
				enum schema_table table)
{
	return delivery->present[sample] >> table & 1;
}

static inline void delivery_set(struct delivery *delivery, size_t sample, enum schema_table table)
{
	delivery->present[sample] |= (uint8_t)(1 << table);
}

struct kmp_error *delivery_start(struct delivery *delivery);
void delivery_deinit(struct delivery *delivery);

/* Find out what of it is there. */
struct kmp_error *delivery_settle(struct delivery *delivery);

/* Try to bring it all there. */
struct kmp_error *delivery_try(struct delivery *delivery);

#endif
