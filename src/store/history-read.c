// SPDX-License-Identifier: GPL-2.0-only
/* A sample of a history, into a ledger. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "store/history-reader.h"
#include "store/history-time.h"
#include "store/schema.h"

enum { BATCH = 512, TAG_BYTES = 64 /* a tag's texts for each byte of the file */ };

struct kmp_error *kmp_history_decode(struct kmp_history *h, size_t index)
{
	const struct kmp_sample *sample = &h->samples.data[index];
	auto_stmt sqlite3_stmt *stmt = NULL;
	int64_t block = 0, last = 0;
	bool row;

	/* Looked up in the same breath: it may have been thinned out, or stand elsewhere by now. */
	try(kmp_db_prepare(h->db,
			   "SELECT s.block, c.data, c.sample FROM sample s LEFT JOIN change c"
			   " ON c.sample BETWEEN s.block AND s.id WHERE s.id = ? ORDER BY c.sample",
			   &stmt));
	try(kmp_db_bind(stmt, "u", sample->id));
	kmp_figures_clear(&h->figures);
	for (;;) {
		size_t len;

		try(kmp_db_step(stmt, &row));
		if (!row)
			break;
		/* A file whose pages refer to each other in a circle would give them for ever. */
		if (block && sqlite3_column_int64(stmt, 2) <= last)
			return kmp_store_damaged("its rows are not in order");
		last = sqlite3_column_int64(stmt, 2);
		block = sqlite3_column_int64(stmt, 0);
		const char *data = kmp_db_text(stmt, 1, &len);

		try(kmp_sample_decode(&h->coder, (const uint8_t *)data, len, h->series.keys.len,
				      false, &h->figures));
	}
	try(kmp_figures_reach(&h->figures, h->series.keys.len));
	return block ? NULL
		     : kmp_error_new(KMP_ERROR_INPUT, "sample %" PRIu64 " went by age meanwhile",
				     sample->id);
}

/* ---- Facts ---- */

static struct kmp_error *read_warnings(struct kmp_history *h, struct kmp_ledger *ledger)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	uint64_t left = h->size;
	bool row;

	try(kmp_db_prepare(h->db, "SELECT text FROM warning ORDER BY id", &stmt));
	for (;;) {
		try(kmp_db_step(stmt, &row));
		if (!row)
			return NULL;
		const char *text = (const char *)sqlite3_column_text(stmt, 0);

		try(kmp_store_take(&left, text ? strlen(text) : 1));
		try(kmp_ledger_warn(ledger, "%s", text ? text : ""));
	}
}

static struct kmp_error *read_zones(struct kmp_history *h, struct kmp_ledger *ledger)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	uint64_t left = h->size;
	bool row;

	try(kmp_db_prepare(h->db, "SELECT node, zone, name FROM zone ORDER BY id", &stmt));
	for (;;) {
		try(kmp_db_step(stmt, &row));
		if (!row)
			return NULL;
		const char *name = (const char *)sqlite3_column_text(stmt, 2);

		try(kmp_store_take(&left, name ? strlen(name) + 1 : 1));
		try(kmp_ledger_set_zone(ledger, sqlite3_column_int(stmt, 0),
					sqlite3_column_int(stmt, 1), name ? name : ""));
	}
}

static struct kmp_error *add_losses(const struct kmp_sample_place *place, struct kmp_ledger *ledger)
{
	kmp_ledger_add_losses(ledger, place->dropped, place->cut);
	if (!place->skipped)
		return NULL;
	try(kmp_ledger_add_skipped(ledger, 0, "when the sample was taken"));
	ledger->losses.skipped += place->skipped - 1;
	return NULL;
}

struct kmp_error *kmp_history_facts(struct kmp_history *h, size_t index, struct kmp_ledger *ledger)
{
	const struct kmp_sample *sample = &h->samples.data[index];
	const struct kmp_session *s = h->sessions.data[h->places.data[index].session];

	try(kmp_ledger_set_facts(ledger, &(struct kmp_facts){
						 .name = s->name,
						 .kind = s->kind,
						 .mode = s->mode,
						 .kernel = s->kernel,
						 .time = sample->time / KMP_SECOND,
						 .time_ns = (uint32_t)(sample->time % KMP_SECOND),
						 .page_size = s->page_size,
						 .nodes = s->nodes,
						 .profiling_off = s->profiling_off,
						 .top_only = s->top_only,
					 }));
	try(add_losses(&h->places.data[index], ledger));
	try(read_warnings(h, ledger));
	return read_zones(h, ledger);
}

/* ---- Series ---- */

static void begin_ledger(struct kmp_history *h, struct kmp_ledger *ledger)
{
	if (h->ledger == ledger->serial)
		return;
	kmp_loader_deinit(&h->loader);
	h->loader = (struct kmp_loader){
		.db = h->db,
		.ledger = ledger,
		.rows_max = h->size / 4,
		.bytes_left = h->size,
		.tag_bytes_left = TAG_BYTES * h->size,
	};
	h->ledger = ledger->serial;
}

static struct kmp_error *find(struct kmp_history *h, int list, uint32_t id, uint32_t *number)
{
	*number = KMP_NONE;
	return id == KMP_NONE ? NULL : kmp_loader_id(&h->loader, list, id, number);
}

