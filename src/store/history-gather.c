// SPDX-License-Identifier: GPL-2.0-only
/* The figures of a sample, by series: each kind of page owners and each tag is one. */
#include "store/history.h"

static struct kmp_error *write_series(struct kmp_history_writer *w,
				      const struct kmp_series_key *key, uint64_t value,
				      uint64_t count, uint32_t *number)
{
	*number = kmp_series_find(&w->series, key);
	if (*number != KMP_NONE)
		return NULL;
	*number = (uint32_t)w->series.keys.len;
	try(kmp_series_add(&w->series, key));
	if (!w->add_series)
		try(kmp_db_prepare(w->db,
				   "INSERT INTO series VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
				   &w->add_series));
	try(kmp_db_bind(w->add_series, "nnnnnnnnniuu", *number + 1, key->stack, key->task,
			key->order, key->gfp, key->type, key->node, key->zone, key->location,
			w->sample + 1, value, count));
	return kmp_db_run(w->add_series);
}

/* ---- Page owners ---- */

static size_t size_of(const struct kmp_ledger *own)
{
	size_t size = own->stacks.len + own->tasks.len;

	for (int i = 0; i < KMP_DICT_COUNT; i++)
		size += own->dicts[i].strings.len;
	return size;
}

static struct kmp_error *key_of(const struct kmp_history_writer *w, const struct kmp_slot *slot,
				struct kmp_series_key *key)
{
	const struct kmp_dicts *dicts = &w->dicts;

	*key = (struct kmp_series_key){
		.order = slot->order, .node = slot->node, .zone = slot->zone, .location = KMP_NONE
	};
	try(kmp_ids_find(&dicts->stack_ids, slot->stack, &key->stack));
	try(kmp_ids_find(&dicts->task_ids, slot->task, &key->task));
	try(kmp_ids_find(&dicts->text_ids[KMP_DICT_GFP], slot->gfp, &key->gfp));
	return kmp_ids_find(&dicts->text_ids[KMP_DICT_TYPE], slot->type, &key->type);
}

/* Handles that got their traces are other rows of the table of stacks. */
static struct kmp_error *change_stacks(struct kmp_history_writer *w)
{
	auto_stmt sqlite3_stmt *stmt = NULL;

	try(kmp_db_prepare(w->db, "UPDATE series SET stack = ? WHERE id = ?", &stmt));
	for (size_t i = 0; i < w->slot_series.len; i++) {
		struct kmp_series_key key;
		uint32_t series = w->slot_series.data[i];

		if (!series)
			continue;
		try(key_of(w, kmp_slots_get(&w->slots, i), &key));
		if (key.stack == w->series.keys.data[series - 1].stack)
			continue;
		try(kmp_series_change(&w->series, series - 1, &key));
		try(kmp_db_bind(stmt, "nn", key.stack, series));
		try(kmp_db_run(stmt));
	}
	return NULL;
}

static struct kmp_error *write_dicts(struct kmp_history_writer *w, const struct kmp_ledger *ledger)
{
	const struct kmp_ledger *own = w->slots.own;
	bool resolved;

	try(kmp_slots_resolve(&w->slots, ledger, &resolved));
	if (!resolved && w->dicts.ledger == own->serial && w->own_size == size_of(own))
		return NULL;
	try(kmp_dicts_write(&w->dicts, own));
	w->own_size = size_of(own);
	return resolved ? change_stacks(w) : NULL;
}

static struct kmp_error *gather_pages(struct kmp_history_writer *w, struct kmp_totals *totals)
{
	for (size_t i = 0; i < w->slots.sums.len; i++) {
		const struct kmp_slot_sums *sums = &w->slots.sums.data[i];
		struct kmp_series_key key;
		uint32_t number;

		if (i == w->slot_series.len)
			try(vec_push(&w->slot_series, 0));
		if (!sums->pages && !sums->records)
			continue;
		if (!w->slot_series.data[i]) {
			try(key_of(w, kmp_slots_get(&w->slots, i), &key));
			try(write_series(w, &key, sums->pages, sums->records, &number));
			w->slot_series.data[i] = number + 1;
		}
		number = w->slot_series.data[i] - 1;
		try(kmp_figures_reach(&w->now, w->series.keys.len));
		w->now.values[number] += sums->pages;
		w->now.counts[number] += sums->records;
		totals->pages += sums->pages;
		totals->records += sums->records;
	}
	return NULL;
}

/* ---- Tags ---- */

/* Within a ledger equal strings are the same. */
static bool is_known(const struct kmp_tag *a, const struct kmp_tag *b)
{
	return a->file == b->file && a->function == b->function && a->module == b->module &&
	       a->extra == b->extra && a->line == b->line;
}

static struct kmp_error *find_tag(struct kmp_history_writer *w, const struct kmp_tag *tag,
				  size_t place, uint32_t *number)
{
	struct kmp_series_key key = { KMP_NONE, KMP_NONE, KMP_NONE, KMP_NONE,
				      KMP_NONE, KMP_NONE, KMP_NONE, KMP_NONE };

	if (place < w->tags.len && is_known(&w->tags.data[place].tag, tag)) {
		*number = w->tags.data[place].series;
		return NULL;
	}
	try(kmp_dicts_location(&w->dicts, tag, &key.location));
	try(write_series(w, &key, (uint64_t)tag->bytes, (uint64_t)tag->calls, number));
	struct kmp_known_tag known = { *tag, *number };

	if (place < w->tags.len)
		w->tags.data[place] = known;
	else
		try(vec_push(&w->tags, known));
	return NULL;
}

static struct kmp_error *gather_tags(struct kmp_history_writer *w, const struct kmp_ledger *ledger,
				     struct kmp_totals *totals)
{
	if (w->tags_of != ledger->serial)
		w->tags.len = w->warnings = 0;
	w->tags_of = ledger->serial;
	for (size_t i = 0; i < ledger->tags.len; i++) {
		const struct kmp_tag *tag = &ledger->tags.data[i];
		uint32_t number;

		try(find_tag(w, tag, i, &number));
		try(kmp_figures_reach(&w->now, w->series.keys.len));
		w->now.values[number] += (uint64_t)tag->bytes;
		w->now.counts[number] += (uint64_t)tag->calls;
		totals->bytes += (uint64_t)tag->bytes;
		totals->calls += (uint64_t)tag->calls;
	}
	return NULL;
}

struct kmp_error *kmp_history_gather(struct kmp_history_writer *w, const struct kmp_ledger *ledger,
				     struct kmp_totals *totals)
{
	*totals = (struct kmp_totals){
		.holds = (w->slots.entries ? KMP_READ_PAGES : 0u) |
			 (ledger->tags.len ? KMP_READ_TAGS : 0u),
	};
	kmp_figures_clear(&w->now);
	try(kmp_figures_reach(&w->now, w->series.keys.len));
	try(write_dicts(w, ledger));
	try(gather_pages(w, totals));
	try(gather_tags(w, ledger, totals));
	return kmp_figures_reach(&w->now, w->series.keys.len);
}
