// SPDX-License-Identifier: GPL-2.0-only
/* The rows of one snapshot, but for its chunks. */
#include "store/writer.h"

static struct kmp_error *write_owners(struct kmp_store *store)
{
	const struct kmp_dicts *dicts = &store->dicts;
	auto_stmt sqlite3_stmt *stmt = NULL;

	try(kmp_db_prepare(store->db, "INSERT INTO owner VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			   &stmt));
	for (uint32_t i = 0; i < store->tuples.sums.len; i++) {
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
		try(kmp_db_run(stmt));
	}
	return NULL;
}

static struct kmp_error *write_states(struct kmp_store *store)
{
	const struct kmp_dicts *dicts = &store->dicts;
	auto_stmt sqlite3_stmt *stmt = NULL;

	try(kmp_db_prepare(store->db, "INSERT INTO state VALUES(?, ?, ?, ?, ?, ?, ?)", &stmt));
	for (uint32_t i = 0; i < store->tuples.states.strings.len; i++) {
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

static struct kmp_error *write_snapshot(struct kmp_store *store, const struct kmp_ledger *ledger)
{
	const struct kmp_facts *f = kmp_ledger_facts(ledger);
	const struct kmp_losses *l = kmp_ledger_losses(ledger);
	const struct kmp_first_rows *first = &store->first;
	auto_stmt sqlite3_stmt *stmt = NULL;
	uint32_t tags = ledger->tags.len ? KMP_READ_TAGS : 0;
	/* None of either are page owners of which there are none. */
	uint32_t holds = tags | (store->entries || !tags ? KMP_READ_PAGES : 0);

	try(kmp_db_prepare(store->db,
			   "INSERT INTO snapshot VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
			   " ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			   &stmt));
	try(kmp_db_bind(stmt, "iussssiiiiuuuusiuuuiuiuiuiu", first->snapshot, f->time, f->name,
			f->kind, f->mode, f->kernel, (int64_t)f->page_size, (int64_t)f->nodes,
			(int64_t)f->profiling_off, (int64_t)f->top_only, l->skipped, l->dropped,
			l->cut, l->first_line, l->first_reason, (int64_t)holds, store->entries,
			store->records, store->pages, first->owner,
			(uint64_t)store->tuples.sums.len, first->state,
			(uint64_t)store->tuples.states.strings.len, first->chunk, store->chunks,
			first->tag, (uint64_t)ledger->tags.len));
	return kmp_db_run(stmt);
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
