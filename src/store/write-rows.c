// SPDX-License-Identifier: GPL-2.0-only
/* The rows of one snapshot, but for its chunks. */
#include "store/writer.h"

/* The form of most owners, which is not told again for each. Found by majority vote. */
static uint32_t common_form(const struct kmp_tuples *tuples)
{
	uint32_t form = 0;
	size_t lead = 0;

	for (uint32_t i = 0; i < tuples->sums.len; i++) {
		uint32_t next = kmp_tuples_owner(tuples, i)->form;

		if (!lead)
			form = next;
		lead = next == form ? lead + 1 : lead - 1;
	}
	return form;
}

static struct kmp_error *write_owners(struct kmp_store *store)
{
	const struct kmp_dicts *dicts = &store->dicts;
	auto_stmt sqlite3_stmt *stmt = NULL;

	if (!store->base.len)
		store->form = common_form(&store->tuples);
	try(kmp_db_prepare(store->db, "INSERT INTO owner VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			   &stmt));
	for (uint32_t i = (uint32_t)store->base.len; i < store->tuples.sums.len; i++) {
		const struct kmp_owner *o = kmp_tuples_owner(&store->tuples, i);
		const struct kmp_owner_sums *sums = &store->tuples.sums.data[i];
		uint32_t stack, task, gfp, type;

		try(kmp_ids_find(&dicts->stack_ids, o->stack, &stack));
		try(kmp_ids_find(&dicts->task_ids, o->task, &task));
		try(kmp_ids_find(&dicts->text_ids[KMP_DICT_GFP], o->gfp, &gfp));
		try(kmp_ids_find(&dicts->text_ids[KMP_DICT_TYPE], o->type, &type));
		try(kmp_db_bind(stmt, "iinninniuu", store->first.owner + i, store->first.snapshot,
				stack, task, (int64_t)o->order, gfp, type, (int64_t)o->form,
				sums->records, sums->pages));
		if (o->form == store->form)
			sqlite3_bind_null(stmt, 8);
		try(kmp_db_run(stmt));
	}
	return NULL;
}

static struct kmp_error *write_states(struct kmp_store *store)
{
	const struct kmp_dicts *dicts = &store->dicts;
	auto_stmt sqlite3_stmt *stmt = NULL;

	try(kmp_db_prepare(store->db, "INSERT INTO state VALUES(?, ?, ?, ?, ?, ?, ?)", &stmt));
	for (uint32_t i = (uint32_t)store->base_states; i < store->tuples.states.strings.len; i++) {
		const struct kmp_state *s = kmp_tuples_state(&store->tuples, i);
		uint32_t flags, type, charge, reason, extra;

		try(kmp_ids_find(&dicts->text_ids[KMP_DICT_FLAGS], s->flags, &flags));
		try(kmp_ids_find(&dicts->text_ids[KMP_DICT_TYPE], s->block_type, &type));
		try(kmp_ids_find(&dicts->charge_ids, s->charge, &charge));
		try(kmp_ids_find(&dicts->text_ids[KMP_DICT_REASON], s->reason, &reason));
		try(kmp_ids_find(&dicts->text_ids[KMP_DICT_EXTRA], s->extra, &extra));
		try(kmp_db_bind(stmt, "iinnnnn", store->first.state + i, store->first.snapshot,
				flags, type, charge, reason, extra));
		try(kmp_db_run(stmt));
	}
	return NULL;
}

static struct kmp_error *write_tags(struct kmp_store *store, const struct kmp_ledger *ledger)
{
	auto_stmt sqlite3_stmt *stmt = NULL;

	try(kmp_db_prepare(store->db, "INSERT INTO tag VALUES(?, ?, ?, ?, ?, ?, ?)", &stmt));
	for (size_t i = 0; i < ledger->tags.len; i++) {
		const struct kmp_tag *tag = &ledger->tags.data[i];
		uint32_t location;

		try(kmp_dicts_location(&store->dicts, tag, &location));
		try(kmp_db_bind(stmt, "iiniiii", store->first.tag + (int64_t)i,
				store->first.snapshot, location, tag->bytes, tag->calls,
				(int64_t)tag->accurate, (int64_t)tag->approximate));
		try(kmp_db_run(stmt));
	}
	return NULL;
}

static struct kmp_error *write_zones(struct kmp_store *store, const struct kmp_ledger *ledger)
{
	auto_stmt sqlite3_stmt *stmt = NULL;

	try(kmp_db_prepare(store->db,
			   "INSERT INTO zone(snapshot, node, zone, name) VALUES(?, ?, ?, ?)",
			   &stmt));
	for (size_t i = 0; i < ledger->zones.len; i++) {
		const struct kmp_zone_name *z = &ledger->zones.data[i];
		const struct kmp_string *name = &ledger->names.strings.data[z->name];

		try(kmp_db_bind(stmt, "iiit", store->first.snapshot, (int64_t)z->node,
				(int64_t)z->zone, name->text, name->len));
		try(kmp_db_run(stmt));
	}
	return NULL;
}

static struct kmp_error *write_warnings(struct kmp_store *store, const struct kmp_ledger *ledger)
{
	auto_stmt sqlite3_stmt *stmt = NULL;

	try(kmp_db_prepare(store->db, "INSERT INTO warning(snapshot, text) VALUES(?, ?)", &stmt));
	for (size_t i = 0; i < ledger->warnings.len; i++) {
		try(kmp_db_bind(stmt, "is", store->first.snapshot, ledger->warnings.data[i]));
		try(kmp_db_run(stmt));
	}
	return NULL;
}

/*
 * The ids of all the ledger's stacks in its order, which views go by, each as the difference from
 * what follows the one before.
 */
static struct kmp_error *code_stacks(struct kmp_store *store)
{
	struct kmp_coder coder cleanup(kmp_coder_deinit) = { 0 };
	size_t count = store->dicts.stack_ids.len;
	auto_free uint64_t *differences = calloc(count + 1, sizeof(*differences));
	uint64_t expected = 1;

	if (!differences)
		return &kmp_error_no_memory;
	for (size_t i = 0; i < count; i++) {
		differences[i] = store->dicts.stack_ids.data[i] - expected;
		expected = (uint64_t)store->dicts.stack_ids.data[i] + 1;
	}
	try(kmp_coder_init(&coder, count + 1, true));
	try(kmp_code_differences(&coder, differences, count,
				 store->base.len ? STORE_LEVEL_LARGE : STORE_LEVEL_SMALL));
	store->stacks.len = 0;
	try(vec_append(&store->stacks, (const char *)coder.out.data, coder.out.len));
	store->dicts.stacks_changed = false;
	return NULL;
}

static struct kmp_error *insert_snapshot(struct kmp_store *store, const struct kmp_ledger *ledger)
{
	const struct kmp_facts *f = kmp_ledger_facts(ledger);
	const struct kmp_losses *l = kmp_ledger_losses(ledger);
	const struct kmp_first_rows *first = &store->first;
	auto_stmt sqlite3_stmt *stmt = NULL;
	uint32_t holds =
		(store->entries ? KMP_READ_PAGES : 0) | (ledger->tags.len ? KMP_READ_TAGS : 0);

	try(kmp_db_prepare(store->db,
			   "INSERT INTO snapshot VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
			   " ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			   &stmt));
	try(kmp_db_bind(stmt, "iussssiiiiuuuusiuuuiubiuiuiuiui", first->snapshot, f->time, f->name,
			f->kind, f->mode, f->kernel, (int64_t)f->page_size, (int64_t)f->nodes,
			(int64_t)f->profiling_off, (int64_t)f->top_only, l->skipped, l->dropped,
			l->cut, l->first_line, l->first_reason, (int64_t)holds, store->entries,
			store->records, store->pages, (int64_t)store->form,
			(uint64_t)store->dicts.stack_ids.len,
			store->stacks.len ? store->stacks.data : NULL, store->stacks.len,
			first->owner, (uint64_t)store->tuples.sums.len, first->state,
			(uint64_t)store->tuples.states.strings.len, first->chunk, store->chunks,
			first->tag, (uint64_t)ledger->tags.len, (int64_t)f->time_ns));
	return kmp_db_run(stmt);
}

static struct kmp_error *write_snapshot(struct kmp_store *store, const struct kmp_ledger *ledger)
{
	if (store->dicts.stacks_changed)
		try(code_stacks(store));
	return insert_snapshot(store, ledger);
}

struct kmp_error *kmp_writer_rows(struct kmp_store *store, const struct kmp_ledger *ledger)
{
	try(write_owners(store));
	try(write_states(store));
	try(write_tags(store, ledger));
	try(write_zones(store, ledger));
	try(write_warnings(store, ledger));
	return write_snapshot(store, ledger);
}
