// SPDX-License-Identifier: GPL-2.0-only
/* The dictionaries as they stand in a file. */
#include "store/dicts.h"

#include "store/frames.h"
#include "store/schema.h"

/* The id of these bytes, and whether a row must be written for them. */
struct kmp_error *kmp_dicts_intern(struct kmp_pool *pool, const void *bytes, size_t len,
				   uint32_t *id, bool *is_new)
{
	size_t before = pool->strings.len;

	try(kmp_pool_intern(pool, bytes, len, id));
	*is_new = pool->strings.len > before;
	*id += 1;
	return NULL;
}

struct kmp_error *kmp_dicts_intern_frame(struct kmp_pool *pool, const char *text, size_t len,
					 uint64_t address, uint32_t *id, bool *is_new)
{
	auto_free char *key = malloc(len + sizeof(address));

	if (!key)
		return &kmp_error_no_memory;
	memcpy(key, text, len);
	memcpy(key + len, &address, sizeof(address));
	return kmp_dicts_intern(pool, key, len + sizeof(address), id, is_new);
}

struct kmp_error *kmp_dicts_intern_location(struct kmp_pool *pool, const struct kmp_tag *tag,
					    uint32_t *id, bool *is_new)
{
	const char *texts[] = { tag->file, tag->module, tag->function, tag->extra };
	kmp_bytes key = { 0 };
	struct kmp_error *err = NULL;

	for (int i = 0; i < 4 && !err; i++)
		err = vec_append(&key, texts[i], strlen(texts[i]) + 1);
	if (!err)
		err = vec_append(&key, (const char *)&tag->line, sizeof(tag->line));
	if (!err)
		err = kmp_dicts_intern(pool, key.data, key.len, id, is_new);
	vec_deinit(&key);
	return err;
}

/* Rows must be numbered as we number them, and differ. */
static struct kmp_error *check_row(sqlite3_stmt *stmt, int column, uint32_t id, bool is_new)
{
	if (is_new && sqlite3_column_int64(stmt, column) == id)
		return NULL;
	return kmp_error_new(KMP_ERROR_INPUT, "damaged ledger file: its lists are not in order");
}

static struct kmp_error *load_text(struct kmp_dicts *dicts, sqlite3_stmt *stmt)
{
	size_t kind_len, len;
	const char *kind = kmp_db_text(stmt, 1, &kind_len);
	const char *text = kmp_db_text(stmt, 2, &len);
	uint32_t id;
	bool is_new;

	for (int i = 0; i < KMP_DICT_COUNT; i++) {
		const char *name = kmp_store_kinds[i];

		if (!name || strlen(name) != kind_len || memcmp(name, kind, kind_len) != 0)
			continue;
		try(kmp_dicts_intern(&dicts->texts[i], text, len, &id, &is_new));
		return check_row(stmt, 0, id, is_new);
	}
	return kmp_error_new(KMP_ERROR_INPUT, "damaged ledger file: unknown kind of text");
}

static struct kmp_error *load_frame(struct kmp_dicts *dicts, sqlite3_stmt *stmt)
{
	struct kmp_frame_parts parts = {
		.split = sqlite3_column_type(stmt, 2) != SQLITE_NULL,
		.offset = (uint64_t)sqlite3_column_int64(stmt, 2),
		.size = (uint64_t)sqlite3_column_int64(stmt, 3),
	};
	kmp_bytes text = { 0 };
	uint32_t id;
	bool is_new;

	parts.function = kmp_db_text(stmt, 1, &parts.function_len);
	if (sqlite3_column_type(stmt, 4) != SQLITE_NULL)
		parts.module = kmp_db_text(stmt, 4, &parts.module_len);
	struct kmp_error *err = kmp_frame_join(&parts, &text);

	if (!err)
		err = kmp_dicts_intern_frame(&dicts->texts[KMP_DICT_FRAME],
					     text.data ? text.data : "", text.len,
					     (uint64_t)sqlite3_column_int64(stmt, 5), &id, &is_new);
	vec_deinit(&text);
	if (!err)
		err = check_row(stmt, 0, id, is_new);
	return err;
}

/* The trace that stands in the row of this stack, or KMP_NONE. */
static uint32_t trace_held_by(const struct kmp_dicts *dicts, int64_t stack)
{
	size_t low = 0, high = dicts->trace_holders.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (dicts->trace_holders.data[middle] < stack)
			low = middle + 1;
		else
			high = middle;
	}
	return low < dicts->trace_holders.len && dicts->trace_holders.data[low] == stack
		       ? (uint32_t)low
		       : KMP_NONE;
}

static struct kmp_error *load_stack(struct kmp_dicts *dicts, sqlite3_stmt *stmt)
{
	bool has_frames = sqlite3_column_type(stmt, 3) != SQLITE_NULL;
	struct kmp_stack_key key = { .trace = KMP_NONE };
	size_t len;
	const char *frames = kmp_db_text(stmt, 3, &len);
	uint32_t id = (uint32_t)dicts->stacks.strings.len + 1;
	bool is_new = true;

