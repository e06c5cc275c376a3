// SPDX-License-Identifier: GPL-2.0-only
/* Page owners of a ledger file: the sums of each owner, or chunks of which only those columns are
 * decoded that the sink looks at. */
#include "store/reader.h"
#include "store/schema.h"

/* Columns that an owner tells, so that its sums serve those who want no others. */
static const uint32_t owner_columns = KMP_COLUMN_STACK | KMP_COLUMN_TASK | KMP_COLUMN_ORDER |
				      KMP_COLUMN_GFP | KMP_COLUMN_TYPE | KMP_COLUMN_FORM;
static const uint32_t state_columns = KMP_COLUMN_FLAGS | KMP_COLUMN_BLOCK_TYPE | KMP_COLUMN_CHARGE |
				      KMP_COLUMN_REASON | KMP_COLUMN_EXTRA;

static struct kmp_error *find_if(struct kmp_store_reader *reader, uint32_t column, int list,
				 sqlite3_stmt *stmt, int at, uint32_t *number)
{
	if (!(reader->sink->columns & column))
		return NULL;
	return kmp_loader_find(&reader->loader, list, stmt, at, number);
}

static struct kmp_error *read_owner(struct kmp_store_reader *reader, sqlite3_stmt *stmt,
				    struct kmp_page *page)
{
	int64_t order = sqlite3_column_int64(stmt, 4);

	*page = kmp_page_blank;
	if (order < 0 || order > UINT8_MAX)
		return kmp_store_damaged("an order is impossible");
	page->order = (uint8_t)order;
	page->form = sqlite3_column_type(stmt, 7) == SQLITE_NULL
			     ? reader->snapshot.form
			     : (uint32_t)sqlite3_column_int64(stmt, 7);
	page->records = (uint64_t)sqlite3_column_int64(stmt, 8);
	page->pages = (uint64_t)sqlite3_column_int64(stmt, 9);
	if (sqlite3_column_int64(stmt, 1) < reader->snapshot.id)
		try(vec_push(&reader->base, (struct kmp_owner_sums){ page->records, page->pages }));
	try(find_if(reader, KMP_COLUMN_STACK, LIST_STACK, stmt, 2, &page->stack));
	try(find_if(reader, KMP_COLUMN_TASK, LIST_TASK, stmt, 3, &page->task));
	try(find_if(reader, KMP_COLUMN_GFP, KMP_DICT_GFP, stmt, 5, &page->gfp));
	return find_if(reader, KMP_COLUMN_TYPE, KMP_DICT_TYPE, stmt, 6, &page->type);
}

static struct kmp_error *read_state(struct kmp_store_reader *reader, sqlite3_stmt *stmt,
				    struct kmp_page *page)
{
	*page = kmp_page_blank;
	try(find_if(reader, KMP_COLUMN_FLAGS, KMP_DICT_FLAGS, stmt, 2, &page->flags));
	try(find_if(reader, KMP_COLUMN_BLOCK_TYPE, KMP_DICT_TYPE, stmt, 3, &page->block_type));
	try(find_if(reader, KMP_COLUMN_CHARGE, LIST_CHARGE, stmt, 4, &page->charge));
	try(find_if(reader, KMP_COLUMN_REASON, KMP_DICT_REASON, stmt, 5, &page->reason));
	return find_if(reader, KMP_COLUMN_EXTRA, KMP_DICT_EXTRA, stmt, 6, &page->extra);
}

/* Rows of earlier snapshots that this one shares, then its own. */
static struct kmp_error *expect_row(struct kmp_store_reader *reader, sqlite3_stmt *stmt, int64_t id,
				    int64_t *last)
{
	bool row;

	try(kmp_db_step(stmt, &row));
	int64_t snapshot = row ? sqlite3_column_int64(stmt, 1) : 0;

	if (!row || sqlite3_column_int64(stmt, 0) != id || snapshot < *last ||
	    snapshot > reader->snapshot.id)
		return kmp_store_damaged("rows of a snapshot are missing");
	*last = snapshot;
	return NULL;
}

static struct kmp_error *read_pages_of(struct kmp_store_reader *reader, const char *sql,
				       int64_t first, uint64_t count,
				       struct kmp_error *(*read)(struct kmp_store_reader *,
								 sqlite3_stmt *, struct kmp_page *),
				       struct kmp_page **pages)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	VEC(struct kmp_page) list = { 0 };
	int64_t last = 1;
	struct kmp_error *err;

	try(kmp_db_prepare(reader->db, sql, &stmt));
	err = kmp_db_bind(stmt, "i", first);
	/* Memory grows with the rows that are there, not with those that are promised. */
	for (uint64_t i = 0; i < count && !err; i++) {
		err = vec_reserve(&list, 1);
		if (!err)
			err = expect_row(reader, stmt, first + (int64_t)i, &last);
		if (!err)
			err = read(reader, stmt, &list.data[list.len++]);
	}
	*pages = list.data;
	return err;
}

static struct kmp_error *read_tuples(struct kmp_store_reader *reader)
{
	const struct kmp_snapshot *s = &reader->snapshot;