static struct kmp_error *find_place(struct kmp_ledger *ledger, const struct kmp_series_key *key,
				    uint32_t *flags)
{
	char text[64];
	int n = 0;

	*flags = KMP_NONE;
	if (key->node == KMP_NONE && key->zone == KMP_NONE)
		return NULL;
	if (key->node == KMP_NONE)
		n = snprintf(text, sizeof(text), "0x0(zone=%u)", key->zone);
	else if (key->zone == KMP_NONE)
		n = snprintf(text, sizeof(text), "0x0(node=%u)", key->node);
	else
		n = snprintf(text, sizeof(text), "0x0(node=%u|zone=%u)", key->node, key->zone);
	return kmp_ledger_add_text(ledger, KMP_DICT_FLAGS, text, (size_t)n, flags);
}

/* Which parts a record of this kind would be printed with. */
static uint32_t form_of(const struct kmp_ledger *ledger, const struct kmp_page *page)
{
	uint32_t form = 0;

	if (page->gfp != KMP_NONE)
		form |= KMP_FORM_MASK;
	if (page->task != KMP_NONE)
		form |= KMP_FORM_COMM |
			(kmp_ledger_task(ledger, page->task)->pid >= 0 ? KMP_FORM_PID : 0u);
	if (page->stack == KMP_NONE)
		return form;
	const struct kmp_stack *stack = kmp_ledger_stack(ledger, page->stack);

	return form | (stack->has_handle ? KMP_FORM_HANDLE : 0u) |
	       (stack->trace != KMP_NONE ? KMP_FORM_TRACE : 0u);
}

struct kmp_error *kmp_history_page(struct kmp_history *h, uint32_t number,
				   struct kmp_ledger *ledger, struct kmp_page *page)
{
	const struct kmp_series_key *key = &h->series.keys.data[number];

	begin_ledger(h, ledger);
	*page = kmp_page_blank;
	page->order = key->order < 64 ? (uint8_t)key->order : 0;
	try(find(h, LIST_STACK, key->stack, &page->stack));
	try(find(h, LIST_TASK, key->task, &page->task));
	try(find(h, KMP_DICT_GFP, key->gfp, &page->gfp));
	try(find(h, KMP_DICT_TYPE, key->type, &page->type));
	try(find_place(ledger, key, &page->flags));
	page->form = form_of(ledger, page);
	return NULL;
}

static struct kmp_error *keep_text(struct kmp_history *h, const char *text, const char **kept)
{
	uint32_t id;

	try(kmp_pool_intern(&h->tag_texts, text, strlen(text), &id));
	*kept = h->tag_texts.strings.data[id].text;
	return NULL;
}

static struct kmp_error *read_location(struct kmp_history *h, uint32_t number, struct kmp_tag *to)
{
	struct kmp_tag tag;

	try(kmp_loader_location(&h->loader, h->series.keys.data[number].location, &tag));
	to->line = tag.line;
	try(keep_text(h, tag.module, &to->module));
	try(keep_text(h, tag.function, &to->function));
	try(keep_text(h, tag.extra, &to->extra));
	/* The last one: it says that all are there. */
	return keep_text(h, tag.file, &to->file);
}

struct kmp_error *kmp_history_tag(struct kmp_history *h, uint32_t number, struct kmp_ledger *ledger,
				  struct kmp_tag *tag)
{
	begin_ledger(h, ledger);
	while (h->tags.len < h->series.keys.len)
		try(vec_push(&h->tags, (struct kmp_tag){ .accurate = true }));
	/* Each sample has them all. */
	if (!h->tags.data[number].file)
		try(read_location(h, number, &h->tags.data[number]));
	*tag = h->tags.data[number];
	return NULL;
}

/* ---- A sample ---- */

static struct kmp_error *read_figures(struct kmp_history *h, uint32_t what,
				      struct kmp_ledger *ledger, const struct kmp_sink *sink)
{
	struct kmp_page batch[BATCH];
	size_t batched = 0;

	for (uint32_t i = 0; i < h->figures.len; i++) {
		uint64_t value = h->figures.values[i], count = h->figures.counts[i];
		bool is_tag = h->series.keys.data[i].location != KMP_NONE;

		/* Tags at 0 are listed, as the kernel does; page owners of nothing are none. */
		if (is_tag && (what & KMP_READ_TAGS)) {
			struct kmp_tag tag;

			try(kmp_history_tag(h, i, ledger, &tag));
			tag.bytes = (int64_t)value;
			tag.calls = (int64_t)count;
			try(kmp_ledger_add_tag(ledger, &tag));
		}
		if (is_tag || !(what & KMP_READ_PAGES) || (!value && !count))
			continue;
		try(kmp_history_page(h, i, ledger, &batch[batched]));
		batch[batched].pages = value;
		batch[batched].records = count;
		if (++batched == BATCH) {
			try(sink->pages(sink->arg, ledger, batch, batched));
			batched = 0;
		}
	}
	return batched ? sink->pages(sink->arg, ledger, batch, batched) : NULL;
}

static struct kmp_error *read_sample(struct kmp_history *h, size_t index, uint32_t what,
				     struct kmp_ledger *ledger, const struct kmp_sink *sink)
{

	try(kmp_history_facts(h, index, ledger));
	try(kmp_history_decode(h, index));
	return read_figures(h, what, ledger, sink ? sink : &kmp_keep_pages);
}

struct kmp_error *kmp_history_read(struct kmp_history *h, size_t index, uint32_t what,
				   struct kmp_ledger *ledger, const struct kmp_sink *sink)
{
	if (index >= h->samples.len)
		return kmp_error_new(KMP_ERROR_USAGE, "%s: there is no sample %zu", h->path,
				     index + 1);
	struct kmp_error *err = read_sample(h, index, what, ledger, sink);

	kmp_loader_pause(&h->loader);
	return kmp_error_at(err, h->path);
}
