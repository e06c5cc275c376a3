// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "store/chunk.h"
#include "store/load.h"
#include "store/schema.h"
#include "store/store.h"

enum {
	BATCH = 512,	  /* page owners for a call of the sink */
	ROW_BYTES_MIN = 4 /* no row of a list takes less of the file */
};

/* A row of the snapshot table, but for its texts. */
struct snapshot {
	int64_t id;
	uint32_t holds;
	uint64_t entries;
	int64_t first_owner;
	uint64_t owners;
	int64_t first_state;
	uint64_t states;
	int64_t first_chunk;
	uint64_t chunks;
	int64_t first_tag;
	uint64_t tags;
};

struct kmp_store_reader {
	char *path;
	sqlite3 *db;
	unsigned snapshots;
	struct snapshot snapshot;
	struct kmp_loader loader;
	/* What is read of page owners. */
	const struct kmp_sink *sink;
	struct kmp_chunk chunk;
	struct kmp_coder coder;
	struct kmp_page *owners; /* what each owner tells of a page */
	struct kmp_page *states; /* what each state tells */
	struct kmp_page batch[BATCH];
	size_t batched;
};

/* Columns that an owner tells, so that its sums serve those who want no others. */
static const uint32_t owner_columns = KMP_COLUMN_STACK | KMP_COLUMN_TASK | KMP_COLUMN_ORDER |
				      KMP_COLUMN_GFP | KMP_COLUMN_TYPE | KMP_COLUMN_FORM;
static const uint32_t state_columns = KMP_COLUMN_FLAGS | KMP_COLUMN_BLOCK_TYPE | KMP_COLUMN_CHARGE |
				      KMP_COLUMN_REASON | KMP_COLUMN_EXTRA;

/* ---- Opening ---- */

static struct kmp_error *check_file(const char *path, uint64_t *size)
{
	unsigned char head[STORE_HEADER] = { 0 };
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return kmp_error_system(errno, NULL, "cannot open");
	if (!S_ISREG(st.st_mode))
		return kmp_error_new(KMP_ERROR_INPUT, "not a regular file");
	if (pread(fd, head, sizeof(head), 0) < 0)
		return kmp_error_system(errno, NULL, "cannot read");
	*size = (uint64_t)st.st_size;
	return kmp_store_check_header(head, *size);
}

/* A range of rows that a file of this size can have. */
static struct kmp_error *read_range(struct kmp_store_reader *reader, sqlite3_stmt *stmt, int column,
				    int64_t *first, uint64_t *count)
{
	*first = sqlite3_column_int64(stmt, column);
	*count = (uint64_t)sqlite3_column_int64(stmt, column + 1);
	if (*first < 1 || *first > INT32_MAX || *count > reader->loader.rows_max)
		return kmp_store_damaged("a snapshot has more rows than the file");
	return NULL;
}

static struct kmp_error *find_snapshot(struct kmp_store_reader *reader, unsigned number)
{
	struct snapshot *s = &reader->snapshot;
	auto_stmt sqlite3_stmt *stmt = NULL;
	int64_t last;
	bool row;

	try(kmp_db_number(reader->db, "SELECT max(id) FROM snapshot", &last));
	if (last < 1 || (uint64_t)last > reader->loader.rows_max)
		return kmp_store_damaged("it holds no snapshot");
	reader->snapshots = (unsigned)last;
	if (number > last)
		return kmp_error_new(KMP_ERROR_USAGE,
				     "there is no snapshot %u in the file; the last one is %lld",
				     number, (long long)last);
	s->id = number ? number : last;
	try(kmp_db_prepare(reader->db,
			   "SELECT holds, entries, first_owner, owners, first_state, states,"
			   " first_chunk, chunks, first_tag, tags FROM snapshot WHERE id = ?",
			   &stmt));
	try(kmp_db_bind(stmt, "i", s->id));
	try(kmp_db_step(stmt, &row));
	if (!row)
		return kmp_store_damaged("a snapshot is missing");
	s->holds = (uint32_t)sqlite3_column_int64(stmt, 0) & (KMP_READ_PAGES | KMP_READ_TAGS);
	s->entries = (uint64_t)sqlite3_column_int64(stmt, 1);
	try(read_range(reader, stmt, 2, &s->first_owner, &s->owners));
	try(read_range(reader, stmt, 4, &s->first_state, &s->states));
	try(read_range(reader, stmt, 6, &s->first_chunk, &s->chunks));
	return read_range(reader, stmt, 8, &s->first_tag, &s->tags);
}

