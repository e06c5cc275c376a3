/* SPDX-License-Identifier: GPL-2.0-only */
/* What holds memory on the hosts of a fleet, added up over them. */
#ifndef KMP_CLI_FLEET_OWNERS_H
#define KMP_CLI_FLEET_OWNERS_H

#include "cli/fleet/hosts.h"

struct owner {
	uint64_t id;	  /* where each owner is one by itself */
	const char *name; /* else; bytes, ended by NUL */
	size_t name_len;
	uint64_t hosts;	       /* that have it (growers: where it grew) */
	uint64_t hosts_before; /* that had it (compare: of the other side) */
	int64_t bytes, count, bytes_before, count_before;
	uint64_t worst; /* session of the host that has most of it, or where it grew most */
	int64_t worst_bytes;
	bool no_count;	 /* some host told no count of it */
	uint64_t places; /* owners that are one here, on the host that has most of them */
};

/* All-zero is empty. */
struct owners {
	VEC(struct owner) list;
};

void owners_deinit(struct owners *owners);

/*
 * Those of the hosts that are HOST_GOOD; side: of compare, else 0. With fleet->ask->since, the
 * figures before, too. In the order of their ids or names.
 */
struct kmp_error *owners_load(struct fleet *fleet, const struct hosts *hosts, int side,
			      struct owners *owners);

/*
 * Two sides, each as what one of its hosts has in the mean: `after` takes that of `before`, and
 * its sums become means.
 */
struct kmp_error *owners_compare(struct owners *after, size_t hosts_after,
				 const struct owners *before, size_t hosts_before);

#endif