	try(read_pages_of(reader,
			  "SELECT id, snapshot, stack, task, \"order\", gfp, type, form, records,"
			  " pages FROM owner WHERE id >= ? ORDER BY id",
			  s->first_owner, s->owners, read_owner, &reader->owners));
	if (!(reader->sink->columns & state_columns))
		return NULL;
	return read_pages_of(reader,
			     "SELECT id, snapshot, flags, block_type, charge, reason, extra"
			     " FROM state WHERE id >= ? ORDER BY id",
			     s->first_state, s->states, read_state, &reader->states);
}

static struct kmp_error *flush(struct kmp_store_reader *reader)
{
	size_t count = reader->batched;

	reader->batched = 0;
	if (!count)
		return NULL;
	return reader->sink->pages(reader->sink->arg, reader->loader.ledger, reader->batch, count);
}

static struct kmp_error *decode_column(struct kmp_store_reader *reader, sqlite3_stmt *stmt,
				       enum kmp_stored column)
{
	size_t len;
	const char *bytes = kmp_db_text(stmt, 4 + (int)column, &len);

	try(kmp_store_take(&reader->loader.bytes_left, len));
	return kmp_chunk_decode(&reader->chunk, column, &reader->coder, (const uint8_t *)bytes,
				len);
}

static struct kmp_error *decode_tuples(struct kmp_store_reader *reader, sqlite3_stmt *stmt)
{
	struct kmp_chunk *chunk = &reader->chunk;

	try(decode_column(reader, stmt, STORED_OWNER));
	for (size_t i = 0; i < chunk->count; i++) {
		if (chunk->owner[i] >= reader->snapshot.owners)
			return kmp_store_damaged("an owner is missing");
		chunk->orders[i] = reader->owners[chunk->owner[i]].order;
	}
	if (!reader->states)
		return NULL;
	try(decode_column(reader, stmt, STORED_STATE));
	for (size_t i = 0; i < chunk->count; i++) {
		if (chunk->state[i] >= reader->snapshot.states)
			return kmp_store_damaged("a state is missing");
	}
	return NULL;
}

static struct kmp_error *decode_chunk(struct kmp_store_reader *reader, sqlite3_stmt *stmt)
{
	uint32_t columns = reader->sink->columns;

	try(decode_tuples(reader, stmt));
	try(decode_column(reader, stmt, STORED_RECORDS));
	try(decode_column(reader, stmt, STORED_PAGES));
	if (columns & (KMP_COLUMN_PFN | KMP_COLUMN_BLOCK))
		try(decode_column(reader, stmt, STORED_PFN));
	if (columns & KMP_COLUMN_BLOCK)
		try(decode_column(reader, stmt, STORED_BLOCK));
	if (columns & KMP_COLUMN_FREE_TS)
		try(decode_column(reader, stmt, STORED_FREE_TS));
	if (columns & KMP_COLUMN_TS)
		try(decode_column(reader, stmt, STORED_TS));
	return NULL;
}

/* A page of the chunk, of those columns that were decoded. */
static void fill_page(const struct kmp_store_reader *reader, size_t i, struct kmp_page *page)
{
	const struct kmp_chunk *chunk = &reader->chunk;

	*page = reader->owners[chunk->owner[i]];
	page->records = chunk->values[STORED_RECORDS][i];
	page->pages = chunk->values[STORED_PAGES][i];
	if (reader->states) {
		const struct kmp_page *state = &reader->states[chunk->state[i]];

		page->flags = state->flags;
		page->block_type = state->block_type;
		page->charge = state->charge;
		page->reason = state->reason;
		page->extra = state->extra;
	}
}

static void fill_places(const struct kmp_store_reader *reader, size_t i, struct kmp_page *page)
{
	const struct kmp_chunk *chunk = &reader->chunk;

	page->pfn = chunk->values[STORED_PFN][i];
	page->block = chunk->values[STORED_BLOCK][i];
	page->ts = chunk->values[STORED_TS][i];
	page->free_ts = chunk->values[STORED_FREE_TS][i];
}

static struct kmp_error *deliver_each(struct kmp_store_reader *reader)
{
	for (size_t i = 0; i < reader->chunk.count; i++) {
		struct kmp_page *page = &reader->batch[reader->batched++];

		fill_page(reader, i, page);
		fill_places(reader, i, page);
		if (reader->batched == READER_BATCH)
			try(flush(reader));
	}
	return NULL;
}

/* Neighbours of the same owner and state come as one where nothing else is looked at. */
static struct kmp_error *deliver_runs(struct kmp_store_reader *reader)
{
	const struct kmp_chunk *chunk = &reader->chunk;

	for (size_t i = 0; i < chunk->count;) {
		struct kmp_page *page = &reader->batch[reader->batched++];
		uint32_t owner = chunk->owner[i];
		uint32_t state = chunk->state[i];

		fill_page(reader, i, page);
		for (i++; i < chunk->count && chunk->owner[i] == owner && chunk->state[i] == state;
		     i++) {
			page->records += chunk->values[STORED_RECORDS][i];
			page->pages += chunk->values[STORED_PAGES][i];
		}
		if (reader->batched == READER_BATCH)
			try(flush(reader));
	}
	return NULL;
}

