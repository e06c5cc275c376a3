// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writing a history. A sample is one transaction of SQLite, which keeps a log beside the file while
 * it is written: whatever ends the process, the samples before are whole. After an error what is
 * known of the file is read from it again.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "store/history.h"
#include "store/load.h"
#include "store/schema.h"
#include "store/temp.h"

enum { PAGE_SIZE = 1024 };

/* ---- Beginning ---- */

static struct kmp_error *make_tables(const char *path)
{
	char sql[160];
	sqlite3 *db;

	try(kmp_db_open_write(path, &db));
	snprintf(sql, sizeof(sql), "PRAGMA page_size=%d; BEGIN", PAGE_SIZE);
	struct kmp_error *err = kmp_db_exec(db, sql);

	for (size_t i = 0; kmp_history_schema[i] && !err; i++)
		err = kmp_db_exec(db, kmp_history_schema[i]);
	snprintf(sql, sizeof(sql), "PRAGMA user_version=%d; PRAGMA application_id=%d; COMMIT",
		 HISTORY_VERSION, STORE_APPLICATION_ID);
	if (!err)
		err = kmp_db_exec(db, sql);
	sqlite3_close(db);
	return err;
}

/* Whole or not at all. */
static struct kmp_error *make_file(const char *path)
{
	struct kmp_temp temp;

	try(kmp_temp_create(&temp, path, true));
	struct kmp_error *err = make_tables(temp.path);

	if (!err)
		err = kmp_temp_commit(&temp);
	kmp_temp_deinit(&temp);
	return err;
}

static struct kmp_error *check_old(int fd)
{
	unsigned char head[STORE_HEADER] = { 0 };
	struct stat st;

	if (fstat(fd, &st) || (S_ISREG(st.st_mode) && pread(fd, head, sizeof(head), 0) < 0))
		return kmp_error_system(errno, NULL, "cannot read");
	if (!S_ISREG(st.st_mode) || !kmp_history_is(head, sizeof(head)))
		return kmp_error_new(KMP_ERROR_INPUT,
				     "is there already, is no history and stays as it is");
	return NULL;
}

/* The lock is another one than SQLite's; its file is closed after the database: POSIX's rule. */
static struct kmp_error *open_file(struct kmp_history_writer *w)
{
	sqlite3 *db;

	if (access(w->path, F_OK))
		try(make_file(w->path));
	w->lock_fd = open(w->path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (w->lock_fd < 0)
		return kmp_error_system(errno, NULL, "cannot open");
	try(check_old(w->lock_fd));
	if (flock(w->lock_fd, LOCK_EX | LOCK_NB))
		return kmp_error_system(errno, NULL, "another process is writing this history");
	/* First as anyone's file, which it may be. */
	try(kmp_db_open_history(w->path, &db));
	sqlite3_close(db);
	return kmp_db_open_live(w->path, &w->db);
}

static struct kmp_error *begin(struct kmp_history_writer *w,
			       const struct kmp_history_options *options)
{
	uint32_t columns =
		options->columns ? options->columns : (uint32_t)KMP_COLUMN_TASK | KMP_COLUMN_FLAGS;

	if (options->keep)
		try(kmp_keep_parse(options->keep, &w->keep));
	w->spacing = options->spacing ? options->spacing : HISTORY_SPACING;
	if (w->spacing > HISTORY_SPACING_MAX)
		w->spacing = HISTORY_SPACING_MAX;
	w->slots.columns = columns;
	w->slots.zones = options->columns & KMP_COLUMN_FLAGS;
	w->slots.pids = options->pids;
	try(kmp_slots_init(&w->slots));
	try(open_file(w));
	return kmp_history_load(w);
}

static void destroy(struct kmp_history_writer *w)
{
	sqlite3_finalize(w->add_sample);
	sqlite3_finalize(w->add_change);
	sqlite3_finalize(w->add_series);
	kmp_dicts_deinit(&w->dicts);
	sqlite3_close(w->db);
	if (w->lock_fd >= 0)
		close(w->lock_fd);
	kmp_slots_deinit(&w->slots);
	kmp_sample_coder_deinit(&w->coder);
	kmp_series_deinit(&w->series);
	vec_deinit(&w->blocks);
	kmp_figures_deinit(&w->before);
	kmp_figures_deinit(&w->latest);
	kmp_figures_deinit(&w->now);
	vec_deinit(&w->slot_series);
	vec_deinit(&w->tags);
	vec_deinit(&w->session_key);
	free(w->path);
	free(w);
}

struct kmp_error *kmp_history_create(const char *path, const struct kmp_history_options *options,
				     struct kmp_history_writer **out)
{
	const struct kmp_history_options all = { 0 };
	struct kmp_history_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return &kmp_error_no_memory;
	w->lock_fd = -1;
	w->path = strdup(path);
	struct kmp_error *err = w->path ? begin(w, options ? options : &all) : &kmp_error_no_memory;

