// SPDX-License-Identifier: GPL-2.0-only
#include "store/history-series.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "store/load.h"

static uint64_t hash_of(const void *arg, uint32_t number)
{
	const struct kmp_series_list *list = arg;

	return XXH3_64bits(&list->keys.data[number], sizeof(struct kmp_series_key));
}

uint32_t kmp_series_find(const struct kmp_series_list *list, const struct kmp_series_key *key)
{
	struct kmp_index_cursor cursor = index_start(&list->index, XXH3_64bits(key, sizeof(*key)));
	uint32_t number;

	while ((number = index_next(&list->index, &cursor)) != KMP_NONE) {
		if (!memcmp(&list->keys.data[number], key, sizeof(*key)))
			break;
	}
	return number;
}

struct kmp_error *kmp_series_add(struct kmp_series_list *list, const struct kmp_series_key *key)
{
	uint32_t number = (uint32_t)list->keys.len;

	if (number >= INT32_MAX)
		return kmp_error_new(KMP_ERROR_LIMIT, "more series than a history can hold");
	try(vec_push(&list->keys, *key));
	return kmp_index_add(&list->index, hash_of(list, number), number, hash_of, list);
}

/* What is filed under the key before finds a key that differs, and is passed over. */
struct kmp_error *kmp_series_change(struct kmp_series_list *list, uint32_t number,
				    const struct kmp_series_key *key)
{
	list->keys.data[number] = *key;
	return kmp_index_add(&list->index, hash_of(list, number), number, hash_of, list);
}

static uint32_t number_in(sqlite3_stmt *stmt, int column)
{
	int64_t value = sqlite3_column_int64(stmt, column);

	return sqlite3_column_type(stmt, column) == SQLITE_NULL || value < 0 || value >= KMP_NONE
		       ? KMP_NONE
		       : (uint32_t)value;
}

struct kmp_error *kmp_series_load(struct kmp_series_list *list, sqlite3 *db, uint64_t max)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	bool row;

	try(kmp_db_prepare(db,
			   "SELECT id, stack, task, \"order\", gfp, type, node, zone, location"
			   " FROM series WHERE id > ? ORDER BY id",
			   &stmt));
	try(kmp_db_bind(stmt, "i", (int64_t)list->keys.len));
	for (;;) {
		try(kmp_db_step(stmt, &row));
		if (!row)
			return NULL;
		if (sqlite3_column_int64(stmt, 0) != (int64_t)list->keys.len + 1 ||
		    list->keys.len >= max)
			return kmp_store_damaged("its series are not in order");
		try(kmp_series_add(
			list, &(struct kmp_series_key){ number_in(stmt, 1), number_in(stmt, 2),
							number_in(stmt, 3), number_in(stmt, 4),
							number_in(stmt, 5), number_in(stmt, 6),
							number_in(stmt, 7), number_in(stmt, 8) }));
	}
}

void kmp_series_deinit(struct kmp_series_list *list)
{
	vec_deinit(&list->keys);
	kmp_index_deinit(&list->index);
}
