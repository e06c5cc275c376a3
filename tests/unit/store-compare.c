// SPDX-License-Identifier: GPL-2.0-only
/* Two ledgers say the same if all that their pages say, spelled out, is the same text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <inttypes.h>

#include "base/cleanup.h"
#include "store-fill.h"

static void put_bytes(FILE *f, const char *text, size_t len)
{
	fprintf(f, " %zu:", len);
	fwrite(text ? text : "", 1, text ? len : 0, f);
}

static void put_text(FILE *f, const struct kmp_ledger *l, enum kmp_dict dict, uint32_t number)
{
	size_t len = 0;
	const char *text = kmp_ledger_text(l, dict, number, &len);

	if (text)
		put_bytes(f, text, len);
	else
		fputs(" -", f);
}

static void put_stack(FILE *f, const struct kmp_ledger *l, uint32_t number)
{
	const struct kmp_stack *s = kmp_ledger_stack(l, number);

	if (!s) {
		fputs(" no stack", f);
		return;
	}
	fprintf(f, " handle %d %u trace %d", s->has_handle, s->has_handle ? s->handle : 0,
		s->trace != KMP_NONE);
	struct kmp_trace trace = kmp_ledger_trace(l, s->trace);

	for (uint32_t i = 0; i < trace.depth; i++) {
		put_text(f, l, KMP_DICT_FRAME, trace.frames[i]);
		fprintf(f, " @%" PRIx64, kmp_ledger_frame_address(l, trace.frames[i]));
	}
}

static void put_task(FILE *f, const struct kmp_ledger *l, uint32_t number)
{
	const struct kmp_task *t = kmp_ledger_task(l, number);

	if (!t)
		return;
	fprintf(f, " pid %" PRId64 " tgid %" PRId64, t->pid, t->tgid);
	put_text(f, l, KMP_DICT_COMM, t->comm);
}

static void put_charge(FILE *f, const struct kmp_ledger *l, uint32_t number)
{
	const struct kmp_charge *c = kmp_ledger_charge(l, number);

	if (!c)
		return;
	fprintf(f, " charge %d%d%d", c->objcg, c->offline, c->old_spelling);
	put_text(f, l, KMP_DICT_MEMCG, c->memcg);
}

static void put_page(FILE *f, const struct kmp_ledger *l, const struct kmp_page *p,
		     uint32_t columns)
{
	const struct {
		uint32_t column;
		uint64_t value;
	} numbers[] = {
		{ KMP_COLUMN_PFN, p->pfn },	{ KMP_COLUMN_BLOCK, p->block },
		{ KMP_COLUMN_TS, p->ts },	{ KMP_COLUMN_FREE_TS, p->free_ts },
		{ KMP_COLUMN_ORDER, p->order }, { KMP_COLUMN_FORM, p->form },
	};
	const struct {
		uint32_t column;
		enum kmp_dict dict;
		uint32_t number;
	} texts[] = {
		{ KMP_COLUMN_GFP, KMP_DICT_GFP, p->gfp },
		{ KMP_COLUMN_FLAGS, KMP_DICT_FLAGS, p->flags },
		{ KMP_COLUMN_TYPE, KMP_DICT_TYPE, p->type },
		{ KMP_COLUMN_BLOCK_TYPE, KMP_DICT_TYPE, p->block_type },
		{ KMP_COLUMN_REASON, KMP_DICT_REASON, p->reason },
		{ KMP_COLUMN_EXTRA, KMP_DICT_EXTRA, p->extra },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (columns & numbers[i].column)
			fprintf(f, " %" PRIx64, numbers[i].value);
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (columns & texts[i].column)
			put_text(f, l, texts[i].dict, texts[i].number);
	}
	if (columns & KMP_COLUMN_STACK)
		put_stack(f, l, p->stack);
	if (columns & KMP_COLUMN_TASK)
		put_task(f, l, p->task);
	if (columns & KMP_COLUMN_CHARGE)
		put_charge(f, l, p->charge);
}

struct spelled {
	char *text;
	size_t len;
	uint64_t records;
	uint64_t pages;
};

static void spell(const struct filled *f, size_t i, uint32_t columns, struct spelled *out)
{
	FILE *file = open_memstream(&out->text, &out->len);

	assert_non_null(file);
	put_page(file, f->ledger, &f->pages[i], columns);
	assert_int_equal(fclose(file), 0);
	out->records = f->pages[i].records;
	out->pages = f->pages[i].pages;
}

static void assert_same_facts(const struct kmp_ledger *a, const struct kmp_ledger *b)
{
	const struct kmp_facts *x = kmp_ledger_facts(a), *y = kmp_ledger_facts(b);
	const struct kmp_losses *k = kmp_ledger_losses(a), *l = kmp_ledger_losses(b);

	assert_string_equal(x->name, y->name);
	assert_string_equal(x->kind, y->kind);
	assert_string_equal(x->mode, y->mode);
	assert_string_equal(x->kernel, y->kernel);
	assert_true(x->time == y->time && x->page_size == y->page_size && x->nodes == y->nodes);
	assert_true(x->profiling_off == y->profiling_off && x->top_only == y->top_only);
	assert_true(k->skipped == l->skipped && k->dropped == l->dropped && k->cut == l->cut);
	assert_int_equal(k->first_line, l->first_line);
	assert_string_equal(k->first_reason, l->first_reason);
	assert_int_equal(a->warnings.len, b->warnings.len);
	for (size_t i = 0; i < a->warnings.len; i++)
		assert_string_equal(kmp_ledger_warning(a, i), kmp_ledger_warning(b, i));
	assert_int_equal(a->zones.len, b->zones.len);
	for (size_t i = 0; i < a->zones.len; i++)
		assert_string_equal(
			kmp_ledger_zone_name(a, a->zones.data[i].node, a->zones.data[i].zone),
			kmp_ledger_zone_name(b, a->zones.data[i].node, a->zones.data[i].zone));
}

static void assert_same_tags(const struct kmp_ledger *a, const struct kmp_ledger *b)
{
	assert_int_equal(a->tags.len, b->tags.len);
	for (size_t i = 0; i < a->tags.len; i++) {
		const struct kmp_tag *x = &a->tags.data[i], *y = &b->tags.data[i];

		assert_string_equal(x->file, y->file);
		assert_string_equal(x->function, y->function);
		assert_string_equal(x->module, y->module);
		assert_string_equal(x->extra, y->extra);
		assert_true(x->line == y->line && x->bytes == y->bytes && x->calls == y->calls);
		assert_true(x->accurate == y->accurate && x->approximate == y->approximate);
	}
}

/* Stacks come in the same order, for views go by it, with or without page owners. */
static void assert_same_stacks(const struct kmp_ledger *a, const struct kmp_ledger *b)
{
	assert_int_equal(a->stacks.len, b->stacks.len);
	for (uint32_t i = 0; i < a->stacks.len; i++) {
		struct spelled x, y;
		FILE *f = open_memstream(&x.text, &x.len);
		FILE *g = open_memstream(&y.text, &y.len);

		assert_true(f && g);
		put_stack(f, a, i);
		put_stack(g, b, i);
		assert_int_equal(fclose(f) | fclose(g), 0);
		assert_true(x.len == y.len && !memcmp(x.text, y.text, x.len));
		free(x.text);
		free(y.text);
	}
}

