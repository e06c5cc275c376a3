/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes samples of ledgers. What was found out about a ledger's stacks and tasks is remembered, so
 * that a sample of the same ledger takes little more than a look at each page owner.
 */
#ifndef KMP_CLI_FLEET_GATHER_H
#define KMP_CLI_FLEET_GATHER_H

#include "cli/fleet/ids.h"
#include "cli/fleet/sample.h"

struct gather_sums {
	uint64_t pages;
	uint64_t records;
};

/* An owner of the kind, whose figures are summed up. */
struct gather_owner {
	uint64_t id;
	int64_t bytes;
	int64_t count;
	size_t name; /* where its row begins in the names */
	size_t name_len;
	bool here; /* it is in this sample */
	bool told; /* it was in one before */
};

struct gather_kind {
	VEC(struct gather_owner) owners;
	struct ids ids;
	struct row_writer names;
};

/* All-zero is empty. */
struct gather {
	struct kmp_ledger *ledger;
	/* With each sample the names of all its owners, not only of those that are new. */
	bool all_names;
	VEC(struct gather_sums) stacks; /* of the sample, by number in the ledger */
	VEC(struct gather_sums) tasks;
	VEC(uint32_t) owner_of_stack; /* KMP_NONE: not known yet */
	VEC(uint32_t) owner_of_comm;
	struct gather_sums no_stack;
	struct gather_sums no_task;
	struct gather_kind kinds[SCHEMA_KINDS];
};

/* Take page owners of a ledger, from none on. */
struct kmp_sink gather_begin(struct gather *gather);

/*
 * The figures and names of all that came since then, and of the ledger's tags. forget is to be set
 * if the ledger is not that of the last sample.
 */
struct kmp_error *gather_end(struct gather *gather, struct kmp_ledger *ledger, bool forget,
			     struct push_sample *sample);

void gather_deinit(struct gather *gather);

#endif
