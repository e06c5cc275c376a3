// SPDX-License-Identifier: GPL-2.0-only
#include "store/tuples.h"

static struct kmp_error *find_owner(struct kmp_tuples *tuples, const struct kmp_owner *owner)
{
	/* Neighbours mostly have the same owner. */
	if (tuples->sums.len && !memcmp(owner, &tuples->last_owner, sizeof(*owner)))
		return NULL;
	try(kmp_pool_intern(&tuples->owners, (const char *)owner, sizeof(*owner),
			    &tuples->last_owner_number));
	tuples->last_owner = *owner;
	if (tuples->last_owner_number == tuples->sums.len)
		return vec_push(&tuples->sums, (struct kmp_owner_sums){ 0 });
	return NULL;
}

static struct kmp_error *find_state(struct kmp_tuples *tuples, const struct kmp_state *state)
{
	if (tuples->states.strings.len && !memcmp(state, &tuples->last_state, sizeof(*state)))
		return NULL;
	try(kmp_pool_intern(&tuples->states, (const char *)state, sizeof(*state),
			    &tuples->last_state_number));
	tuples->last_state = *state;
	return NULL;
}

struct kmp_error *kmp_tuples_add(struct kmp_tuples *tuples, const struct kmp_page *page,
				 uint32_t *owner, uint32_t *state)
{
	try(find_owner(tuples, &(struct kmp_owner){ page->stack, page->task, page->gfp, page->type,
						    page->form, page->order }));
	try(find_state(tuples, &(struct kmp_state){ page->flags, page->block_type, page->charge,
						    page->reason, page->extra }));
	tuples->sums.data[tuples->last_owner_number].records += page->records;
	tuples->sums.data[tuples->last_owner_number].pages += page->pages;
	*owner = tuples->last_owner_number;
	*state = tuples->last_state_number;
	return NULL;
}

void kmp_tuples_deinit(struct kmp_tuples *tuples)
{
	kmp_pool_deinit(&tuples->owners);
	kmp_pool_deinit(&tuples->states);
	vec_deinit(&tuples->sums);
}
