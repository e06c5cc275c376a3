// SPDX-License-Identifier: GPL-2.0-only
#include "store/load.h"

#include "store/schema.h"

struct kmp_error *kmp_store_damaged(const char *what)
{
	return kmp_error_new(KMP_ERROR_INPUT, "damaged ledger file: %s", what);
}

static const char *const find_sql[LIST_COUNT] = {
	[KMP_DICT_FRAME] = "SELECT function, offset, size, module, address FROM frame WHERE id = ?",
	[LIST_STACK] = "SELECT handle, same, frames FROM stack WHERE id = ?",
	[LIST_TASK] = "SELECT pid, tgid, comm FROM task WHERE id = ?",
	[LIST_TRACE] = "SELECT frames FROM stack WHERE id = ?",
	[LIST_CHARGE] = "SELECT memcg, objcg, offline, old_spelling FROM charge WHERE id = ?",
};

static const char *const max_sql[LIST_COUNT] = {
	[KMP_DICT_FRAME] = "SELECT max(id) FROM frame", [LIST_STACK] = "SELECT max(id) FROM stack",
	[LIST_TRACE] = "SELECT max(id) FROM stack",	[LIST_TASK] = "SELECT max(id) FROM task",
	[LIST_CHARGE] = "SELECT max(id) FROM charge",
};

static struct kmp_error *find_max(struct kmp_loader *loader, int list, int64_t *max)
{
	char sql[80];

	if (max_sql[list])
		return kmp_db_number(loader->db, max_sql[list], max);
	snprintf(sql, sizeof(sql), "SELECT max(id) FROM text WHERE kind = '%s'",
		 kmp_store_kinds[list]);
	return kmp_db_number(loader->db, sql, max);
}

static struct kmp_error *begin_list(struct kmp_loader *loader, int list)
{
	char sql[80];
	const char *find = find_sql[list];
	int64_t max;

	if (!find) {
		snprintf(sql, sizeof(sql), "SELECT text FROM text WHERE kind = '%s' AND id = ?",
			 kmp_store_kinds[list]);
		find = sql;
	}
	try(find_max(loader, list, &max));
	/* Rows are numbered without gaps, so that no file can ask for more memory than it has
	 * bytes. */
	if (max < 0 || (uint64_t)max > loader->rows_max)
		return kmp_store_damaged("its lists are not in order");
	uint64_t count = (uint64_t)max + 1;

	loader->lists[list].numbers = malloc(count * sizeof(uint32_t));
	if (!loader->lists[list].numbers)
		return &kmp_error_no_memory;
	memset(loader->lists[list].numbers, 0xff, count * sizeof(uint32_t));
	loader->lists[list].count = count;
	return kmp_db_prepare(loader->db, find, &loader->lists[list].find);
}

static struct kmp_error *load_text(struct kmp_loader *loader, int dict, sqlite3_stmt *stmt,
				   uint32_t *number)
{
	size_t len;
	const char *text = kmp_db_text(stmt, 0, &len);

	try(kmp_store_take(&loader->bytes_left, len));
	return kmp_ledger_add_text(loader->ledger, (enum kmp_dict)dict, text, len, number);
}

static struct kmp_error *load_frame(struct kmp_loader *loader, sqlite3_stmt *stmt, uint32_t *number)
{
	struct kmp_frame_parts parts = {
		.split = sqlite3_column_type(stmt, 1) != SQLITE_NULL,
		.offset = (uint64_t)sqlite3_column_int64(stmt, 1),
		.size = (uint64_t)sqlite3_column_int64(stmt, 2),
	};
	uint64_t address = (uint64_t)sqlite3_column_int64(stmt, 4);

	parts.function = kmp_db_text(stmt, 0, &parts.function_len);
	if (sqlite3_column_type(stmt, 3) != SQLITE_NULL)
		parts.module = kmp_db_text(stmt, 3, &parts.module_len);
	try(kmp_store_take(&loader->bytes_left, parts.function_len + parts.module_len));
	try(kmp_frame_join(&parts, &loader->text));
	try(kmp_ledger_add_text(loader->ledger, KMP_DICT_FRAME,
				loader->text.data ? loader->text.data : "", loader->text.len,
				number));
	return address ? kmp_ledger_set_address(loader->ledger, *number, address) : NULL;
}

static struct kmp_error *load_trace(struct kmp_loader *loader, sqlite3_stmt *stmt, uint32_t *number)
{
	size_t len;
	const char *text = kmp_db_text(stmt, 0, &len);

	if (sqlite3_column_type(stmt, 0) == SQLITE_NULL)
		return kmp_store_damaged("a trace is missing");
	try(kmp_store_take(&loader->bytes_left, len));
	loader->frames.len = 0;
	while (len) {
		uint32_t id = 0, frame = KMP_NONE;
		size_t used = kmp_trace_next(text, len, &id);

		if (!used)
			return kmp_store_damaged("a trace cannot be read");
		try(kmp_loader_id(loader, KMP_DICT_FRAME, id, &frame));
		try(vec_push(&loader->frames, frame));
		text += used;
		len -= used;
	}
	return kmp_ledger_add_trace(loader->ledger, loader->frames.data,
				    (uint32_t)loader->frames.len, number);
}

