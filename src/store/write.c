// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writing a ledger file. Page owners are cut into chunks as they come, in terms of the ledger's
 * numbers, which reach the file with the owners and states, at the end: then every handle that
 * can be resolved is.
 */
#include <errno.h>
#include <unistd.h>

#include "store/pack.h"
#include "store/schema.h"
#include "store/writer.h"

/* The database's pages: those of a file of one chunk are small, so that little of them is empty. */
enum { PAGE_SMALL = 512, PAGE_LARGE = 4096 };

static void destroy(struct kmp_store *store)
{
	sqlite3_finalize(store->add_chunk);
	kmp_dicts_deinit(&store->dicts);
	sqlite3_close(store->db);
	kmp_tuples_deinit(&store->tuples);
	vec_deinit(&store->base);
	vec_deinit(&store->stacks);
	kmp_chunk_deinit(&store->chunk);
	kmp_coder_deinit(&store->coder);
	kmp_temp_deinit(&store->temp);
	free(store);
}

/* ---- Beginning ---- */

static struct kmp_error *copy_all(int from, int to)
{
	char buf[1 << 16];
	off_t at = 0;

	for (;;) {
		ssize_t n = pread(from, buf, sizeof(buf), at);

		if (n < 0)
			return kmp_error_system(errno, NULL, "cannot read");
		if (!n)
			return NULL;
		/* Until it is complete the copy must not pass for a ledger file. */
		if (!at && n >= STORE_HEADER)
			memset(buf + STORE_AT_APPLICATION_ID, 0, 4);
		for (ssize_t done = 0; done < n;) {
			ssize_t put = pwrite(to, buf + done, (size_t)(n - done), at + done);

			if (put < 0)
				return kmp_error_system(errno, NULL, "cannot write");
			done += put;
		}
		at += n;
	}
}

static struct kmp_error *check_old(int fd)
{
	unsigned char head[STORE_HEADER] = { 0 };
	off_t size = lseek(fd, 0, SEEK_END);

	if (size < 0 || pread(fd, head, sizeof(head), 0) < 0)
		return kmp_error_system(errno, NULL, "cannot read");
	return kmp_store_check_header(head, (uint64_t)size);
}

static bool is_packed(int fd)
{
	unsigned char head[STORE_HEADER];
	ssize_t len = pread(fd, head, sizeof(head), 0);

	return len > 0 && kmp_pack_is(head, (size_t)len);
}

/* What was packed will be packed again. */
static struct kmp_error *unpack_old(struct kmp_store *store)
{
	unsigned char *plain;
	struct kmp_error *err = NULL;
	size_t len;

	try(kmp_pack_read(store->temp.old_fd, &plain, &len));
	if (len < STORE_HEADER)
		err = kmp_error_new(KMP_ERROR_INPUT, "damaged ledger file: it is too short");
	if (!err)
		err = kmp_store_check_header(plain, len);
	if (!err) {
		memset(plain + STORE_AT_APPLICATION_ID, 0, 4);
		err = kmp_pack_put(store->temp.fd, plain, len, 0);
	}
	sqlite3_free(plain);
	store->packed = true;
	return err;
}

static struct kmp_error *begin_new(struct kmp_store *store, int page_size)
{
	char sql[64];

	snprintf(sql, sizeof(sql), "PRAGMA page_size=%d; BEGIN", page_size);
	try(kmp_db_open_write(store->temp.path, &store->db));
	try(kmp_db_exec(store->db, sql));
	for (size_t i = 0; kmp_store_schema[i]; i++)
		try(kmp_db_exec(store->db, kmp_store_schema[i]));
	store->dicts.db = store->db;
	return NULL;
}

static struct kmp_error *begin_append(struct kmp_store *store)
{
	off_t size = lseek(store->temp.fd, 0, SEEK_END);

	/* First as anyone's file, which it may be. */
	try(kmp_db_open_read(store->temp.path, &store->db));
	sqlite3_close(store->db);
	store->db = NULL;
	try(kmp_db_open_write(store->temp.path, &store->db));
	store->dicts.bytes_left = size < 0 ? 0 : (uint64_t)size;
	try(kmp_db_exec(store->db, "BEGIN"));
	return kmp_dicts_load(&store->dicts, store->db);
}

static struct kmp_error *next_row(sqlite3 *db, const char *sql, int64_t *id)
{
	try(kmp_db_number(db, sql, id));
	if (*id < 0 || *id >= INT32_MAX)
		return kmp_error_new(KMP_ERROR_INPUT, "damaged ledger file: impossible row");
	*id += 1;
	return NULL;
}

