// SPDX-License-Identifier: GPL-2.0-only
/*
 * Thinning by age. A block whose youngest sample has come to an age that keeps samples further
 * apart is coded anew, with the first sample of each step of the clock alone; behind the block
 * before it where that has the same step and room. What is older than all rules goes, block by
 * block. The block that is being written is left alone.
 */
#include "store/history.h"
#include "store/load.h"

struct thinning {
	struct kmp_history_writer *w;
	sqlite3_stmt *update;
	sqlite3_stmt *change;
	sqlite3_stmt *drop;
	sqlite3_stmt *drop_change;
	struct kmp_figures from; /* the sample that is read */
	struct kmp_figures kept; /* the one that was written last */
	struct kmp_block into;	 /* the block that is written; id 0: none yet */
	uint64_t slot;		 /* the last step of the clock that has its sample */
	bool has_slot;
	VEC(struct kmp_block) done; /* that are complete */
};

static void deinit(struct thinning *t)
{
	sqlite3_finalize(t->update);
	sqlite3_finalize(t->change);
	sqlite3_finalize(t->drop);
	sqlite3_finalize(t->drop_change);
	kmp_figures_deinit(&t->from);
	kmp_figures_deinit(&t->kept);
	vec_deinit(&t->done);
}

static struct kmp_error *copy_figures(struct kmp_figures *to, const struct kmp_figures *from)
{
	kmp_figures_clear(to);
	try(kmp_figures_reach(to, from->len));
	if (from->len) {
		memcpy(to->values, from->values, from->len * sizeof(*to->values));
		memcpy(to->counts, from->counts, from->len * sizeof(*to->counts));
	}
	return NULL;
}

static struct kmp_error *run_by_id(sqlite3_stmt *stmt, int64_t id)
{
	try(kmp_db_bind(stmt, "i", id));
	return kmp_db_run(stmt);
}

static struct kmp_error *write_kept(struct thinning *t, int64_t id, uint64_t time, uint64_t step)
{
	struct kmp_history_writer *w = t->w;
	bool first = !t->into.id || t->into.count >= w->spacing;

	if (first && t->into.id)
		try(vec_push(&t->done, t->into));
	if (first)
		t->into = (struct kmp_block){ .id = id, .step = step };
	t->into.last = id;
	t->into.last_time = time;
	t->into.count++;
	try(kmp_sample_code(&w->coder, first ? NULL : &t->kept, &t->from));
	try(copy_figures(&t->kept, &t->from));
	try(kmp_db_bind(t->update, "iui", t->into.id, step, id));
	try(kmp_db_run(t->update));
	if (!w->coder.packed.len)
		return run_by_id(t->drop_change, id);
	try(kmp_db_bind(t->change, "ib", id, w->coder.packed.data, w->coder.packed.len));
	return kmp_db_run(t->change);
}

/* Read a block; with a step, keep what it asks for. */
static struct kmp_error *pass_block(struct thinning *t, const struct kmp_block *block,
				    const struct kmp_keep_rule *rule)
{
	struct kmp_history_writer *w = t->w;
	auto_stmt sqlite3_stmt *stmt = NULL;
	bool row;

	kmp_figures_clear(&t->from);
	try(kmp_db_prepare(w->db,
			   "SELECT id, time, time_ns, data FROM sample"
			   " LEFT JOIN change ON change.sample = id WHERE id BETWEEN ? AND ?"
			   " ORDER BY id",
			   &stmt));
	try(kmp_db_bind(stmt, "ii", block->id, block->last));
	for (;;) {
		size_t len;

		try(kmp_db_step(stmt, &row));
		if (!row)
			return NULL;
		int64_t id = sqlite3_column_int64(stmt, 0);
		uint64_t time = (uint64_t)sqlite3_column_int64(stmt, 1) * KMP_SECOND +
				(uint64_t)sqlite3_column_int64(stmt, 2);
		const char *data = kmp_db_text(stmt, 3, &len);

		try(kmp_sample_decode(&w->coder, (const uint8_t *)data, len, w->series.keys.len,
				      false, &t->from));
		if (!rule)
			continue;
		if (t->has_slot && rule->step && time / rule->step == t->slot) {
			try(run_by_id(t->drop, id));
			try(run_by_id(t->drop_change, id));
			w->stats.thinned++;
			w->stats.samples--;
			continue;
		}
		t->slot = rule->step ? time / rule->step : 0;
		t->has_slot = rule->step != 0;
		try(write_kept(t, id, time, rule->step));
	}
}

/* Go on with the block before, if it fits. */
static struct kmp_error *join(struct thinning *t, size_t at, const struct kmp_keep_rule *rule,
			      bool *joined)
{
	const struct kmp_block *before = at ? &t->w->blocks.data[at - 1] : NULL;

	*joined = before && before->step == rule->step && before->count < t->w->spacing;
	if (before && before->step == rule->step) {
		t->slot = before->last_time / rule->step;
		t->has_slot = true;
	}
	if (!*joined)
		return NULL;
	try(pass_block(t, before, NULL));
	try(copy_figures(&t->kept, &t->from));
	t->into = *before;
	return NULL;
}