static struct kmp_error *open_reader(struct kmp_store_reader *reader, unsigned snapshot)
{
	uint64_t size;

	try(check_file(reader->path, &size));
	reader->loader.rows_max = size / ROW_BYTES_MIN;
	try(kmp_db_open_read(reader->path, &reader->db));
	reader->loader.db = reader->db;
	return find_snapshot(reader, snapshot);
}

struct kmp_error *kmp_store_open(const char *path, unsigned snapshot, struct kmp_store_reader **out)
{
	struct kmp_store_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return &kmp_error_no_memory;
	reader->path = strdup(path);
	struct kmp_error *err = reader->path ? kmp_error_at(open_reader(reader, snapshot), path)
					     : &kmp_error_no_memory;

	if (err)
		kmp_store_close(reader);
	else
		*out = reader;
	return err;
}

uint32_t kmp_store_holds(const struct kmp_store_reader *reader)
{
	return reader->snapshot.holds;
}

unsigned kmp_store_snapshots(const struct kmp_store_reader *reader)
{
	return reader->snapshots;
}

void kmp_store_close(struct kmp_store_reader *reader)
{
	if (!reader)
		return;
	kmp_loader_deinit(&reader->loader);
	kmp_chunk_deinit(&reader->chunk);
	kmp_coder_deinit(&reader->coder);
	free(reader->owners);
	free(reader->states);
	sqlite3_close(reader->db);
	free(reader->path);
	free(reader);
}

/* ---- Facts, warnings, zones, tags ---- */

/* A text without NULs, valid until the next step. */
static const char *string(sqlite3_stmt *stmt, int column)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);

	return text ? text : "";
}

static struct kmp_error *read_facts(struct kmp_store_reader *reader)
{
	struct kmp_ledger *ledger = reader->loader.ledger;
	auto_stmt sqlite3_stmt *stmt = NULL;
	bool row;

	try(kmp_db_prepare(reader->db,
			   "SELECT name, kind, mode, kernel, time, page_size, nodes, profiling_off,"
			   " top_only, dropped, cut, skipped, first_line, first_reason"
			   " FROM snapshot WHERE id = ?",
			   &stmt));
	try(kmp_db_bind(stmt, "i", reader->snapshot.id));
	try(kmp_db_step(stmt, &row));
	if (!row)
		return kmp_store_damaged("a snapshot is missing");
	try(kmp_ledger_set_facts(ledger,
				 &(struct kmp_facts){
					 .name = string(stmt, 0),
					 .kind = string(stmt, 1),
					 .mode = string(stmt, 2),
					 .kernel = string(stmt, 3),
					 .time = (uint64_t)sqlite3_column_int64(stmt, 4),
					 .page_size = (uint32_t)sqlite3_column_int64(stmt, 5),
					 .nodes = sqlite3_column_int(stmt, 6),
					 .profiling_off = sqlite3_column_int(stmt, 7) != 0,
					 .top_only = sqlite3_column_int(stmt, 8) != 0,
				 }));
	kmp_ledger_add_losses(ledger, (uint64_t)sqlite3_column_int64(stmt, 9),
			      (uint64_t)sqlite3_column_int64(stmt, 10));
	uint64_t skipped = (uint64_t)sqlite3_column_int64(stmt, 11);

	if (!skipped)
		return NULL;
	try(kmp_ledger_add_skipped(ledger, (uint64_t)sqlite3_column_int64(stmt, 12),
				   string(stmt, 13)));
	ledger->losses.skipped += skipped - 1;
	return NULL;
}

/*
 * Step through rows that must come in rising order of column 0: a file whose pages refer to each
 * other in a circle would give them for ever.
 */