/* What is not decoded reads as not told. */
static void forget_columns(struct kmp_store_reader *reader)
{
	struct kmp_chunk *chunk = &reader->chunk;

	memset(chunk->state, 0, chunk->max * sizeof(*chunk->state));
	for (int i = STORED_PFN; i < STORED_COUNT; i++)
		memset(chunk->values[i], 0xff, chunk->max * sizeof(**chunk->values));
}

static struct kmp_error *begin_chunk(struct kmp_store_reader *reader, sqlite3_stmt *stmt)
{
	struct kmp_chunk *chunk = &reader->chunk;
	int64_t count = sqlite3_column_int64(stmt, 2);
	int64_t shift = sqlite3_column_int64(stmt, 3);

	if (count < 1 || count > STORE_CHUNK_MAX || shift < 0 || shift > 63)
		return kmp_store_damaged("a chunk has an impossible size");
	if ((size_t)count > chunk->max) {
		size_t max = (size_t)count > STORE_CHUNK ? STORE_CHUNK_MAX : STORE_CHUNK;

		kmp_chunk_deinit(chunk);
		kmp_coder_deinit(&reader->coder);
		try(kmp_chunk_init(chunk, max));
		try(kmp_coder_init(&reader->coder, max, false));
		forget_columns(reader);
	}
	chunk->count = (size_t)count;
	chunk->block_shift = (unsigned)shift;
	return NULL;
}

static struct kmp_error *read_chunks(struct kmp_store_reader *reader)
{
	const struct kmp_snapshot *s = &reader->snapshot;
	auto_stmt sqlite3_stmt *stmt = NULL;
	bool runs = !(reader->sink->columns & ~(owner_columns | state_columns));
	uint64_t entries = 0;

	try(kmp_db_prepare(
		reader->db,
		"SELECT id, snapshot, entries, block_shift, owner, state, records, pages,"
		" pfn, block, free_ts, ts FROM chunk WHERE id >= ? ORDER BY id",
		&stmt));
	try(kmp_db_bind(stmt, "i", s->first_chunk));
	for (uint64_t i = 0; i < s->chunks; i++) {
		try(kmp_reader_expect_row(reader, stmt, s->first_chunk + (int64_t)i));
		try(begin_chunk(reader, stmt));
		reader->chunk.base = reader->base.data;
		reader->chunk.base_count = reader->base.len;
		try(decode_chunk(reader, stmt));
		try(runs ? deliver_runs(reader) : deliver_each(reader));
		entries += reader->chunk.count;
	}
	if (entries != s->entries)
		return kmp_store_damaged("page owners are missing");
	return flush(reader);
}

static struct kmp_error *read_sums(struct kmp_store_reader *reader)
{
	for (uint64_t i = 0; i < reader->snapshot.owners; i++) {
		reader->batch[reader->batched++] = reader->owners[i];
		if (reader->batched == READER_BATCH)
			try(flush(reader));
	}
	return flush(reader);
}

/* All of the snapshot's stacks, in the order of the ledger that was stored. */
static struct kmp_error *load_stacks(struct kmp_store_reader *reader, const uint8_t *bytes,
				     size_t len)
{
	struct kmp_coder coder cleanup(kmp_coder_deinit) = { 0 };
	size_t count = reader->snapshot.stacks;
	auto_free uint64_t *differences = calloc(count + 1, sizeof(*differences));
	int64_t id = 0;

	if (!differences)
		return &kmp_error_no_memory;
	try(kmp_coder_init(&coder, count + 1, false));
	try(kmp_decode_differences(&coder, bytes, len, count, differences));
	for (size_t i = 0; i < count; i++) {
		uint32_t number;

		id = (int64_t)((uint64_t)id + 1 + differences[i]);
		try(kmp_loader_id(&reader->loader, LIST_STACK, id, &number));
	}
	return NULL;
}

static struct kmp_error *read_stacks(struct kmp_store_reader *reader)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	size_t len;
	bool row;

	try(kmp_db_prepare(reader->db, "SELECT stack_ids FROM snapshot WHERE id = ?", &stmt));
	try(kmp_db_bind(stmt, "i", reader->snapshot.id));
	try(kmp_db_step(stmt, &row));
	if (!row)
		return kmp_store_damaged("a snapshot is missing");
	const char *bytes = kmp_db_text(stmt, 0, &len);

	return load_stacks(reader, (const uint8_t *)bytes, len);
}

struct kmp_error *kmp_reader_pages(struct kmp_store_reader *reader)
{
	/* A snapshot without page owners may be there for its stacks alone. */
	if (reader->sink->columns & KMP_COLUMN_STACK || !reader->snapshot.entries)
		try(read_stacks(reader));
	try(read_tuples(reader));
	if (reader->sink->columns & ~owner_columns || reader->base.len)
		return read_chunks(reader);
	return read_sums(reader);
}
