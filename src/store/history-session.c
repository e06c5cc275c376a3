// SPDX-License-Identifier: GPL-2.0-only
/* What a history tells of the machine and of how it was read, once for as long as it holds. */
#include "store/frames.h"
#include "store/history.h"

enum { WARNINGS_MAX = 100 }; /* of one process: some tell a figure that is another each time */

struct kmp_error *kmp_history_check_host(const struct kmp_history_writer *w,
					 const struct kmp_moment *moment)
{
	if (!moment->host[0] || !w->host[0] || !strcmp(moment->host, w->host))
		return NULL;
	return kmp_error_new(KMP_ERROR_INPUT,
			     "is the history of machine '%s', and this is '%s': it stays as it is",
			     w->host, moment->host);
}

static struct kmp_error *write_zones(struct kmp_history_writer *w, const struct kmp_ledger *ledger)
{
	auto_stmt sqlite3_stmt *stmt = NULL;

	if (!ledger->zones.len)
		return NULL;
	try(kmp_db_exec(w->db, "DELETE FROM zone"));
	try(kmp_db_prepare(w->db, "INSERT INTO zone VALUES(NULL, ?, ?, ?)", &stmt));
	for (size_t i = 0; i < ledger->zones.len; i++) {
		const struct kmp_zone_name *zone = &ledger->zones.data[i];

		try(kmp_db_bind(stmt, "iis", (int64_t)zone->node, (int64_t)zone->zone,
				ledger->names.strings.data[zone->name].text));
		try(kmp_db_run(stmt));
	}
	return NULL;
}

/* What a session is told by: its texts, each with its NUL, and its numbers. */
static struct kmp_error *spell_session(kmp_bytes *key, const struct kmp_facts *facts,
				       const struct kmp_moment *moment)
{
	const char *texts[] = { moment->boot, moment->host, moment->kernel, facts->kernel,
				facts->name,  facts->kind,  facts->mode };
	uint64_t numbers[] = { moment->memory_total, facts->page_size, (uint64_t)facts->nodes,
			       facts->profiling_off, facts->top_only };

	key->len = 0;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		try(vec_append(key, texts[i], strlen(texts[i]) + 1));
	return vec_append(key, (const char *)numbers, sizeof(numbers));
}

struct kmp_error *kmp_history_session(struct kmp_history_writer *w, const struct kmp_ledger *ledger,
				      const struct kmp_moment *moment)
{
	const struct kmp_facts *facts = kmp_ledger_facts(ledger);
	const char *kernel = *facts->kernel ? facts->kernel : moment->kernel;
	auto_stmt sqlite3_stmt *stmt = NULL;
	kmp_bytes key = { 0 };
	struct kmp_error *err = spell_session(&key, facts, moment);

	if (err || (w->session_known && key.len == w->session_key.len &&
		    !memcmp(key.data, w->session_key.data, key.len))) {
		vec_deinit(&key);
		return err;
	}
	vec_deinit(&w->session_key);
	w->session_key = (typeof(w->session_key)){ key.data, key.len, key.cap };
	w->session_known = true;
	w->session++;
	snprintf(w->host, sizeof(w->host), "%s", moment->host);
	try(kmp_db_prepare(w->db, "INSERT INTO session VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			   &stmt));
	try(kmp_db_bind(stmt, "issssssiiuii", w->session, moment->boot, moment->host, kernel,
			facts->name, facts->kind, facts->mode, (int64_t)facts->page_size,
			(int64_t)facts->nodes, moment->memory_total, (int64_t)facts->profiling_off,
			(int64_t)facts->top_only));
	if (moment->memory_total == KMP_UNKNOWN)
		sqlite3_bind_null(stmt, 10);
	try(kmp_db_run(stmt));
	return write_zones(w, ledger);
}

struct kmp_error *kmp_history_warnings(struct kmp_history_writer *w,
				       const struct kmp_ledger *ledger)
{
	auto_stmt sqlite3_stmt *stmt = NULL;

	if (w->warnings >= ledger->warnings.len || w->warnings >= WARNINGS_MAX)
		return NULL;
	try(kmp_db_prepare(w->db, "INSERT INTO warning VALUES(NULL, ?, ?)", &stmt));
	while (w->warnings < ledger->warnings.len && w->warnings < WARNINGS_MAX) {
		try(kmp_db_bind(stmt, "is", w->sample + 1, ledger->warnings.data[w->warnings]));
		try(kmp_db_run(stmt));
		w->warnings++;
	}
	return NULL;
}