	if (sqlite3_column_type(stmt, 1) != SQLITE_NULL) {
		key.has_handle = 1;
		key.handle = (uint32_t)sqlite3_column_int64(stmt, 1);
	}
	if (has_frames) {
		try(kmp_dicts_intern(&dicts->traces, frames, len, &key.trace, &is_new));
		key.trace--;
		try(check_row(stmt, 0, id, is_new));
		try(vec_push(&dicts->trace_holders, id));
	} else if (sqlite3_column_type(stmt, 2) != SQLITE_NULL) {
		key.trace = trace_held_by(dicts, sqlite3_column_int64(stmt, 2));
		try(check_row(stmt, 0, id, key.trace != KMP_NONE));
	}
	try(kmp_dicts_intern(&dicts->stacks, &key, sizeof(key), &id, &is_new));
	return check_row(stmt, 0, id, is_new);
}

static struct kmp_error *load_task(struct kmp_dicts *dicts, sqlite3_stmt *stmt)
{
	struct kmp_task_key key = { sqlite3_column_int64(stmt, 1), sqlite3_column_int64(stmt, 2),
				    (uint64_t)sqlite3_column_int64(stmt, 3) };
	uint32_t id;
	bool is_new;

	try(kmp_dicts_intern(&dicts->tasks, &key, sizeof(key), &id, &is_new));
	return check_row(stmt, 0, id, is_new);
}

static struct kmp_error *load_charge(struct kmp_dicts *dicts, sqlite3_stmt *stmt)
{
	struct kmp_charge_key key = { (uint32_t)sqlite3_column_int64(stmt, 1), 0 };
	uint32_t id;
	bool is_new;

	for (int i = 0; i < 3; i++)
		key.bits |= (uint32_t) !!sqlite3_column_int(stmt, 2 + i) << i;
	try(kmp_dicts_intern(&dicts->charges, &key, sizeof(key), &id, &is_new));
	return check_row(stmt, 0, id, is_new);
}

static struct kmp_error *load_location(struct kmp_dicts *dicts, sqlite3_stmt *stmt)
{
	struct kmp_tag tag = { .line = (uint64_t)sqlite3_column_int64(stmt, 5) };
	const char **texts[] = { &tag.file, &tag.module, &tag.function, &tag.extra };
	uint32_t id;
	bool is_new;

	for (int i = 0; i < 4; i++) {
		const char *text = (const char *)sqlite3_column_text(stmt, 1 + i);

		*texts[i] = text ? text : "";
	}
	try(kmp_dicts_intern_location(&dicts->locations, &tag, &id, &is_new));
	return check_row(stmt, 0, id, is_new);
}

static struct kmp_error *take_row(struct kmp_dicts *dicts, sqlite3_stmt *stmt)
{
	for (int i = 0; i < sqlite3_column_count(stmt); i++) {
		size_t len = 0;

		if (sqlite3_column_type(stmt, i) == SQLITE_TEXT ||
		    sqlite3_column_type(stmt, i) == SQLITE_BLOB)
			kmp_db_text(stmt, i, &len);
		try(kmp_store_take(&dicts->bytes_left, len));
	}
	return NULL;
}

static struct kmp_error *load(struct kmp_dicts *dicts, const char *sql,
			      struct kmp_error *(*add)(struct kmp_dicts *, sqlite3_stmt *))
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	bool row;

	try(kmp_db_prepare(dicts->db, sql, &stmt));
	for (;;) {
		try(kmp_db_step(stmt, &row));
		if (!row)
			return NULL;
		try(take_row(dicts, stmt));
		try(add(dicts, stmt));
	}
}

struct kmp_error *kmp_dicts_load(struct kmp_dicts *dicts, sqlite3 *db)
{
	dicts->db = db;
	try(load(dicts, "SELECT id, kind, text FROM text ORDER BY kind, id", load_text));
	try(load(dicts, "SELECT id, function, offset, size, module, address FROM frame ORDER BY id",
		 load_frame));
	try(load(dicts, "SELECT id, handle, same, frames FROM stack ORDER BY id", load_stack));
	try(load(dicts, "SELECT id, pid, tgid, comm FROM task ORDER BY id", load_task));
	try(load(dicts, "SELECT id, memcg, objcg, offline, old_spelling FROM charge ORDER BY id",
		 load_charge));
	return load(dicts,
		    "SELECT id, file, module, function, extra, line FROM location ORDER BY id",
		    load_location);
}

void kmp_dicts_deinit(struct kmp_dicts *dicts)
{
	for (int i = 0; i < KMP_DICT_COUNT; i++) {
		kmp_pool_deinit(&dicts->texts[i]);
		vec_deinit(&dicts->text_ids[i]);
	}
	kmp_pool_deinit(&dicts->traces);
	kmp_pool_deinit(&dicts->stacks);
	kmp_pool_deinit(&dicts->tasks);
	kmp_pool_deinit(&dicts->charges);
	kmp_pool_deinit(&dicts->locations);
	vec_deinit(&dicts->trace_holders);
	vec_deinit(&dicts->stack_ids);
	vec_deinit(&dicts->stack_traces);
	vec_deinit(&dicts->task_ids);
	vec_deinit(&dicts->charge_ids);
	sqlite3_finalize(dicts->add_location);
}
