/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Most of a page owner's members come in few combinations: 39 447 records of Linux 7.3 have 611
 * owners (who allocated what kind of page) and 50 states (what the page is now). Each combination
 * is a row of a plain table; a record needs but two numbers.
 */
#ifndef KMP_STORE_TUPLES_H
#define KMP_STORE_TUPLES_H

#include <assert.h>

#include "base/pool.h"

struct kmp_owner {
	uint32_t stack;
	uint32_t task;
	uint32_t gfp;
	uint32_t type;
	uint32_t form;
	uint32_t order;
};

struct kmp_state {
	uint32_t flags;
	uint32_t block_type;
	uint32_t charge;
	uint32_t reason;
	uint32_t extra;
};

/* What all records of an owner add up to. */
struct kmp_owner_sums {
	uint64_t records;
	uint64_t pages;
};

/* All-zero is empty; kmp_tuples_deinit() frees. */
struct kmp_tuples {
	struct kmp_pool owners; /* of struct kmp_owner */
	struct kmp_pool states; /* of struct kmp_state */
	VEC(struct kmp_owner_sums) sums;
	struct kmp_owner last_owner;
	struct kmp_state last_state;
	uint32_t last_owner_number;
	uint32_t last_state_number;
};

/* The numbers of this page's owner and state; the owner's sums grow. */
struct kmp_error *kmp_tuples_add(struct kmp_tuples *tuples, const struct kmp_page *page,
				 uint32_t *owner, uint32_t *state) must_check;

static inline const struct kmp_owner *kmp_tuples_owner(const struct kmp_tuples *tuples,
						       uint32_t number)
{
	assert(tuples->owners.strings.data);
	return (const void *)tuples->owners.strings.data[number].text;
}

static inline const struct kmp_state *kmp_tuples_state(const struct kmp_tuples *tuples,
						       uint32_t number)
{
	assert(tuples->states.strings.data);
	return (const void *)tuples->states.strings.data[number].text;
}

void kmp_tuples_deinit(struct kmp_tuples *tuples);

#endif
