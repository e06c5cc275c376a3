// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/ids.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"

struct ids_slot {
	uint64_t id;
	uint32_t number;
	bool used;
};

static struct ids_slot *find(struct ids_slot *slots, size_t size, uint64_t id)
{
	/* Ids come from others, too: they need not be spread as hashes are. */
	size_t at = (size_t)((id * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (size - 1);

	while (slots[at].used && slots[at].id != id)
		at = (at + 1) & (size - 1);
	return &slots[at];
}

static struct kmp_error *grow(struct ids *ids)
{
	size_t size = ids->size ? 2 * ids->size : 256;
	struct ids_slot *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	for (size_t i = 0; i < ids->size; i++) {
		if (ids->slots[i].used)
			*find(slots, size, ids->slots[i].id) = ids->slots[i];
	}
	free(ids->slots);
	ids->slots = slots;
	ids->size = size;
	return NULL;
}

struct kmp_error *ids_add(struct ids *ids, uint64_t id, uint32_t number, uint32_t *found,
			  bool *added)
{
	if (4 * (ids->used + 1) > 3 * ids->size)
		try(grow(ids));
	struct ids_slot *slot = find(ids->slots, ids->size, id);

	*added = !slot->used;
	if (*added) {
		*slot = (struct ids_slot){ id, number, true };
		ids->used++;
	}
	*found = slot->number;
	return NULL;
}

bool ids_has(const struct ids *ids, uint64_t id)
{
	return ids->size && find(ids->slots, ids->size, id)->used;
}

void ids_deinit(struct ids *ids)
{
	free(ids->slots);
	*ids = (struct ids){ 0 };
}

struct kmp_error *ids_merge(struct ids *ids, const struct ids *from)
{
	uint32_t number;
	bool added;

	for (size_t i = 0; i < from->size; i++) {
		if (from->slots[i].used)
			try(ids_add(ids, from->slots[i].id, from->slots[i].number, &number,
				    &added));
	}
	return NULL;
}
