// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as allocinfo and as a kernel log: each line that is no decoration is a tag, a loss, or
 * part of one, and every grouping has the total of the rows.
 */
#include <assert.h>

#include "base/cleanup.h"
#include "format/allocinfo.h"
#include "format/oom_log.h"
#include "format/tag_row.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Sums that could reach the end of their range stay there, and then differ by order. */
static const int64_t large = INT64_C(1) << 40;

static bool sum_up(const struct kmp_ledger *ledger, struct kmp_sums *sums)
{
	*sums = (struct kmp_sums){ 0 };
	for (size_t i = 0; i < kmp_ledger_count(ledger, KMP_LIST_TAGS); i++) {
		const struct kmp_tag *tag = &kmp_ledger_tags(ledger)[i];

		assert(*tag->file && *tag->function);
		if (tag->bytes > large || tag->bytes < -large || tag->calls > large ||
		    tag->calls < -large)
			return false;
		sums->bytes += tag->bytes;
		sums->records += tag->calls;
	}
	return true;
}

static void check_groups(const struct kmp_ledger *ledger)
{
	static const char *const keys[] = { "tag", "module", "directory,line", "file", "function" };
	struct kmp_sums sums;
	bool exact = sum_up(ledger, &sums);

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		struct kmp_groups *groups;

		if (kmp_tags_group(ledger, keys[i], NULL, &groups))
			abort();
		assert(!exact || groups->total.bytes == sums.bytes);
		assert(!exact || groups->total.records == sums.records);
		kmp_groups_destroy(groups);
	}
}

/* Could a row that was wrapped reach over this line into the next? */
static bool can_be_part(enum kmp_row_kind kind)
{
	return kind == KMP_ROW_OPEN || kind == KMP_ROW_BAD || kind == KMP_ROW_OTHER;
}

/* How many lines are rows, or useless, each for itself. */
static uint64_t count_rows(struct kmp_lines *lines)
{
	struct kmp_tag_row row;
	bool alone = true;
	uint64_t rows = 0;
	const char *text;
	size_t len;

	for (;;) {
		struct kmp_error *err = kmp_lines_next(lines, &text, &len);

		kmp_error_destroy(err);
		if (err || !text)
			return rows;
		kmp_tag_row_parse(text, len, &row);
		rows += row.kind == KMP_ROW_TAG || (alone && can_be_part(row.kind));
		alone = !can_be_part(row.kind);
	}
}

static void read_as(struct kmp_error *(*read)(struct kmp_lines *, struct kmp_ledger *),
		    const char *text, size_t size, uint64_t rows)
{
	struct kmp_ledger *ledger;
	struct kmp_lines *lines;

	if (kmp_ledger_create(&ledger) || kmp_lines_create_memory(text, size, &lines))
		abort();
	struct kmp_error *err = read(lines, ledger);

	if (!err) {
		assert(kmp_ledger_count(ledger, KMP_LIST_TAGS) +
			       kmp_ledger_losses(ledger)->skipped >=
		       rows);
		check_groups(ledger);
	}
	kmp_error_destroy(err);
	kmp_lines_destroy(lines);
	kmp_ledger_destroy(ledger);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct kmp_lines *lines;

	kmp_allocinfo_looks_like(text, size);
	kmp_oom_log_looks_like(text, size);
	if (kmp_lines_create_memory(text, size, &lines))
		abort();
	uint64_t rows = count_rows(lines);

	kmp_lines_destroy(lines);
	read_as(kmp_allocinfo_read, text, size, rows);
	read_as(kmp_oom_log_read, text, size, 0);
	return 0;
}
