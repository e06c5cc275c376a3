/* SPDX-License-Identifier: GPL-2.0-only */
/* What the series of a history are: each a kind of page owners, or a tag. */
#ifndef KMP_STORE_HISTORY_SERIES_H
#define KMP_STORE_HISTORY_SERIES_H

#include "base/index.h"
#include "base/vec.h"
#include "store/db.h"

/* Ids in the file; KMP_NONE: not told, or not what tells series apart. */
struct kmp_series_key {
	uint32_t stack;
	uint32_t task;
	uint32_t order;
	uint32_t gfp;
	uint32_t type;
	uint32_t node;
	uint32_t zone;
	uint32_t location; /* of a tag, which has nothing else */
};

/* By number; a series' id is its number + 1. */
struct kmp_series_list {
	VEC(struct kmp_series_key) keys;
	struct kmp_index index;
};

/* Append the series that a file has beyond those that are there; max: it cannot have more. */
struct kmp_error *kmp_series_load(struct kmp_series_list *list, sqlite3 *db,
				  uint64_t max) must_check;

/* The number of the series of this key, or KMP_NONE. */
uint32_t kmp_series_find(const struct kmp_series_list *list, const struct kmp_series_key *key);

/* Append a series. */
struct kmp_error *kmp_series_add(struct kmp_series_list *list,
				 const struct kmp_series_key *key) must_check;

/* A series has this key from now on. */
struct kmp_error *kmp_series_change(struct kmp_series_list *list, uint32_t number,
				    const struct kmp_series_key *key) must_check;

void kmp_series_deinit(struct kmp_series_list *list);

#endif