static struct kmp_error *load_stack(struct kmp_loader *loader, sqlite3_stmt *stmt, int64_t id,
				    uint32_t *number)
{
	struct kmp_stack stack = { .trace = KMP_NONE };
	bool has_same = sqlite3_column_type(stmt, 1) != SQLITE_NULL;
	int64_t holder = has_same ? sqlite3_column_int64(stmt, 1) : id;

	if (sqlite3_column_type(stmt, 0) != SQLITE_NULL) {
		stack.has_handle = true;
		stack.handle = (uint32_t)sqlite3_column_int64(stmt, 0);
	}
	if (has_same || sqlite3_column_type(stmt, 2) != SQLITE_NULL)
		try(kmp_loader_id(loader, LIST_TRACE, holder, &stack.trace));
	return kmp_ledger_add_stack(loader->ledger, &stack, number);
}

static struct kmp_error *load_task(struct kmp_loader *loader, sqlite3_stmt *stmt, uint32_t *number)
{
	struct kmp_task task = { sqlite3_column_int64(stmt, 0), sqlite3_column_int64(stmt, 1),
				 KMP_NONE };

	try(kmp_loader_find(loader, KMP_DICT_COMM, stmt, 2, &task.comm));
	return kmp_ledger_add_task(loader->ledger, &task, number);
}

static struct kmp_error *load_charge(struct kmp_loader *loader, sqlite3_stmt *stmt,
				     uint32_t *number)
{
	struct kmp_charge charge = {
		.objcg = sqlite3_column_int(stmt, 1) != 0,
		.offline = sqlite3_column_int(stmt, 2) != 0,
		.old_spelling = sqlite3_column_int(stmt, 3) != 0,
	};

	try(kmp_loader_find(loader, KMP_DICT_MEMCG, stmt, 0, &charge.memcg));
	return kmp_ledger_add_charge(loader->ledger, &charge, number);
}

static struct kmp_error *load_row(struct kmp_loader *loader, int list, sqlite3_stmt *stmt,
				  int64_t id, uint32_t *number)
{
	switch (list) {
	case KMP_DICT_FRAME:
		return load_frame(loader, stmt, number);
	case LIST_STACK:
		return load_stack(loader, stmt, id, number);
	case LIST_TRACE:
		return load_trace(loader, stmt, number);
	case LIST_TASK:
		return load_task(loader, stmt, number);
	case LIST_CHARGE:
		return load_charge(loader, stmt, number);
	default:
		return load_text(loader, list, stmt, number);
	}
}

struct kmp_error *kmp_loader_id(struct kmp_loader *loader, int list, int64_t id, uint32_t *number)
{
	bool row;

	if (!loader->lists[list].find)
		try(begin_list(loader, list));
	if (id < 1 || (uint64_t)id >= loader->lists[list].count)
		return kmp_store_damaged("something refers to a row that is not there");
	uint32_t *known = &loader->lists[list].numbers[id];
	sqlite3_stmt *stmt = loader->lists[list].find;

	if (*known == KMP_NONE) {
		try(kmp_db_bind(stmt, "i", id));
		try(kmp_db_step(stmt, &row));
		if (!row)
			return kmp_store_damaged("something refers to a row that is not there");
		try(load_row(loader, list, stmt, id, known));
		sqlite3_reset(stmt);
	}
	*number = *known;
	return NULL;
}

struct kmp_error *kmp_loader_find(struct kmp_loader *loader, int list, sqlite3_stmt *stmt,
				  int column, uint32_t *number)
{
	if (sqlite3_column_type(stmt, column) == SQLITE_NULL) {
		*number = KMP_NONE;
		return NULL;
	}
	return kmp_loader_id(loader, list, sqlite3_column_int64(stmt, column), number);
}

struct kmp_error *kmp_loader_location(struct kmp_loader *loader, int64_t id, struct kmp_tag *tag)
{
	const char **texts[] = { &tag->file, &tag->module, &tag->function, &tag->extra };
	bool row;

	if (!loader->find_location)
		try(kmp_db_prepare(loader->db,
				   "SELECT file, module, function, extra, line FROM location"
				   " WHERE id = ?",
				   &loader->find_location));
	sqlite3_reset(loader->find_location);
	try(kmp_db_bind(loader->find_location, "i", id));
	try(kmp_db_step(loader->find_location, &row));
	if (!row)
		return kmp_store_damaged("a tag's location is missing");
	for (int i = 0; i < 4; i++) {
		const char *text = (const char *)sqlite3_column_text(loader->find_location, i);

		*texts[i] = text ? text : "";
		try(kmp_store_take(&loader->tag_bytes_left, strlen(*texts[i])));
	}
	tag->line = (uint64_t)sqlite3_column_int64(loader->find_location, 4);
	return NULL;
}

void kmp_loader_pause(struct kmp_loader *loader)
{
	for (int i = 0; i < LIST_COUNT; i++)
		sqlite3_reset(loader->lists[i].find);
	sqlite3_reset(loader->find_location);
}

void kmp_loader_deinit(struct kmp_loader *loader)
{
	for (int i = 0; i < LIST_COUNT; i++) {
		sqlite3_finalize(loader->lists[i].find);
		free(loader->lists[i].numbers);
	}
	sqlite3_finalize(loader->find_location);
	vec_deinit(&loader->frames);
	vec_deinit(&loader->text);
}
