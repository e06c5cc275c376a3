// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "store/pack.h"
#include "store/reader.h"
#include "store/schema.h"

enum {
	ROW_BYTES_MIN = 4, /* no row of a list takes less of the file */
	TAG_BYTES = 64	   /* a tag's texts for each byte of the file */
};

/* ---- Opening ---- */

/* A packed file is read as a whole, and *plain is the database then. */
static struct kmp_error *check_file(const char *path, unsigned char **plain, uint64_t *size)
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
	*plain = NULL;
	*size = (uint64_t)st.st_size;
	if (!kmp_pack_is(head, sizeof(head)))
		return kmp_store_check_header(head, *size);
	size_t len;

	try(kmp_pack_read(fd, plain, &len));
	*size = len;
	memset(head, 0, sizeof(head));
	memcpy(head, *plain, len < sizeof(head) ? len : sizeof(head));
	struct kmp_error *err = kmp_store_check_header(head, *size);

	if (err)
		sqlite3_free(*plain);
	return err;
}

bool kmp_store_probe(const char *path)
{
	char head[STORE_HEADER];
	/* A pipe must not keep us waiting. */
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	ssize_t len = fd < 0 ? 0 : pread(fd, head, sizeof(head), 0);

	return len > 0 && kmp_store_looks_like(head, (size_t)len);
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
	struct kmp_snapshot *s = &reader->snapshot;
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
	try(kmp_db_prepare(
		reader->db,
		"SELECT holds, entries, stacks, first_owner, owners, first_state, states,"
		" first_chunk, chunks, first_tag, tags, form FROM snapshot WHERE id = ?",
		&stmt));
	try(kmp_db_bind(stmt, "i", s->id));
	try(kmp_db_step(stmt, &row));
	if (!row)
		return kmp_store_damaged("a snapshot is missing");
	s->holds = (uint32_t)sqlite3_column_int64(stmt, 0) & (KMP_READ_PAGES | KMP_READ_TAGS);
	s->entries = (uint64_t)sqlite3_column_int64(stmt, 1);
	s->form = (uint32_t)sqlite3_column_int64(stmt, 11);
	s->stacks = (uint64_t)sqlite3_column_int64(stmt, 2);
	if (s->stacks > reader->loader.rows_max)
		return kmp_store_damaged("a snapshot has more stacks than the file");
	try(read_range(reader, stmt, 3, &s->first_owner, &s->owners));
	try(read_range(reader, stmt, 5, &s->first_state, &s->states));
	try(read_range(reader, stmt, 7, &s->first_chunk, &s->chunks));
	return read_range(reader, stmt, 9, &s->first_tag, &s->tags);
}

static struct kmp_error *open_reader(struct kmp_store_reader *reader, unsigned snapshot)
{
	unsigned char *plain;
	uint64_t size;

	try(check_file(reader->path, &plain, &size));
	reader->loader.rows_max = size / ROW_BYTES_MIN;
	reader->loader.bytes_left = size;
	/* Rows of several nodes share a location. */
	reader->loader.tag_bytes_left = TAG_BYTES * size;
	if (plain)
		try(kmp_db_open_bytes(plain, size, kmp_store_schema, &reader->db));
	else
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
	vec_deinit(&reader->base);
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
			   " top_only, dropped, cut, skipped, first_line, first_reason, time_ns"
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
					 .time_ns = (uint32_t)sqlite3_column_int64(stmt, 14),
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
		try(kmp_store_take(&reader->loader.bytes_left, strlen(string(stmt, 2))));
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
		try(kmp_store_take(&reader->loader.bytes_left, strlen(string(stmt, 4))));
		try(kmp_ledger_set_zone(reader->loader.ledger, sqlite3_column_int(stmt, 2),
					sqlite3_column_int(stmt, 3), string(stmt, 4)));
	}
}

struct kmp_error *kmp_reader_expect_row(struct kmp_store_reader *reader, sqlite3_stmt *stmt,
					int64_t id)
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
	const struct kmp_snapshot *s = &reader->snapshot;
	auto_stmt sqlite3_stmt *stmt = NULL;

	try(kmp_db_prepare(reader->db,
			   "SELECT id, snapshot, location, bytes, calls, accurate, approximate"
			   " FROM tag WHERE id >= ? ORDER BY id",
			   &stmt));
	try(kmp_db_bind(stmt, "i", s->first_tag));
	for (uint64_t i = 0; i < s->tags; i++) {
		struct kmp_tag tag;

		try(kmp_reader_expect_row(reader, stmt, s->first_tag + (int64_t)i));
		try(kmp_loader_location(&reader->loader, sqlite3_column_int64(stmt, 2), &tag));
		tag.bytes = sqlite3_column_int64(stmt, 3);
		tag.calls = sqlite3_column_int64(stmt, 4);
		tag.accurate = sqlite3_column_int(stmt, 5) != 0;
		tag.approximate = sqlite3_column_int(stmt, 6) != 0;
		try(kmp_ledger_add_tag(reader->loader.ledger, &tag));
	}
	return NULL;
}

static struct kmp_error *read_all(struct kmp_store_reader *reader, uint32_t what)
{
	try(read_facts(reader));
	try(read_warnings(reader));
	try(read_zones(reader));
	if (what & KMP_READ_TAGS)
		try(read_tags(reader));
	return what & KMP_READ_PAGES ? kmp_reader_pages(reader) : NULL;
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
