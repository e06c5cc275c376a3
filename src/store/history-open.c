// SPDX-License-Identifier: GPL-2.0-only
/* Opening a history and listing its samples. Its figures are read when they are asked for. */
#include <errno.h>
#include <fcntl.h>

#include "store/history-reader.h"
#include "store/history-time.h"
#include "store/schema.h"

enum { ROW_BYTES_MIN = 4 }; /* no row of a list takes less of the file */

bool kmp_history_probe(const char *path)
{
	unsigned char head[STORE_HEADER];
	/* A pipe must not keep us waiting. */
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t len = fd < 0 ? 0 : pread(fd, head, sizeof(head), 0);

	return len > 0 && kmp_history_is(head, (size_t)len);
}

/* ---- Sessions ---- */

static void free_session(struct kmp_session *session)
{
	free(session->name);
	free(session->kind);
	free(session->mode);
	free(session->kernel);
	free(session);
}

static void copy_text(sqlite3_stmt *stmt, int column, char *to, size_t size)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);

	snprintf(to, size, "%s", text ? text : "");
}

static struct kmp_error *dup_text(sqlite3_stmt *stmt, int column, char **to)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);

	*to = strdup(text ? text : "");
	return *to ? NULL : &kmp_error_no_memory;
}

static uint64_t told(sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt, column) == SQLITE_NULL
		       ? KMP_UNKNOWN
		       : (uint64_t)sqlite3_column_int64(stmt, column);
}

static struct kmp_error *read_session(struct kmp_session *s, sqlite3_stmt *stmt)
{
	s->machine = (struct kmp_moment){ .uptime = KMP_UNKNOWN,
					  .memory_free = KMP_UNKNOWN,
					  .memory_available = KMP_UNKNOWN };
	copy_text(stmt, 1, s->machine.boot, sizeof(s->machine.boot));
	copy_text(stmt, 2, s->machine.host, sizeof(s->machine.host));
	copy_text(stmt, 3, s->machine.kernel, sizeof(s->machine.kernel));
	s->machine.memory_total = told(stmt, 9);
	s->page_size = (uint32_t)sqlite3_column_int64(stmt, 7);
	s->nodes = sqlite3_column_int(stmt, 8);
	s->profiling_off = sqlite3_column_int(stmt, 10) != 0;
	s->top_only = sqlite3_column_int(stmt, 11) != 0;
	try(dup_text(stmt, 3, &s->kernel));
	try(dup_text(stmt, 4, &s->name));
	try(dup_text(stmt, 5, &s->kind));
	return dup_text(stmt, 6, &s->mode);
}

static struct kmp_error *load_sessions(struct kmp_history *h)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	bool row;

	try(kmp_db_prepare(h->db,
			   "SELECT id, boot, host, kernel, name, kind, mode, page_size, nodes,"
			   " memory, profiling_off, top_only FROM session WHERE id > ? ORDER BY id",
			   &stmt));
	try(kmp_db_bind(stmt, "i", (int64_t)h->sessions.len));
	for (;;) {
		try(kmp_db_step(stmt, &row));
		if (!row)
			return NULL;
		if (sqlite3_column_int64(stmt, 0) != (int64_t)h->sessions.len + 1 ||
		    h->sessions.len >= h->size)
			return kmp_store_damaged("its sessions are not in order");
		struct kmp_session *s = calloc(1, sizeof(*s));
		struct kmp_error *err = s ? read_session(s, stmt) : &kmp_error_no_memory;

		if (!err)
			err = vec_push(&h->sessions, s);
		if (err && s)
			free_session(s);
		if (err)
			return err;
	}
}

/* ---- Samples ---- */

static struct kmp_error *read_sample(struct kmp_history *h, sqlite3_stmt *stmt)
{
	struct kmp_sample sample = {
		.id = (uint64_t)sqlite3_column_int64(stmt, 0),
		.time = (uint64_t)sqlite3_column_int64(stmt, 2) * KMP_SECOND +
			(uint64_t)sqlite3_column_int64(stmt, 3),
		.uptime = told(stmt, 4),
		.memory_free = told(stmt, 5),
		.memory_available = told(stmt, 6),
		.holds = (uint32_t)sqlite3_column_int64(stmt, 7) & (KMP_READ_PAGES | KMP_READ_TAGS),
		.pages = sqlite3_column_int64(stmt, 8),
		.records = sqlite3_column_int64(stmt, 9),
		.bytes = sqlite3_column_int64(stmt, 10),
		.calls = sqlite3_column_int64(stmt, 11),
	};
	struct kmp_sample_place place = {
		.skipped = (uint64_t)sqlite3_column_int64(stmt, 12),
		.dropped = (uint64_t)sqlite3_column_int64(stmt, 13),
		.cut = (uint64_t)sqlite3_column_int64(stmt, 14),
		.block = sqlite3_column_int64(stmt, 15),
		.session = (size_t)sqlite3_column_int64(stmt, 1) - 1,
	};
	size_t count = h->samples.len;

