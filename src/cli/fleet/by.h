/* SPDX-License-Identifier: GPL-2.0-only */
/* By what the owners of a fleet are told apart, and where their names are. */
#ifndef KMP_CLI_FLEET_BY_H
#define KMP_CLI_FLEET_BY_H

#include "cli/fleet/schema.h"

struct fleet_by {
	const char *name; /* what --by calls it */
	enum schema_kind kind;
	const char *column; /* whose owners of the same text are one; NULL: each is one by itself */
	const char *const *keys;
	size_t key_count;
};

/* What `--by` takes, for completion. */
#define FLEET_BY_WORDS "stack function module task tag file"

/* name may be NULL. KMP_ERROR_USAGE for an unknown one. */
struct kmp_error *fleet_by_find(const char *name, bool tags, const struct fleet_by **by);

/* The table that has the names of this kind of owners, and its column of numbers. */
enum schema_table fleet_names_table(enum schema_kind kind);
const char *fleet_names_id(enum schema_kind kind);

#endif