	if (err) {
		destroy(w);
		return kmp_error_at(err, path);
	}
	*out = w;
	return NULL;
}

/* ---- A sample ---- */

static struct kmp_error *take_pages(void *arg, struct kmp_ledger *ledger,
				    const struct kmp_page *pages, size_t count)
{
	struct kmp_history_writer *w = arg;

	return kmp_slots_take(&w->slots, ledger, pages, count);
}

struct kmp_sink kmp_history_sink(struct kmp_history_writer *w)
{
	kmp_slots_clear(&w->slots);
	return (struct kmp_sink){ take_pages, w,
				  w->slots.columns | KMP_COLUMN_STACK | KMP_COLUMN_ORDER };
}

/* The figures for those who read the file by other means; only what changed costs something. */
static struct kmp_error *write_latest(struct kmp_history_writer *w,
				      const struct kmp_figures *figures, int64_t sample)
{
	auto_stmt sqlite3_stmt *stmt = NULL;

	try(kmp_figures_reach(&w->latest, figures->len));
	try(kmp_db_prepare(w->db, "INSERT OR REPLACE INTO latest VALUES(?, ?, ?, ?)", &stmt));
	for (size_t i = 0; i < figures->len; i++) {
		uint64_t value = figures->values[i], count = figures->counts[i];

		if (w->latest.values[i] == value && w->latest.counts[i] == count)
			continue;
		w->latest.values[i] = value;
		w->latest.counts[i] = count;
		try(kmp_db_bind(stmt, "iiuu", (int64_t)i + 1, sample, value, count));
		try(kmp_db_run(stmt));
	}
	return NULL;
}

static bool begins_block(const struct kmp_history_writer *w)
{
	const struct kmp_block *last = w->blocks.len ? &w->blocks.data[w->blocks.len - 1] : NULL;

	return !last || last->step || last->count >= w->spacing;
}

static struct kmp_error *insert_change(struct kmp_history_writer *w)
{
	if (!w->coder.packed.len)
		return NULL;
	if (!w->add_change)
		try(kmp_db_prepare(w->db, "INSERT INTO change VALUES(?, ?)", &w->add_change));
	try(kmp_db_bind(w->add_change, "ib", w->sample + 1, w->coder.packed.data,
			w->coder.packed.len));
	return kmp_db_run(w->add_change);
}

static struct kmp_error *insert_sample(struct kmp_history_writer *w,
				       const struct kmp_ledger *ledger,
				       const struct kmp_moment *moment,
				       const struct kmp_totals *totals, int64_t block)
{
	const struct kmp_losses *losses = kmp_ledger_losses(ledger);
	const uint64_t optional[] = { moment->uptime, moment->memory_free,
				      moment->memory_available };

	if (!w->add_sample)
		try(kmp_db_prepare(w->db,
				   "INSERT INTO sample VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
				   " ?, ?, ?, 0, ?)",
				   &w->add_sample));
	try(kmp_db_bind(w->add_sample, "iiuuuuuiuuuuuuui", w->sample + 1, w->session,
			moment->time / KMP_SECOND, moment->time % KMP_SECOND, optional[0],
			optional[1], optional[2], (int64_t)totals->holds, totals->pages,
			totals->records, totals->bytes, totals->calls, losses->skipped,
			losses->dropped, losses->cut, block));
	for (int i = 0; i < 3; i++) {
		if (optional[i] == KMP_UNKNOWN)
			sqlite3_bind_null(w->add_sample, 5 + i);
	}
	try(kmp_db_run(w->add_sample));
	return insert_change(w);
}

static struct kmp_error *write_sample(struct kmp_history_writer *w, const struct kmp_ledger *ledger,
				      const struct kmp_moment *moment, bool first)
{
	struct kmp_totals totals;

	try(kmp_history_gather(w, ledger, &totals));
	try(kmp_history_session(w, ledger, moment));
	try(kmp_history_warnings(w, ledger));
	int64_t block = first ? w->sample + 1 : w->blocks.data[w->blocks.len - 1].id;

	try(kmp_sample_code(&w->coder, &w->before, &w->now));
	w->stats.changed = w->coder.changed.len;
	if (first) {
		try(kmp_sample_code(&w->coder, NULL, &w->now));
		try(write_latest(w, &w->now, w->sample + 1));
	}
	return insert_sample(w, ledger, moment, &totals, block);
}

/* It stands in the file. */
static struct kmp_error *keep_sample(struct kmp_history_writer *w, uint64_t time, bool first)
{
	struct kmp_figures swap = w->before;