	if (count >= h->size / ROW_BYTES_MIN || place.session >= h->sessions.len ||
	    (int64_t)sample.id < 1 || place.block < 1 || place.block > (int64_t)sample.id ||
	    (count && (sample.id <= h->samples.data[count - 1].id ||
		       place.block < h->places.data[count - 1].block)))
		return kmp_store_damaged("its samples are not in order");
	sample.of = &h->sessions.data[place.session]->machine;
	sample.lost = place.skipped + place.dropped + place.cut;
	try(vec_push(&h->places, place));
	return vec_push(&h->samples, sample);
}

static struct kmp_error *load_samples(struct kmp_history *h)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	bool row;

	h->samples.len = h->places.len = 0;
	try(kmp_db_prepare(h->db,
			   "SELECT id, session, time, time_ns, uptime, free, available, holds,"
			   " pages, records, bytes, calls, skipped, dropped, cut, block"
			   " FROM sample ORDER BY id",
			   &stmt));
	for (;;) {
		try(kmp_db_step(stmt, &row));
		if (!row)
			return NULL;
		try(read_sample(h, stmt));
	}
}

/* In one transaction, so that what refers to something finds it. */
static struct kmp_error *load(struct kmp_history *h)
{
	int64_t pages, page_size;

	try(kmp_db_number(h->db, "PRAGMA data_version", &h->version));
	try(kmp_db_number(h->db, "PRAGMA page_count", &pages));
	try(kmp_db_number(h->db, "PRAGMA page_size", &page_size));
	h->size = (uint64_t)pages * (uint64_t)page_size;
	try(load_sessions(h));
	try(load_samples(h));
	return kmp_series_load(&h->series, h->db, h->size / ROW_BYTES_MIN);
}

static struct kmp_error *load_at_once(struct kmp_history *h)
{
	try(kmp_db_exec(h->db, "BEGIN"));
	struct kmp_error *err = load(h);
	struct kmp_error *end = kmp_db_exec(h->db, "COMMIT");

	if (!err)
		return end;
	kmp_error_destroy(end);
	return err;
}

struct kmp_error *kmp_history_refresh(struct kmp_history *h, bool *changed)
{
	int64_t version;

	if (changed)
		*changed = false;
	try(kmp_error_at(kmp_db_number(h->db, "PRAGMA data_version", &version), h->path));
	if (version == h->version)
		return NULL;
	/* Ids of what is new are beyond what it has seen. */
	kmp_loader_deinit(&h->loader);
	h->loader = (struct kmp_loader){ 0 };
	h->ledger = 0;
	if (changed)
		*changed = true;
	return kmp_error_at(load_at_once(h), h->path);
}

/* ---- Opening ---- */

static struct kmp_error *check_file(const char *path)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return kmp_error_system(errno, NULL, "cannot open");
	return kmp_history_probe(path) ? NULL : kmp_error_new(KMP_ERROR_INPUT, "is no history");
}

static struct kmp_error *open_all(struct kmp_history *h)
{
	if (!h->path)
		return &kmp_error_no_memory;
	try(check_file(h->path));
	try(kmp_db_open_history(h->path, &h->db));
	try(load_at_once(h));
	return h->samples.len ? NULL : kmp_error_new(KMP_ERROR_INPUT, "holds no sample yet");
}

struct kmp_error *kmp_history_open(const char *path, struct kmp_history **out)
{
	struct kmp_history *h = calloc(1, sizeof(*h));

	if (!h)
		return &kmp_error_no_memory;
	h->path = strdup(path);
	struct kmp_error *err = kmp_error_at(open_all(h), path);

	if (err)
		kmp_history_close(h);
	else
		*out = h;
	return err;
}

size_t kmp_history_count(const struct kmp_history *h)
{
	return h->samples.len;
}

const struct kmp_sample *kmp_history_sample(const struct kmp_history *h, size_t index)
{
	return index < h->samples.len ? &h->samples.data[index] : NULL;
}

void kmp_history_close(struct kmp_history *h)
{
	if (!h)
		return;
	kmp_loader_deinit(&h->loader);
	vec_deinit(&h->tags);
	kmp_pool_deinit(&h->tag_texts);
	sqlite3_close(h->db);
	vec_deinit(&h->samples);
	vec_deinit(&h->places);
	for (size_t i = 0; i < h->sessions.len; i++)
		free_session(h->sessions.data[i]);
	vec_deinit(&h->sessions);
	kmp_series_deinit(&h->series);
	kmp_sample_coder_deinit(&h->coder);
	kmp_figures_deinit(&h->figures);
	free(h->path);
	free(h);
}