void assert_same_pages(const struct filled *a, const struct filled *b)
{
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		struct spelled x, y;

		spell(a, i, KMP_COLUMN_ALL, &x);
		spell(b, i, KMP_COLUMN_ALL, &y);
		if (x.len != y.len || memcmp(x.text, y.text, x.len) != 0 ||
		    x.records != y.records || x.pages != y.pages)
			fail_msg("page owner %zu: %s became %s", i, x.text, y.text);
		free(x.text);
		free(y.text);
	}
}

void assert_same(const struct filled *a, const struct filled *b)
{
	assert_same_pages(a, b);
	assert_same_facts(a->ledger, b->ledger);
	assert_same_tags(a->ledger, b->ledger);
	assert_same_stacks(a->ledger, b->ledger);
}

static int compare_spelled(const void *a, const void *b)
{
	const struct spelled *x = a, *y = b;
	size_t len = x->len < y->len ? x->len : y->len;
	int order = memcmp(x->text, y->text, len);

	return order ? order : x->len < y->len ? -1 : x->len > y->len;
}

/* Spelled, sorted, and those that are the same added up. */
static struct spelled *sums_by(const struct filled *f, uint32_t columns, size_t *count)
{
	struct spelled *all = calloc(f->count + 1, sizeof(*all));
	size_t n = 0;

	assert_non_null(all);
	for (size_t i = 0; i < f->count; i++)
		spell(f, i, columns, &all[i]);
	qsort(all, f->count, sizeof(*all), compare_spelled);
	for (size_t i = 0; i < f->count; i++) {
		if (n && !compare_spelled(&all[n - 1], &all[i])) {
			all[n - 1].records += all[i].records;
			all[n - 1].pages += all[i].pages;
			free(all[i].text);
		} else {
			all[n++] = all[i];
		}
	}
	*count = n;
	return all;
}

void assert_same_sums(const struct filled *a, const struct filled *b, uint32_t columns)
{
	size_t x_count, y_count;
	struct spelled *x = sums_by(a, columns, &x_count);
	struct spelled *y = sums_by(b, columns, &y_count);

	assert_int_equal(x_count, y_count);
	for (size_t i = 0; i < x_count; i++) {
		if (compare_spelled(&x[i], &y[i]) || x[i].records != y[i].records ||
		    x[i].pages != y[i].pages)
			fail_msg("%s: %" PRIu64 " pages became %s: %" PRIu64, x[i].text, x[i].pages,
				 y[i].text, y[i].pages);
		free(x[i].text);
		free(y[i].text);
	}
	free(x);
	free(y);
}