	if (first)
		try(vec_push(&w->blocks, (struct kmp_block){ .id = w->sample + 1 }));
	struct kmp_block *block = &w->blocks.data[w->blocks.len - 1];

	w->sample++;
	block->last = w->sample;
	block->last_time = time;
	block->count++;
	w->before = w->now;
	w->now = swap;
	w->stats.samples++;
	w->stats.sample_bytes = w->coder.packed.len;
	return first && w->keep.count ? kmp_history_thin(w, time) : NULL;
}

static struct kmp_error *add(struct kmp_history_writer *w, const struct kmp_ledger *ledger,
			     const struct kmp_moment *moment)
{
	if (w->stale)
		try(kmp_history_load(w));
	try(kmp_history_check_host(w, moment));
	bool first = begins_block(w);

	try(kmp_db_exec(w->db, "BEGIN IMMEDIATE"));
	struct kmp_error *err = write_sample(w, ledger, moment, first);

	if (!err)
		err = kmp_db_exec(w->db, "COMMIT");
	if (!err)
		return keep_sample(w, moment->time, first);
	w->stale = true;
	/* SQLite may have done it already. */
	kmp_error_destroy(kmp_db_exec(w->db, "ROLLBACK"));
	return err;
}

struct kmp_error *kmp_history_add(struct kmp_history_writer *w, const struct kmp_ledger *ledger,
				  const struct kmp_moment *moment)
{
	struct kmp_moment unknown = { .uptime = KMP_UNKNOWN,
				      .memory_total = KMP_UNKNOWN,
				      .memory_free = KMP_UNKNOWN,
				      .memory_available = KMP_UNKNOWN };

	unknown.time = clock_ns(CLOCK_REALTIME);
	struct kmp_error *err = add(w, ledger, moment ? moment : &unknown);

	kmp_slots_clear(&w->slots);
	return kmp_error_at(err, w->path);
}

/* ---- The end ---- */

static uint64_t file_size(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (uint64_t)st.st_size;
}

void kmp_history_stats(const struct kmp_history_writer *w, struct kmp_history_stats *stats)
{
	auto_free char *log = NULL;

	*stats = w->stats;
	stats->series = w->series.keys.len;
	stats->figures = 0;
	for (size_t i = 0; i < w->before.len; i++)
		stats->figures += w->before.values[i] || w->before.counts[i];
	stats->file_bytes = file_size(w->path);
	if (asprintf(&log, "%s-wal", w->path) < 0)
		log = NULL;
	else
		stats->file_bytes += file_size(log);
}

static struct kmp_error *end(struct kmp_history_writer *w)
{
	struct kmp_error *err = NULL;

	if (!w->stale && w->sample) {
		try(kmp_db_exec(w->db, "BEGIN IMMEDIATE"));
		err = write_latest(w, &w->before, w->sample);
		if (!err)
			err = kmp_db_exec(w->db, "COMMIT");
	}
	sqlite3_finalize(w->add_sample);
	sqlite3_finalize(w->add_change);
	sqlite3_finalize(w->add_series);
	w->add_sample = w->add_change = w->add_series = NULL;
	sqlite3_finalize(w->dicts.add_location);
	w->dicts.add_location = NULL;
	/* Where others read it, or the disk is full, the log stays; the last one takes it away. */
	sqlite3_busy_timeout(w->db, 0);
	kmp_error_destroy(kmp_db_exec(w->db,
				      "PRAGMA wal_checkpoint(TRUNCATE);"
				      "PRAGMA journal_mode=DELETE"));
	return err;
}

struct kmp_error *kmp_history_end(struct kmp_history_writer *w)
{
	if (!w)
		return NULL;
	struct kmp_error *err = kmp_error_at(end(w), w->path);

	destroy(w);
	return err;
}
