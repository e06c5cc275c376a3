// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's page_owner text, streamed. */
#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/nodelist.h"
#include "format/page_owner_write.h"

enum { FLUSH_AT = 256 * 1024 };

/* More copies of one record than this are no capture of any machine. */
static const uint64_t RECORDS_MAX = UINT32_MAX;

struct kmp_text {
	FILE *out;
	enum kmp_mode mode;
	bool has_nodes;
	struct kmp_nodelist nodes;
	struct kmp_filter *filter;
	struct kmp_page_printer printer;
	struct kmp_bytes bytes;
	uint64_t missing;
};

static struct kmp_error *parse_nodes(const char *nodes, struct kmp_nodelist *list)
{
	switch (kmp_nodelist_parse(nodes, strlen(nodes), KMP_NODES_MAX, list)) {
	case 0:
		return NULL;
	case ERANGE:
		return kmp_error_new(KMP_ERROR_USAGE, "node list '%s': there is no node above %d",
				     nodes, KMP_NODES_MAX - 1);
	case EOVERFLOW:
		return kmp_error_new(KMP_ERROR_USAGE, "node list '%s': a number is beyond 32 bits",
				     nodes);
	default:
		return kmp_error_new(KMP_ERROR_USAGE,
				     "node list '%s' is malformed; '0,2-3' would be one", nodes);
	}
}

struct kmp_error *kmp_text_create(FILE *out, enum kmp_mode mode, const char *nodes,
				  struct kmp_filter *filter, struct kmp_text **result)
{
	auto_free struct kmp_text *text = calloc(1, sizeof(*text));

	if (!text)
		return &kmp_error_no_memory;
	text->out = out;
	text->mode = mode;
	text->filter = filter;
	text->has_nodes = nodes != NULL;
	if (nodes)
		try(parse_nodes(nodes, &text->nodes));
	*result = no_free(text);
	return NULL;
}

static struct kmp_error *flush(struct kmp_text *text)
{
	size_t len = text->bytes.len;

	text->bytes.len = 0;
	if (len && fwrite(text->bytes.data, 1, len, text->out) != len)
		return kmp_error_system(errno, "output", "cannot write");
	return NULL;
}

static struct kmp_error *print(struct kmp_text *text, const struct kmp_ledger *ledger,
			       const struct kmp_page *page)
{
	if (!page->records)
		return kmp_error_new(KMP_ERROR_INPUT,
				     "the source counts pages by stack and has no "
				     "records to print");
	if (page->records > RECORDS_MAX)
		return kmp_error_new(KMP_ERROR_LIMIT,
				     "%" PRIu64 " equal records are too many to print one by one",
				     page->records);
	for (uint64_t i = 0; i < page->records; i++) {
		bool missing;

		try(kmp_page_printer_print(&text->printer, ledger, page, text->mode, &text->bytes,
					   &missing));
		text->missing += missing;
		if (text->bytes.len >= FLUSH_AT)
			try(flush(text));
	}
	return NULL;
}

static struct kmp_error *take_pages(void *arg, struct kmp_ledger *ledger,
				    const struct kmp_page *pages, size_t count)
{
	struct kmp_text *text = arg;

	for (size_t i = 0; i < count; i++) {
		if (text->has_nodes) {
			int32_t node = kmp_ledger_place(ledger, pages[i].flags).node;

			if (node < 0)
				try(kmp_ledger_add_skipped(ledger, 0, "its node is not told"));
			if (!kmp_nodelist_has(&text->nodes, node))
				continue;
		}
		if (text->filter && !kmp_filter_match(text->filter, ledger, &pages[i]))
			continue;
		try(print(text, ledger, &pages[i]));
	}
	return NULL;
}

struct kmp_sink kmp_text_sink(struct kmp_text *text)
{
	return (struct kmp_sink){ .pages = take_pages, .arg = text, .columns = KMP_COLUMN_ALL };
}

struct kmp_error *kmp_text_finish(struct kmp_text *text, uint64_t *missing)
{
	struct kmp_error *err = flush(text);

	if (!err && fflush(text->out))
		err = kmp_error_system(errno, "output", "cannot write");
	if (!err && missing)
		*missing = text->missing;
	kmp_page_printer_deinit(&text->printer);
	vec_deinit(&text->bytes);
	free(text);
	return err;
}
