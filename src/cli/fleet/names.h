/* SPDX-License-Identifier: GPL-2.0-only */
/* What owners are called: the frames of a stack, the place of a tag, the name of a task. */
#ifndef KMP_CLI_FLEET_NAMES_H
#define KMP_CLI_FLEET_NAMES_H

#include "cli/fleet/hosts.h"

/* An owner whose key is to be found. */
struct named {
	uint64_t id;
	struct kmp_value *key; /* of as many values as the owner's kind has; KMP_VALUE_NONE */
};

/*
 * Fill in the keys of owners of a kind. *missing counts those that nobody has told the name of.
 * The list is put in the order of ids.
 */
struct kmp_error *names_fill(struct fleet *fleet, enum schema_kind kind, struct named *list,
			     size_t count, size_t *missing);

#endif
