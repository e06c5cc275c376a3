/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers by 64-bit ids which are hashes themselves. All-zero is empty; ids_deinit() frees. */
#ifndef KMP_CLI_FLEET_IDS_H
#define KMP_CLI_FLEET_IDS_H

#include "cli/cli.h"

struct ids {
	struct ids_slot *slots;
	size_t size; /* a power of two, or 0 */
	size_t used;
};

/* The number of id. If it is new, it gets `number`, and *added is true. */
struct kmp_error *ids_add(struct ids *ids, uint64_t id, uint32_t number, uint32_t *found,
			  bool *added);

/* Is it there? */
bool ids_has(const struct ids *ids, uint64_t id);

/* Add all of another one. */
struct kmp_error *ids_merge(struct ids *ids, const struct ids *from);

void ids_deinit(struct ids *ids);

#endif