static struct kmp_error *begin(struct kmp_store *store, int page_size)
{
	if (store->db)
		return NULL;
	if (store->temp.old_fd >= 0)
		try(begin_append(store));
	else
		try(begin_new(store, page_size));
	struct kmp_first_rows *first = &store->first;

	try(next_row(store->db, "SELECT max(id) FROM snapshot", &first->snapshot));
	try(next_row(store->db, "SELECT max(id) FROM owner", &first->owner));
	try(next_row(store->db, "SELECT max(id) FROM state", &first->state));
	try(next_row(store->db, "SELECT max(id) FROM chunk", &first->chunk));
	try(next_row(store->db, "SELECT max(id) FROM tag", &first->tag));
	return kmp_db_prepare(store->db,
			      "INSERT INTO chunk VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			      &store->add_chunk);
}

static struct kmp_error *create(struct kmp_store *store, const char *path)
{
	try(kmp_temp_create(&store->temp, path, store->append));
	try(kmp_chunk_init(&store->chunk, STORE_CHUNK));
	try(kmp_coder_init(&store->coder, STORE_CHUNK, true));
	if (store->temp.old_fd < 0)
		return NULL;
	if (is_packed(store->temp.old_fd))
		return unpack_old(store);
	try(check_old(store->temp.old_fd));
	return copy_all(store->temp.old_fd, store->temp.fd);
}

struct kmp_error *kmp_store_create(const char *path, bool append, struct kmp_store **out)
{
	struct kmp_store *store = calloc(1, sizeof(*store));

	if (!store)
		return &kmp_error_no_memory;
	store->append = append;
	store->temp.fd = store->temp.old_fd = -1;
	struct kmp_error *err = kmp_error_at(create(store, path), path);

	if (err)
		destroy(store);
	else
		*out = store;
	return err;
}

/* Rows of their own for the owners and states of the snapshot that begins. */
static void own_rows(struct kmp_store *store)
{
	store->first.owner += (int64_t)store->tuples.sums.len;
	store->first.state += (int64_t)store->tuples.states.strings.len;
	kmp_tuples_deinit(&store->tuples);
	store->tuples = (struct kmp_tuples){ 0 };
	store->base.len = store->base_states = 0;
}

/* ---- Page owners ---- */

/* The columns of the table from `owner` on, each bound to its code, NULL if that is empty. */
static struct kmp_error *bind_columns(struct kmp_store *store, int level)
{
	for (int i = 0; i < STORED_COUNT; i++) {
		int at = 5 + i;
		int rc = SQLITE_OK;

		try(kmp_chunk_code(&store->chunk, i, &store->coder, level));
		if (store->coder.out.len)
			rc = sqlite3_bind_blob64(store->add_chunk, at, store->coder.out.data,
						 store->coder.out.len, SQLITE_TRANSIENT);
		else
			rc = sqlite3_bind_null(store->add_chunk, at);
		try(kmp_db_error(store->db, rc));
	}
	return NULL;
}

static struct kmp_error *write_chunk(struct kmp_store *store, int level)
{
	struct kmp_chunk *chunk = &store->chunk;

	for (size_t i = 0; i < chunk->count; i++)
		chunk->orders[i] =
			(uint8_t)kmp_tuples_owner(&store->tuples, chunk->owner[i])->order;
	chunk->base = store->base.data;
	chunk->base_count = store->base.len;
	kmp_chunk_find_shift(chunk);
	try(kmp_db_bind(store->add_chunk, "iiii", store->first.chunk + (int64_t)store->chunks,
			store->first.snapshot, (int64_t)chunk->count, (int64_t)chunk->block_shift));
	try(bind_columns(store, level));
	try(kmp_db_run(store->add_chunk));
	store->chunks++;
	chunk->count = 0;
	return NULL;
}

static struct kmp_error *add_page(struct kmp_store *store, const struct kmp_page *page)
{
	struct kmp_chunk *chunk = &store->chunk;

	if (chunk->count == chunk->max) {
		try(begin(store, PAGE_LARGE));
		try(write_chunk(store, STORE_LEVEL_LARGE));
	}
	size_t i = chunk->count;