static struct kmp_error *next_row(sqlite3_stmt *stmt, int64_t *last, bool *row)
{
	try(kmp_db_step(stmt, row));
	if (!*row)
		return NULL;
	int64_t id = sqlite3_column_int64(stmt, 0);

	if (id <= *last)
		return kmp_store_damaged("its rows are not in order");
	*last = id;
	return NULL;
}

static struct kmp_error *read_warnings(struct kmp_store_reader *reader)
{
	struct kmp_ledger *ledger = reader->loader.ledger;
	auto_stmt sqlite3_stmt *stmt = NULL;
	int64_t last = 0;
	bool row;

	try(kmp_db_prepare(reader->db, "SELECT id, snapshot, text FROM warning ORDER BY id",
			   &stmt));
	for (;;) {
		const char *text;

		try(next_row(stmt, &last, &row));
		if (!row)
			return NULL;
		if (sqlite3_column_int64(stmt, 1) != reader->snapshot.id)
			continue;
		try(kmp_ledger_name(ledger, string(stmt, 2), strlen(string(stmt, 2)), &text));
		try(vec_push(&ledger->warnings, text));
	}
}

static struct kmp_error *read_zones(struct kmp_store_reader *reader)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	int64_t last = 0;
	bool row;

	try(kmp_db_prepare(reader->db,
			   "SELECT id, snapshot, node, zone, name FROM zone ORDER BY id", &stmt));
	for (;;) {
		try(next_row(stmt, &last, &row));
		if (!row)
			return NULL;
		if (sqlite3_column_int64(stmt, 1) != reader->snapshot.id)
			continue;
		try(kmp_ledger_set_zone(reader->loader.ledger, sqlite3_column_int(stmt, 2),
					sqlite3_column_int(stmt, 3), string(stmt, 4)));
	}
}

/* Rows of a snapshot: `count` of them, numbered from `first` on without gaps. */
static struct kmp_error *expect_row(struct kmp_store_reader *reader, sqlite3_stmt *stmt, int64_t id)
{
	bool row;

	try(kmp_db_step(stmt, &row));
	if (!row || sqlite3_column_int64(stmt, 0) != id ||
	    sqlite3_column_int64(stmt, 1) != reader->snapshot.id)
		return kmp_store_damaged("rows of a snapshot are missing");
	return NULL;
}

static struct kmp_error *read_tags(struct kmp_store_reader *reader)
{
	const struct snapshot *s = &reader->snapshot;
	auto_stmt sqlite3_stmt *stmt = NULL;

	try(kmp_db_prepare(reader->db,
			   "SELECT id, snapshot, location, bytes, calls, accurate, approximate"
			   " FROM tag WHERE id >= ? ORDER BY id",
			   &stmt));
	try(kmp_db_bind(stmt, "i", s->first_tag));
	for (uint64_t i = 0; i < s->tags; i++) {
		struct kmp_tag tag;

		try(expect_row(reader, stmt, s->first_tag + (int64_t)i));
		try(kmp_loader_location(&reader->loader, sqlite3_column_int64(stmt, 2), &tag));
		tag.bytes = sqlite3_column_int64(stmt, 3);
		tag.calls = sqlite3_column_int64(stmt, 4);
		tag.accurate = sqlite3_column_int(stmt, 5) != 0;
		tag.approximate = sqlite3_column_int(stmt, 6) != 0;
		try(kmp_ledger_add_tag(reader->loader.ledger, &tag));
	}
	return NULL;
}

/* ---- Page owners ---- */

