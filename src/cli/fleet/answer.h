/* SPDX-License-Identifier: GPL-2.0-only */
/* What a fleet answers, as groups that the library prints. */
#ifndef KMP_CLI_FLEET_ANSWER_H
#define KMP_CLI_FLEET_ANSWER_H

#include "cli/fleet/owners.h"

struct answer {
	struct kmp_groups groups; /* all of it in the fleet's pool, or here */
	VEC(struct kmp_group) list;
	VEC(const char *) warnings;
};

void answer_deinit(struct answer *answer);

/* Say what must be known of the hosts: which were left out of the answer, and why. */
struct kmp_error *answer_tell_hosts(struct fleet *fleet, const struct hosts *hosts,
				    struct answer *answer);

/* A name, which is anyone's, so that none of it acts on the terminal that it may go to. */
struct kmp_error *answer_add_visible(struct sql *text, const char *name);

/* A warning, as printf() would print it. */
struct kmp_error *answer_warn(struct fleet *fleet, struct answer *answer, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Where the figures are from: `kind`, as `12 hosts`; NULL name: the server's. */
struct kmp_facts answer_facts(const struct fleet *fleet, const struct hosts *hosts,
			      const char *name, const char *kind);

/* A group for each owner, without names; total, order. */
struct kmp_error *answer_make(struct fleet *fleet, const struct hosts *hosts,
			      const struct owners *owners, struct answer *answer);

/* Names of the first count groups; all others stay without. */
struct kmp_error *answer_name(struct fleet *fleet, size_t count, struct answer *answer);

/* Add to sums. */
void answer_add(struct kmp_sums *to, const struct kmp_sums *sums);

#endif
