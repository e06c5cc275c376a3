/* SPDX-License-Identifier: GPL-2.0-only */
/* Where an owner is: what each host has of it, how that changed, and since when it grows. */
#ifndef KMP_CLI_FLEET_WHERE_H
#define KMP_CLI_FLEET_WHERE_H

#include "cli/fleet/answer.h"

/* An owner that was asked for by its name. */
struct where {
	const struct fleet_by *by;
	const char *ids;   /* SQL that holds for its numbers: `owner IN (…)` */
	const char *title; /* what it is, for people: lines, visible */
	struct kmp_value key[3];
	const char *keys[4]; /* host, and what tells the owner */
	size_t key_count;
};

/* KMP_ERROR_USAGE for what cannot be a name, KMP_ERROR_INPUT for one that nobody has. */
struct kmp_error *where_find(struct fleet *fleet, struct where *where);

/* Groups by host. */
struct kmp_error *where_answer(struct fleet *fleet, const struct where *where,
			       const struct hosts *hosts, struct answer *answer);

#endif