static const struct kmp_page blank = {
	.pfn = KMP_UNKNOWN,
	.block = KMP_UNKNOWN,
	.ts = KMP_UNKNOWN,
	.free_ts = KMP_UNKNOWN,
	.stack = KMP_NONE,
	.task = KMP_NONE,
	.gfp = KMP_NONE,
	.flags = KMP_NONE,
	.charge = KMP_NONE,
	.type = KMP_NONE,
	.block_type = KMP_NONE,
	.reason = KMP_NONE,
	.extra = KMP_NONE,
};

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

	*page = blank;
	if (order < 0 || order > UINT8_MAX)
		return kmp_store_damaged("an order is impossible");
	page->order = (uint8_t)order;
	page->form = (uint32_t)sqlite3_column_int64(stmt, 7);
	page->records = (uint64_t)sqlite3_column_int64(stmt, 8);
	page->pages = (uint64_t)sqlite3_column_int64(stmt, 9);
	try(find_if(reader, KMP_COLUMN_STACK, LIST_STACK, stmt, 2, &page->stack));
	try(find_if(reader, KMP_COLUMN_TASK, LIST_TASK, stmt, 3, &page->task));
	try(find_if(reader, KMP_COLUMN_GFP, KMP_DICT_GFP, stmt, 5, &page->gfp));
	return find_if(reader, KMP_COLUMN_TYPE, KMP_DICT_TYPE, stmt, 6, &page->type);
}

static struct kmp_error *read_state(struct kmp_store_reader *reader, sqlite3_stmt *stmt,
				    struct kmp_page *page)
{
	*page = blank;
	try(find_if(reader, KMP_COLUMN_FLAGS, KMP_DICT_FLAGS, stmt, 2, &page->flags));
	try(find_if(reader, KMP_COLUMN_BLOCK_TYPE, KMP_DICT_TYPE, stmt, 3, &page->block_type));
	try(find_if(reader, KMP_COLUMN_CHARGE, LIST_CHARGE, stmt, 4, &page->charge));
	try(find_if(reader, KMP_COLUMN_REASON, KMP_DICT_REASON, stmt, 5, &page->reason));
	return find_if(reader, KMP_COLUMN_EXTRA, KMP_DICT_EXTRA, stmt, 6, &page->extra);
}

static struct kmp_error *read_pages_of(struct kmp_store_reader *reader, const char *sql,
				       int64_t first, uint64_t count,
				       struct kmp_error *(*read)(struct kmp_store_reader *,
								 sqlite3_stmt *, struct kmp_page *),
				       struct kmp_page **pages)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	VEC(struct kmp_page) list = { 0 };
	struct kmp_error *err;

	try(kmp_db_prepare(reader->db, sql, &stmt));
	err = kmp_db_bind(stmt, "i", first);
	/* Memory grows with the rows that are there, not with those that are promised. */
	for (uint64_t i = 0; i < count && !err; i++) {
		err = vec_reserve(&list, 1);
		if (!err)
			err = expect_row(reader, stmt, first + (int64_t)i);
		if (!err)
			err = read(reader, stmt, &list.data[list.len++]);
	}
	*pages = list.data;
	return err;
}

static struct kmp_error *read_tuples(struct kmp_store_reader *reader)
{
	const struct snapshot *s = &reader->snapshot;

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
		if (reader->batched == BATCH)
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
		if (reader->batched == BATCH)
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
	const struct snapshot *s = &reader->snapshot;
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
		try(expect_row(reader, stmt, s->first_chunk + (int64_t)i));
		try(begin_chunk(reader, stmt));
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
		if (reader->batched == BATCH)
			try(flush(reader));
	}
	return flush(reader);
}

static struct kmp_error *read_pages(struct kmp_store_reader *reader)
{
	try(read_tuples(reader));
	if (reader->sink->columns & ~owner_columns)
		return read_chunks(reader);
	return read_sums(reader);
}

static struct kmp_error *read_all(struct kmp_store_reader *reader, uint32_t what)
{
	try(read_facts(reader));
	try(read_warnings(reader));
	try(read_zones(reader));
	if (what & KMP_READ_TAGS)
		try(read_tags(reader));
	return what & KMP_READ_PAGES ? read_pages(reader) : NULL;
}

struct kmp_error *kmp_store_read(struct kmp_store_reader *reader, struct kmp_ledger *ledger,
				 uint32_t what, const struct kmp_sink *sink)
{
	if (reader->loader.ledger || ((what & KMP_READ_PAGES) && !sink))
		return kmp_error_new(KMP_ERROR_USAGE, "a ledger file is read once, into a sink");
	reader->loader.ledger = ledger;
	reader->sink = sink;
	return kmp_error_at(read_all(reader, what), reader->path);
}