	try(kmp_tuples_add(&store->tuples, page, &chunk->owner[i], &chunk->state[i]));
	chunk->values[STORED_RECORDS][i] = page->records;
	chunk->values[STORED_PAGES][i] = page->pages;
	chunk->values[STORED_PFN][i] = page->pfn;
	chunk->values[STORED_BLOCK][i] = page->block;
	chunk->values[STORED_TS][i] = page->ts;
	chunk->values[STORED_FREE_TS][i] = page->free_ts;
	chunk->count++;
	store->records += page->records;
	store->pages += page->pages;
	return NULL;
}

/* Numbers of another ledger have nothing to do with the owners of before. */
static void begin_pages(struct kmp_store *store, const struct kmp_ledger *ledger)
{
	store->ledger = ledger->serial;
	if (store->base.len && store->dicts.ledger != ledger->serial)
		own_rows(store);
}

static struct kmp_error *take_pages(void *arg, struct kmp_ledger *ledger,
				    const struct kmp_page *pages, size_t count)
{
	struct kmp_store *store = arg;

	if (!store->ledger)
		begin_pages(store, ledger);
	if (store->ledger != ledger->serial)
		return kmp_error_new(KMP_ERROR_USAGE, "page owners of two ledgers in one snapshot");
	for (size_t i = 0; i < count; i++)
		try(kmp_error_at(add_page(store, &pages[i]), store->temp.target));
	store->entries += count;
	return NULL;
}

struct kmp_sink kmp_store_sink(struct kmp_store *store)
{
	return (struct kmp_sink){ take_pages, store, KMP_COLUMN_ALL };
}

/* ---- The end ---- */

static struct kmp_error *finish_snapshot(struct kmp_store *store, const struct kmp_ledger *ledger,
					 int page_size, int level)
{
	if (store->ledger && store->ledger != ledger->serial)
		return kmp_error_new(KMP_ERROR_USAGE, "not the ledger of the page owners");
	try(begin(store, page_size));
	/* Of a ledger without page owners it is not known before. */
	begin_pages(store, ledger);
	if (store->chunk.count)
		try(write_chunk(store, store->chunks ? STORE_LEVEL_LARGE : level));
	try(kmp_dicts_write(&store->dicts, ledger));
	return kmp_writer_rows(store, ledger);
}

static struct kmp_error *finish(struct kmp_store *store, const struct kmp_ledger *ledger)
{
	char sql[64];

	if (ledger)
		try(finish_snapshot(store, ledger, PAGE_SMALL, STORE_LEVEL_SMALL));
	else if (!store->db)
		return kmp_error_new(KMP_ERROR_USAGE, "there is no snapshot to keep");
	try(kmp_db_exec(store->db, "COMMIT"));
	/* Only now that all is written does the file become a ledger file. */
	snprintf(sql, sizeof(sql), "PRAGMA user_version=%d; PRAGMA application_id=%d",
		 STORE_VERSION, STORE_APPLICATION_ID);
	return kmp_db_exec(store->db, sql);
}

static struct kmp_error *close_db(struct kmp_store *store)
{
	sqlite3_finalize(store->add_chunk);
	store->add_chunk = NULL;
	sqlite3_finalize(store->dicts.add_location);
	store->dicts.add_location = NULL;
	int rc = sqlite3_close(store->db);

	if (rc != SQLITE_OK)
		return kmp_db_error(store->db, rc);
	store->db = NULL;
	return NULL;
}

/*
 * Snapshots that tell of each owner once or less differ in figures alone: they share the rows of
 * their owners, to which each adds those that are new.
 */
static struct kmp_error *begin_next(struct kmp_store *store, const struct kmp_ledger *ledger)
{
	struct kmp_tuples *tuples = &store->tuples;
	bool share = tuples->sums.len && store->entries <= tuples->sums.len;

	store->first.snapshot++;
	store->first.chunk += (int64_t)store->chunks;
	store->first.tag += (int64_t)ledger->tags.len;
	store->entries = store->chunks = store->records = store->pages = 0;
	store->ledger = 0;
	if (!share) {
		own_rows(store);
		return NULL;
	}
	for (size_t i = store->base.len; i < tuples->sums.len; i++)
		try(vec_push(&store->base, tuples->sums.data[i]));
	store->base_states = tuples->states.strings.len;
	memset(tuples->sums.data, 0, tuples->sums.len * sizeof(*tuples->sums.data));
	return NULL;
}

struct kmp_error *kmp_store_next(struct kmp_store *store, const struct kmp_ledger *ledger)
{
	struct kmp_error *err = finish_snapshot(store, ledger, PAGE_SMALL, STORE_LEVEL_LARGE);

	if (!err)
		err = begin_next(store, ledger);
	return kmp_error_at(err, store->temp.target);
}

struct kmp_error *kmp_store_commit(struct kmp_store *store, const struct kmp_ledger *ledger)
{
	struct kmp_error *err = finish(store, ledger);

	if (!err)
		err = close_db(store);
	if (!err && store->packed)
		err = kmp_pack_write(store->temp.fd);
	if (!err)
		err = kmp_temp_commit(&store->temp);
	err = kmp_error_at(err, store->temp.target);
	destroy(store);
	return err;
}

void kmp_store_pack(struct kmp_store *store)
{
	store->packed |= store->temp.old_fd < 0;
}

void kmp_store_abort(struct kmp_store *store)
{
	if (store)
		destroy(store);
}
