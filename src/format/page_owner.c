// SPDX-License-Identifier: GPL-2.0-only
#include "format/page_owner.h"

#include "base/scan.h"
#include "format/po_line.h"
#include "format/po_parser.h"

static const char record_start[] = "Page allocated via order";

enum { START_LEN = sizeof(record_start) - 1 };

/* The start of the line that holds `at`. */
static const char *line_start(const char *text, const char *at)
{
	const char *nl = memrchr(text, '\n', (size_t)(at - text));

	return nl ? nl + 1 : text;
}

/* The line at start is what the parsers take for a record's first. */
static bool starts_record(const char *start, const char *end)
{
	struct po_line_buffer clean = { 0 };
	struct po_line line;
	struct kmp_error *err = kmp_po_line(start, end, &clean, &line);
	bool is = !err && po_is_header(&line);

	kmp_error_destroy(err);
	vec_deinit(&clean);
	return is;
}

/* Sorted output has a line above the record: its start, or the record's own. */
static const char *with_times(const char *text, const char *start)
{
	struct po_line_buffer clean = { 0 };
	struct po_line line;
	uint64_t times;
	uint64_t pages;
	uint32_t labels;

	if (start == text)
		return start;
	const char *above = line_start(text, start - 1);
	struct kmp_error *err = kmp_po_line(above, start, &clean, &line);
	bool sorted = !err && po_is_sorted(&line, &times, &pages, &labels);

	kmp_error_destroy(err);
	vec_deinit(&clean);
	return sorted ? above : start;
}

size_t kmp_po_split(const char *text, size_t len)
{
	const char *p = text + len;

	while ((p = memrchr(text, 'P', (size_t)(p - text))) != NULL) {
		if ((size_t)(text + len - p) < START_LEN || memcmp(p, record_start, START_LEN) != 0)
			continue;
		const char *start = line_start(text, p);

		if (!starts_record(start, text + len))
			continue;
		start = with_times(text, start);
		if (start > text)
			return (size_t)(start - text);
	}
	return 0;
}

static bool has(const char *head, size_t len, const char *word)
{
	return memmem(head, len, word, strlen(word)) != NULL;
}

enum kmp_po_likeness kmp_po_looks_like(const char *head, size_t len)
{
	const char *record = memmem(head, len, record_start, START_LEN);

	if (record) {
		if (with_times(head, line_start(head, record)) < line_start(head, record))
			return KMP_PO_SORTED;
		return KMP_PO_RECORDS;
	}
	return has(head, len, "page last allocated via order") ? KMP_PO_DUMP_PAGE : KMP_PO_NOT;
}

struct kmp_error *kmp_po_parse(struct kmp_po_parser *p, const char *text, size_t len, bool at_end,
			       struct kmp_po_result *result)
{
	const char *at = text;
	const char *end = text + len;

	result->pages.len = 0;
	result->skips.len = 0;
	result->lines = result->cut = result->stray = 0;
	result->foreign = result->extra = result->no_unit = 0;
	kmp_po_fast_begin(p);
	while (at < end) {
		bool done;

		try(vec_reserve(&result->pages, 1));
		try(kmp_po_fast(p, &at, end, &result->pages.data[result->pages.len], &result->lines,
				&done));
		if (done)
			result->pages.len++;
		else
			try(kmp_po_slow(p, &at, end, at_end, result));
	}
	return NULL;
}
