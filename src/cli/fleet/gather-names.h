/* SPDX-License-Identifier: GPL-2.0-only */
/* Owners and what they are called. */
#ifndef KMP_CLI_FLEET_GATHER_NAMES_H
#define KMP_CLI_FLEET_GATHER_NAMES_H

#include "cli/fleet/gather.h"

/* The owners of these stacks of the ledger, one for each of its traces. */
struct kmp_error *gather_name_stacks(struct gather *gather, const uint32_t *stacks, size_t count);

/* The owner of a task's name, a number in KMP_DICT_COMM. */
struct kmp_error *gather_name_comm(struct gather *gather, uint32_t comm, uint32_t *owner);

/* The owner of a tag, by module, file, line and function. */
struct kmp_error *gather_name_tag(struct gather *gather, const struct kmp_value *key,
				  uint32_t *owner);

/* The owner that was not told. */
struct kmp_error *gather_nobody(struct gather *gather, enum schema_kind kind, uint32_t *owner);

#endif
