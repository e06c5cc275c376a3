// SPDX-License-Identifier: GPL-2.0-only
/* What stands in a history that is gone on with. */
#include "store/history.h"
#include "store/load.h"

static struct kmp_error *load_blocks(struct kmp_history_writer *w)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	bool row;

	w->blocks.len = 0;
	try(kmp_db_prepare(w->db,
			   "SELECT block, max(id), max(step), count(*) FROM sample"
			   " GROUP BY block ORDER BY block",
			   &stmt));
	for (;;) {
		try(kmp_db_step(stmt, &row));
		if (!row)
			return NULL;
		struct kmp_block block = {
			.id = sqlite3_column_int64(stmt, 0),
			.last = sqlite3_column_int64(stmt, 1),
			.step = (uint64_t)sqlite3_column_int64(stmt, 2),
			.count = (size_t)sqlite3_column_int64(stmt, 3),
		};
		if (block.id < 1 || block.id > block.last || block.last > INT32_MAX ||
		    (w->blocks.len && block.id <= w->blocks.data[w->blocks.len - 1].last))
			return kmp_store_damaged("its samples are not in order");
		try(vec_push(&w->blocks, block));
	}
}

static struct kmp_error *load_times(struct kmp_history_writer *w)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	bool row;

	try(kmp_db_prepare(w->db, "SELECT time, time_ns FROM sample WHERE id = ?", &stmt));
	for (size_t i = 0; i < w->blocks.len; i++) {
		try(kmp_db_bind(stmt, "i", w->blocks.data[i].last));
		try(kmp_db_step(stmt, &row));
		w->blocks.data[i].last_time =
			row ? (uint64_t)sqlite3_column_int64(stmt, 0) * KMP_SECOND +
					(uint64_t)sqlite3_column_int64(stmt, 1)
			    : 0;
		sqlite3_reset(stmt);
	}
	return NULL;
}

static struct kmp_error *load_last_sample(struct kmp_history_writer *w)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	bool row;

	kmp_figures_clear(&w->before);
	if (!w->blocks.len)
		return kmp_figures_reach(&w->before, w->series.keys.len);
	int64_t last = 0;

	try(kmp_db_prepare(
		w->db, "SELECT data, sample FROM change WHERE sample >= ? ORDER BY sample", &stmt));
	try(kmp_db_bind(stmt, "i", w->blocks.data[w->blocks.len - 1].id));
	for (;;) {
		size_t len;

		try(kmp_db_step(stmt, &row));
		if (!row)
			return kmp_figures_reach(&w->before, w->series.keys.len);
		const char *data = kmp_db_text(stmt, 0, &len);

		if (sqlite3_column_int64(stmt, 1) <= last)
			return kmp_store_damaged("its rows are not in order");
		last = sqlite3_column_int64(stmt, 1);
		try(kmp_sample_decode(&w->coder, (const uint8_t *)data, len, w->series.keys.len,
				      false, &w->before));
	}
}

static struct kmp_error *load_latest(struct kmp_history_writer *w)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	bool row;

	int64_t last = 0;

	kmp_figures_clear(&w->latest);
	try(kmp_figures_reach(&w->latest, w->series.keys.len));
	try(kmp_db_prepare(w->db, "SELECT series, value, count FROM latest ORDER BY series",
			   &stmt));
	for (;;) {
		try(kmp_db_step(stmt, &row));
		if (!row)
			return NULL;
		uint64_t number = (uint64_t)sqlite3_column_int64(stmt, 0) - 1;

		if (number >= w->latest.len || (int64_t)number + 1 <= last)
			return kmp_store_damaged("it has figures of a series that is not there");
		last = (int64_t)number + 1;
		w->latest.values[number] = (uint64_t)sqlite3_column_int64(stmt, 1);
		w->latest.counts[number] = (uint64_t)sqlite3_column_int64(stmt, 2);
	}
}

static struct kmp_error *load_host(struct kmp_history_writer *w)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	bool row;
	size_t len;

	w->session_known = false;
	w->session = 0;
	w->host[0] = '\0';
	try(kmp_db_prepare(w->db, "SELECT id, host FROM session ORDER BY id DESC LIMIT 1", &stmt));
	try(kmp_db_step(stmt, &row));
	if (!row)
		return NULL;
	const char *host = kmp_db_text(stmt, 1, &len);

	w->session = sqlite3_column_int64(stmt, 0);
	snprintf(w->host, sizeof(w->host), "%.*s", (int)(len < sizeof(w->host) ? len : 0), host);
	return NULL;
}

struct kmp_error *kmp_history_load(struct kmp_history_writer *w)
{
	int64_t pages, page_size, samples;

	kmp_dicts_deinit(&w->dicts);
	w->dicts = (struct kmp_dicts){ 0 };
	kmp_series_deinit(&w->series);
	w->series = (struct kmp_series_list){ 0 };
	w->tags.len = w->slot_series.len = w->own_size = w->warnings = 0;
	try(kmp_db_number(w->db, "PRAGMA page_count", &pages));
	try(kmp_db_number(w->db, "PRAGMA page_size", &page_size));
	w->dicts.bytes_left = (uint64_t)pages * (uint64_t)page_size;
	try(kmp_dicts_load(&w->dicts, w->db));
	try(kmp_series_load(&w->series, w->db, INT32_MAX));
	try(load_blocks(w));
	try(load_times(w));
	try(load_last_sample(w));
	try(load_latest(w));
	try(load_host(w));
	w->sample = w->blocks.len ? w->blocks.data[w->blocks.len - 1].last : 0;
	try(kmp_db_number(w->db, "SELECT count(*) FROM sample", &samples));
	w->stats.samples = (uint64_t)samples;
	w->stale = false;
	return NULL;
}
