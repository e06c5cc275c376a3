// SPDX-License-Identifier: GPL-2.0-only
#include "format/allocinfo.h"

#include "base/cleanup.h"
#include "format/oom_log.h"
#include "format/tag_joiner.h"

enum { VERSION_KNOWN = 2, SORTED_ROWS_MIN = 5, LOOK_LINES = 64 };

struct reader {
	struct kmp_tag_joiner joiner; /* first: its functions find us by it */
	struct kmp_ledger *ledger;
	struct kmp_tag_buffer buffer;
	uint64_t tags;
	uint64_t nodes;	   /* per-node rows */
	uint64_t readings; /* version lines */
	int64_t last;	   /* the last tag's size */
	int64_t least;	   /* the smallest size */
	bool rises;	   /* some size was larger than the one before */
	bool falls;
	bool header;
	bool logged; /* rows carry a kernel log's prefix */
	bool all_zero;
};

static void reader_deinit(struct reader *r)
{
	kmp_tag_joiner_deinit(&r->joiner);
	vec_deinit(&r->buffer.bytes);
}

static struct kmp_error *take_tag(struct reader *r, const struct kmp_tag_row *row)
{
	struct kmp_tag tag;

	try(kmp_tag_row_get(row, &r->buffer, &tag));
	try(kmp_ledger_add_tag(r->ledger, &tag));
	if (r->tags++) {
		r->rises |= tag.bytes > r->last;
		r->falls |= tag.bytes < r->last;
	}
	if (r->tags == 1 || tag.bytes < r->least)
		r->least = tag.bytes;
	r->last = tag.bytes;
	r->logged |= row->logged;
	r->all_zero &= !tag.bytes && !tag.calls;
	return NULL;
}

static struct kmp_error *take_header(struct reader *r, const struct kmp_tag_row *row)
{
	r->header = true;
	r->readings += row->version != 0;
	if (row->version <= VERSION_KNOWN)
		return NULL;
	return kmp_ledger_warn(r->ledger,
			       "version %u of allocinfo is newer than what is known here (%d)",
			       row->version, VERSION_KNOWN);
}

static struct kmp_error *take_row(struct kmp_tag_joiner *joiner, const struct kmp_tag_row *row,
				  uint64_t line)
{
	struct reader *r = (struct reader *)joiner;

	switch (row->kind) {
	case KMP_ROW_TAG:
		return take_tag(r, row);
	case KMP_ROW_HEADER:
		return take_header(r, row);
	case KMP_ROW_NODE:
		r->nodes++;
		return NULL;
	case KMP_ROW_BLANK:
		return NULL;
	case KMP_ROW_OPEN:
	case KMP_ROW_BAD:
	case KMP_ROW_OTHER:
		break;
	}
	return kmp_ledger_add_skipped(r->ledger, line, row->reason);
}

static bool wanted(struct kmp_tag_joiner *joiner, const struct kmp_tag_row *row)
{
	return true;
}

static bool is_top(const struct reader *r)
{
	if (!r->tags)
		return false;
	if (r->logged)
		return true;
	return !(r->rises && r->falls) && r->least > 0 &&
	       (!r->header || r->tags >= SORTED_ROWS_MIN);
}

static struct kmp_error *conclude(struct reader *r)
{
	struct kmp_facts facts = *kmp_ledger_facts(r->ledger);

	facts.kind = "allocinfo";
	facts.top_only |= is_top(r);
	try(kmp_ledger_set_facts(r->ledger, &facts));
	if (r->nodes)
		try(kmp_ledger_warn(r->ledger,
				    "%llu rows of single NUMA nodes were left out: "
				    "they are parts of their tags' own figures",
				    (unsigned long long)r->nodes));
	if (r->readings > 1)
		try(kmp_ledger_warn(r->ledger,
				    "the header is there %llu times: the figures of several "
				    "readings were added up",
				    (unsigned long long)r->readings));
	if (!r->tags)
		return kmp_ledger_warn(r->ledger, "there is no tag in it");
	if (r->all_zero)
		return kmp_ledger_warn(r->ledger,
				       "all counters are 0: allocation profiling "
				       "was probably off");
	return NULL;
}

struct kmp_error *kmp_allocinfo_read(struct kmp_lines *lines, struct kmp_ledger *ledger)
{
	cleanup(reader_deinit) struct reader r = { .joiner = { .row = take_row, .wanted = wanted },
						   .ledger = ledger,
						   .all_zero = true };
	const char *text;
	size_t len;

	for (;;) {
		try(kmp_lines_next(lines, &text, &len));
		if (!text)
			break;
		try(kmp_tag_joiner_feed(&r.joiner, text, len, kmp_lines_number(lines)));
	}
	try(kmp_tag_joiner_finish(&r.joiner));
	return conclude(&r);
}

bool kmp_allocinfo_looks_like(const char *head, size_t len)
{
	size_t rows = 0, others = 0;
	const char *end = head + len;

	for (const char *at = head; at < end && rows + others < LOOK_LINES;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		struct kmp_tag_row row;
		bool off;

		if (kmp_oom_log_is_title(at, (size_t)(stop - at), &off))
			return false;
		kmp_tag_row_parse(at, (size_t)(stop - at), &row);
		at = stop + 1;
		if (row.kind == KMP_ROW_HEADER && row.version)
			return true;
		if (row.kind == KMP_ROW_TAG || (row.kind == KMP_ROW_OPEN && row.file.len))
			rows++;
		else if (newline && row.kind != KMP_ROW_BLANK && row.kind != KMP_ROW_NODE)
			others++;
	}
	return rows && rows >= others;
}
