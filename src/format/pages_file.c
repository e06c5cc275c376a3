// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's page_owner file over pages in memory: what a descriptor is told and what it reads.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "base/put.h"
#include "format/page_text.h"
#include "ledger/page_filter.h"

enum { POSSIBLE_NODES = 64 };

struct kmp_pages {
	struct kmp_page_table table;
	struct kmp_page_text text;
	struct kmp_node_limits limits;
	bool finished;
};

struct kmp_pages_file {
	const struct kmp_pages *pages;
	struct kmp_page_filter filter;
};

struct kmp_error *kmp_pages_create(struct kmp_ledger *ledger, struct kmp_pages **out)
{
	struct kmp_pages *pages = calloc(1, sizeof(*pages));

	if (!pages)
		return &kmp_error_no_memory;
	kmp_page_table_init(&pages->table, ledger);
	*out = pages;
	return NULL;
}

struct kmp_sink kmp_pages_sink(struct kmp_pages *pages)
{
	return kmp_page_table_sink(&pages->table);
}

/* A node that the source does not tell is node 0, as on a machine without NUMA. */
static unsigned node_of(const struct kmp_run *run)
{
	return run->node < 0 || run->node >= KMP_NODES_MAX ? 0 : (unsigned)run->node;
}

static void find_nodes(struct kmp_pages *pages)
{
	struct kmp_node_limits *limits = &pages->limits;

	limits->possible = POSSIBLE_NODES;
	for (size_t i = 0; i < pages->table.runs.len; i++) {
		unsigned node = node_of(&pages->table.runs.data[i]);

		limits->memory.bits[node / 64] |= 1ull << (node % 64);
		while (node >= limits->possible)
			limits->possible *= 2;
	}
}

struct kmp_error *kmp_pages_finish(struct kmp_pages *pages)
{
	try(kmp_page_table_finish(&pages->table));
	try(kmp_ledger_own_handles(pages->table.ledger));
	pages->finished = true;
	try(kmp_page_text_init(&pages->text, &pages->table));
	find_nodes(pages);
	return NULL;
}

void kmp_pages_destroy(struct kmp_pages *pages)
{
	if (!pages)
		return;
	kmp_page_text_deinit(&pages->text);
	kmp_page_table_deinit(&pages->table);
	free(pages);
}

size_t kmp_pages_count(const struct kmp_pages *pages)
{
	return pages->table.rows.len;
}

uint64_t kmp_pages_left_out(const struct kmp_pages *pages)
{
	return pages->table.left_out;
}

struct kmp_error *kmp_pages_open(const struct kmp_pages *pages, struct kmp_pages_file **out)
{
	struct kmp_pages_file *file = calloc(1, sizeof(*file));

	if (!file)
		return &kmp_error_no_memory;
	file->pages = pages;
	file->filter.mode = KMP_MODE_STACK;
	*out = file;
	return NULL;
}

void kmp_pages_close(struct kmp_pages_file *file)
{
	free(file);
}

int64_t kmp_pages_write(struct kmp_pages_file *file, const char *text, size_t len)
{
	int err = kmp_page_filter_apply(&file->filter, &file->pages->limits, text, len);

	return err ? -err : (int64_t)len;
}

/* The first row from this one on that the filter wants, and the end of those that follow. */
static size_t next_wanted(const struct kmp_pages_file *file, size_t row, size_t *end)
{
	const struct kmp_page_table *table = &file->pages->table;
	size_t run = row < table->rows.len ? kmp_page_table_run(table, row) : table->runs.len;

	for (; run < table->runs.len; run++) {
		const struct kmp_run *r = &table->runs.data[run];

		if (file->filter.has_nodes &&
		    !kmp_nodelist_has(&file->filter.nodes, (int32_t)node_of(r)))
			continue;
		*end = file->filter.has_nodes ? r->end : table->rows.len;
		return row > r->first ? row : r->first;
	}
	*end = table->rows.len;
	return table->rows.len;
}

int64_t kmp_pages_read(struct kmp_pages_file *file, uint64_t *pfn, char *buf, size_t size)
{
	const struct kmp_page_text *text = &file->pages->text;
	const struct kmp_page_table *table = &file->pages->table;
	enum kmp_mode mode = file->filter.mode;
	size_t end;
	size_t row = next_wanted(file, kmp_page_table_find(table, *pfn), &end);
	char *p = buf;

	for (; row < table->rows.len;
	     row = row + 1 < end ? row + 1 : next_wanted(file, end, &end)) {
		size_t bound = kmp_page_text_bound(text, row, mode);
		size_t left = size - (size_t)(p - buf);

		/* As in the kernel, a byte must be left over. */
		if (bound < left) {
			p = kmp_page_text_put(text, row, mode, p);
		} else {
			/* The bound is generous: it may fit all the same. */
			auto_free char *record = malloc(bound);

			if (!record)
				return -ENOMEM;
			size_t len = (size_t)(kmp_page_text_put(text, row, mode, record) - record);

			if (len >= left)
				return p == buf ? -ENOMEM : p - buf;
			p = put_bytes(p, record, len);
		}
		*pfn = table->rows.data[row].pfn + 1;
	}
	return p - buf;
}
