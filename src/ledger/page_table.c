// SPDX-License-Identifier: GPL-2.0-only
#include "ledger/page_table.h"

#include <xxhash.h>

#include "base/cleanup.h"

void kmp_page_table_init(struct kmp_page_table *table, struct kmp_ledger *ledger)
{
	*table = (struct kmp_page_table){
		.ledger = ledger,
		.last_common = KMP_NONE,
		.sorted = true,
	};
}

void kmp_page_table_deinit(struct kmp_page_table *table)
{
	vec_deinit(&table->rows);
	vec_deinit(&table->commons);
	kmp_index_deinit(&table->common_index);
	vec_deinit(&table->free_ts);
	vec_deinit(&table->runs);
}

/* The page without what its row holds: equal bytes for equal pages, padding included. */
static void strip(const struct kmp_page *page, struct kmp_page *common)
{
	memset(common, 0, sizeof(*common));
	common->records = page->records;
	common->pages = page->pages;
	common->gfp = page->gfp;
	common->flags = page->flags;
	common->charge = page->charge;
	common->type = page->type;
	common->block_type = page->block_type;
	common->reason = page->reason;
	common->extra = page->extra;
	common->form = page->form;
	common->order = page->order;
}

static uint64_t common_hash_of(const void *arg, uint32_t number)
{
	const struct kmp_page_table *table = arg;

	return XXH3_64bits(&table->commons.data[number], sizeof(struct kmp_page));
}

static struct kmp_error *add_common(struct kmp_page_table *table, const struct kmp_page *page,
				    uint32_t *number)
{
	struct kmp_page common;
	uint32_t id = table->last_common;

	strip(page, &common);
	if (id != KMP_NONE && !memcmp(&table->commons.data[id], &common, sizeof(common))) {
		*number = id;
		return NULL;
	}
	uint64_t hash = XXH3_64bits(&common, sizeof(common));
	struct kmp_index_cursor cur = index_start(&table->common_index, hash);

	while ((id = index_next(&table->common_index, &cur)) != KMP_NONE) {
		if (!memcmp(&table->commons.data[id], &common, sizeof(common)))
			break;
	}
	if (id == KMP_NONE) {
		id = (uint32_t)table->commons.len;
		try(vec_push(&table->commons, common));
		try(kmp_index_add(&table->common_index, hash, id, common_hash_of, table));
	}
	table->last_common = *number = id;
	return NULL;
}

static struct kmp_error *add_row(struct kmp_page_table *table, const struct kmp_page *page)
{
	struct kmp_row row = {
		.pfn = page->pfn,
		.ts = page->ts,
		.stack = page->stack,
		.task = page->task,
		.block = page->block < KMP_NONE ? (uint32_t)page->block : KMP_NONE,
	};

	if (page->pfn == KMP_UNKNOWN) {
		table->left_out++;
		return NULL;
	}
	try(add_common(table, page, &row.common));
	if (table->rows.len && table->rows.data[table->rows.len - 1].pfn > row.pfn)
		table->sorted = false;
	if (page->free_ts != KMP_UNKNOWN || table->free_ts.len) {
		while (table->free_ts.len < table->rows.len)
			try(vec_push(&table->free_ts, KMP_UNKNOWN));
		try(vec_push(&table->free_ts, page->free_ts));
	}
	return vec_push(&table->rows, row);
}

static struct kmp_error *add_rows(void *arg, struct kmp_ledger *ledger,
				  const struct kmp_page *pages, size_t count)
{
	(void)ledger;
	for (size_t i = 0; i < count; i++)
		try(add_row(arg, &pages[i]));
	return NULL;
}

struct kmp_sink kmp_page_table_sink(struct kmp_page_table *table)
{
	return (struct kmp_sink){ add_rows, table, KMP_COLUMN_ALL };
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct kmp_page_table *table = arg;
	size_t x = *(const size_t *)a;
	size_t y = *(const size_t *)b;
	uint64_t p = table->rows.data[x].pfn;
	uint64_t q = table->rows.data[y].pfn;

	if (p != q)
		return p < q ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Dumps that were put together from pieces: rare, so that memory is no matter. */
static struct kmp_error *sort_rows(struct kmp_page_table *table)
{
	size_t count = table->rows.len;
	auto_free size_t *order = malloc(count * sizeof(*order));
	auto_free struct kmp_row *rows = malloc(count * sizeof(*rows));
	auto_free uint64_t *free_ts = malloc(count * sizeof(*free_ts));

	if (!order || !rows || !free_ts)
		return &kmp_error_no_memory;
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare_rows, table);
	for (size_t i = 0; i < count; i++) {
		rows[i] = table->rows.data[order[i]];
		if (table->free_ts.len)
			free_ts[i] = table->free_ts.data[order[i]];
	}
	memcpy(table->rows.data, rows, count * sizeof(*rows));
	if (table->free_ts.len)
		memcpy(table->free_ts.data, free_ts, count * sizeof(*free_ts));
	table->sorted = true;
	return NULL;
}

static struct kmp_error *find_runs(struct kmp_page_table *table)
{
	struct kmp_run *run = NULL;

	for (size_t i = 0; i < table->rows.len; i++) {
		uint32_t common = table->rows.data[i].common;
		uint32_t flags = table->commons.data[common].flags;
		int32_t node = kmp_ledger_place(table->ledger, flags).node;

		if (!run || run->node != node) {
			try(vec_push(&table->runs, (struct kmp_run){ i, i, node }));
			run = &table->runs.data[table->runs.len - 1];
		}
		run->end = i + 1;
	}
	return NULL;
}

struct kmp_error *kmp_page_table_finish(struct kmp_page_table *table)
{
	if (!table->sorted)
		try(sort_rows(table));
	table->runs.len = 0;
	try(find_runs(table));
	/* Growing doubles: give back what was not needed. */
	struct kmp_row *rows = reallocarray(table->rows.data, table->rows.len + 1, sizeof(*rows));

	if (rows) {
		table->rows.data = rows;
		table->rows.cap = table->rows.len + 1;
	}
	return NULL;
}

size_t kmp_page_table_find(const struct kmp_page_table *table, uint64_t pfn)
{
	size_t low = 0;
	size_t high = table->rows.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (table->rows.data[mid].pfn < pfn)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

size_t kmp_page_table_run(const struct kmp_page_table *table, size_t row)
{
	size_t low = 0;
	size_t high = table->runs.len;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (table->runs.data[mid].first <= row)
			low = mid;
		else
			high = mid;
	}
	return low;
}