static struct kmp_error *thin_block(struct thinning *t, size_t at, const struct kmp_keep_rule *rule,
				    bool *joined)
{
	struct kmp_history_writer *w = t->w;

	try(kmp_db_prepare(w->db, "UPDATE sample SET block = ?, step = ? WHERE id = ?",
			   &t->update));
	try(kmp_db_prepare(w->db, "INSERT OR REPLACE INTO change VALUES(?, ?)", &t->change));
	try(kmp_db_prepare(w->db, "DELETE FROM sample WHERE id = ?", &t->drop));
	try(kmp_db_prepare(w->db, "DELETE FROM change WHERE sample = ?", &t->drop_change));
	try(join(t, at, rule, joined));
	try(pass_block(t, &w->blocks.data[at], rule));
	return t->into.id ? vec_push(&t->done, t->into) : NULL;
}

/* The blocks that were made stand where those were which they were made of. */
static struct kmp_error *replace_blocks(struct thinning *t, size_t at, bool joined)
{
	struct kmp_history_writer *w = t->w;
	size_t first = joined ? at - 1 : at;
	size_t rest = w->blocks.len - at - 1;

	try(vec_reserve(&w->blocks, t->done.len));
	memmove(w->blocks.data + first + t->done.len, w->blocks.data + at + 1,
		rest * sizeof(*w->blocks.data));
	if (t->done.len)
		memcpy(w->blocks.data + first, t->done.data, t->done.len * sizeof(*w->blocks.data));
	w->blocks.len = first + t->done.len + rest;
	return NULL;
}

static struct kmp_error *drop_block(struct kmp_history_writer *w, size_t at)
{
	static const char *const sql[] = { "DELETE FROM sample WHERE id BETWEEN ? AND ?",
					   "DELETE FROM change WHERE sample BETWEEN ? AND ?" };

	for (int i = 0; i < 2; i++) {
		auto_stmt sqlite3_stmt *stmt = NULL;

		try(kmp_db_prepare(w->db, sql[i], &stmt));
		try(kmp_db_bind(stmt, "ii", w->blocks.data[at].id, w->blocks.data[at].last));
		try(kmp_db_run(stmt));
	}
	w->stats.thinned += w->blocks.data[at].count;
	w->stats.samples -= w->blocks.data[at].count;
	memmove(w->blocks.data + at, w->blocks.data + at + 1,
		(w->blocks.len - at - 1) * sizeof(*w->blocks.data));
	w->blocks.len--;
	return NULL;
}

static struct kmp_error *change_block(struct kmp_history_writer *w, size_t at,
				      const struct kmp_keep_rule *rule)
{
	struct thinning t = { .w = w };
	bool joined = false;

	if (!rule)
		return drop_block(w, at);
	struct kmp_error *err = thin_block(&t, at, rule, &joined);

	if (!err)
		err = replace_blocks(&t, at, joined);
	deinit(&t);
	return err;
}

/* The next block that is not as its age asks, oldest first; the last one is being written. */
static bool find_block(const struct kmp_history_writer *w, uint64_t now, size_t *at,
		       const struct kmp_keep_rule **rule)
{
	for (*at = 0; *at + 1 < w->blocks.len; ++*at) {
		const struct kmp_block *block = &w->blocks.data[*at];

		*rule = kmp_keep_find(&w->keep,
				      now > block->last_time ? now - block->last_time : 0);
		if (!*rule || (*rule)->step > block->step)
			return true;
	}
	return false;
}

static struct kmp_error *thin(struct kmp_history_writer *w, uint64_t now)
{
	const struct kmp_keep_rule *rule;
	size_t at;

	while (find_block(w, now, &at, &rule))
		try(change_block(w, at, rule));
	return NULL;
}

struct kmp_error *kmp_history_thin(struct kmp_history_writer *w, uint64_t now)
{
	const struct kmp_keep_rule *rule;
	size_t at;

	if (!find_block(w, now, &at, &rule))
		return NULL;
	try(kmp_db_exec(w->db, "BEGIN IMMEDIATE"));
	struct kmp_error *err = thin(w, now);

	if (!err)
		err = kmp_db_exec(w->db, "COMMIT");
	if (!err)
		return NULL;
	/* The sample is in the file; what could not be thinned out will be the next time. */
	w->stale = true;
	kmp_error_destroy(kmp_db_exec(w->db, "ROLLBACK"));
	if (err->kind != KMP_ERROR_SYSTEM)
		return err;
	kmp_error_destroy(err);
	return NULL;
}
