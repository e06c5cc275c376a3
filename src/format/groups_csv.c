// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups as CSV (RFC 4180): a header line, exact figures, an empty field for what is not known
 * and `""` for an empty text; bytes pass as they are. A stack is its frames joined by `;`,
 * innermost first.
 */
#include <inttypes.h>
#include <string.h>

#include "format/views.h"

void kmp_csv_field(struct kmp_csv *csv)
{
	if (csv->has_field)
		putc(',', csv->out);
	csv->has_field = true;
}

void kmp_csv_end(struct kmp_csv *csv)
{
	fputs("\r\n", csv->out);
	csv->has_field = false;
}

static bool needs_quotes(const char *text, size_t len)
{
	if (!len || text[0] == ' ' || text[len - 1] == ' ')
		return true;
	for (size_t i = 0; i < len; i++) {
		if (text[i] == ',' || text[i] == '"' || text[i] == '\r' || text[i] == '\n')
			return true;
	}
	return false;
}

static void put_doubled(FILE *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"')
			putc('"', out);
		putc(text[i], out);
	}
}

void kmp_csv_text(struct kmp_csv *csv, const char *text, size_t len)
{
	kmp_csv_field(csv);
	if (!needs_quotes(text, len)) {
		fwrite(text, 1, len, csv->out);
		return;
	}
	putc('"', csv->out);
	put_doubled(csv->out, text, len);
	putc('"', csv->out);
}

static void put_number(struct kmp_csv *csv, int64_t value, bool unknown)
{
	kmp_csv_field(csv);
	if (!unknown)
		fprintf(csv->out, "%" PRId64, value);
}

static void put_time(struct kmp_csv *csv, uint64_t ts)
{
	kmp_csv_field(csv);
	if (ts != KMP_UNKNOWN)
		fprintf(csv->out, "%" PRIu64, ts);
}

static void put_stack(struct kmp_csv *csv, const struct kmp_value *value)
{
	bool quotes = false;

	kmp_csv_field(csv);
	if (!value->depth) {
		fprintf(csv->out, "handle %" PRId64, value->number);
		return;
	}
	for (size_t i = 0; i < value->depth; i++)
		quotes |= needs_quotes(value->frames[i], strlen(value->frames[i]));
	if (quotes)
		putc('"', csv->out);
	for (size_t i = 0; i < value->depth; i++) {
		if (i)
			putc(';', csv->out);
		put_doubled(csv->out, value->frames[i], strlen(value->frames[i]));
	}
	if (quotes)
		putc('"', csv->out);
}

static void put_value(struct kmp_csv *csv, const struct kmp_value *value)
{
	if (value->kind == KMP_VALUE_TEXT)
		kmp_csv_text(csv, value->text, value->len);
	else if (value->kind == KMP_VALUE_STACK)
		put_stack(csv, value);
	else
		put_number(csv, value->number, value->kind == KMP_VALUE_NONE);
}

void kmp_csv_key(struct kmp_csv *csv, const struct kmp_groups *groups,
		 const struct kmp_group *group)
{
	for (size_t k = 0; k < groups->key_count; k++)
		put_value(csv, &group->key[k]);
}

static void put_names(struct kmp_csv *csv, const char *const *names)
{
	for (; *names; names++)
		kmp_csv_text(csv, *names, strlen(*names));
}

static void header(struct kmp_csv *csv, const struct kmp_groups *groups)
{
	static const char *const pages[] = { "records",	 "pages",   "bytes",
					     "ts_first", "ts_last", NULL };
	static const char *const tags[] = { "bytes", "calls", "locations", "inaccurate", NULL };
	static const char *const pages_diff[] = { "records",	  "records_before", "pages",
						  "pages_before", "delta",	    "bytes",
						  "bytes_before", "unknown",	    NULL };
	static const char *const tags_diff[] = { "calls", "calls_before", "bytes", "bytes_before",
						 "delta", "unknown",	  NULL };
	static const char *const last[] = { "approximate", "note", NULL };
	static const char *const objects[] = { "bytes", "calls", NULL };
	bool of_tags = groups->unit != KMP_UNIT_PAGES;

	for (size_t i = 0; i < groups->key_count; i++)
		kmp_csv_text(csv, groups->keys[i], strlen(groups->keys[i]));
	if (groups->difference)
		put_names(csv, of_tags ? tags_diff : pages_diff);
	else if (groups->unit == KMP_UNIT_OBJECTS)
		put_names(csv, objects);
	else
		put_names(csv, of_tags ? tags : pages);
	put_names(csv, last);
	for (size_t i = 0; i < groups->extra_count; i++)
		kmp_csv_text(csv, groups->extras[i].name, strlen(groups->extras[i].name));
	kmp_csv_end(csv);
}

static void put_sums(struct kmp_csv *csv, const struct kmp_groups *groups,
		     const struct kmp_group *group)
{
	const struct kmp_sums *sums = &group->now;

	if (groups->unit != KMP_UNIT_PAGES) {
		put_number(csv, sums->bytes, false);
		put_number(csv, sums->records, false);
		if (groups->unit == KMP_UNIT_OBJECTS)
			return;
		put_number(csv, sums->members, !sums->members);
		put_number(csv, sums->inaccurate, !sums->members);
		return;
	}
	put_number(csv, sums->records, groups->records_unknown);
	put_number(csv, sums->pages, false);
	put_number(csv, sums->bytes, false);
	put_time(csv, group->ts_first);
	put_time(csv, group->ts_last);
}

static void put_change(struct kmp_csv *csv, const struct kmp_groups *groups,
		       const struct kmp_group *group)
{
	const struct kmp_sums *now = &group->now, *before = &group->before;
	bool no_now = group->unknown && kmp_sums_empty(now);
	bool no_before = group->unknown && kmp_sums_empty(before);
	bool no_records = groups->unit == KMP_UNIT_PAGES && groups->records_unknown;

	put_number(csv, now->records, no_now || no_records);
	put_number(csv, before->records, no_before || no_records);
	if (groups->unit == KMP_UNIT_PAGES) {
		put_number(csv, now->pages, no_now);
		put_number(csv, before->pages, no_before);
		put_number(csv, kmp_minus(now->pages, before->pages), group->unknown);
	}
	put_number(csv, now->bytes, no_now);
	put_number(csv, before->bytes, no_before);
	if (groups->unit != KMP_UNIT_PAGES)
		put_number(csv, kmp_minus(now->bytes, before->bytes), group->unknown);
	put_number(csv, group->unknown, false);
}

struct kmp_error *kmp_groups_csv(const struct kmp_groups *groups, FILE *out,
				 const struct kmp_view *view)
{
	size_t shown = view_shown(groups, view);
	struct kmp_csv csv = { .out = out };

	header(&csv, groups);
	for (size_t i = 0; i < shown; i++) {
		const struct kmp_group *group = &groups->groups[i];

		kmp_csv_key(&csv, groups, group);
		if (groups->difference)
			put_change(&csv, groups, group);
		else
			put_sums(&csv, groups, group);
		put_number(&csv, group->approximate, false);
		if (group->note)
			kmp_csv_text(&csv, group->note, strlen(group->note));
		else
			kmp_csv_field(&csv);
		for (size_t x = 0; x < groups->extra_count; x++)
			put_value(&csv, &group->extras[x]);
		kmp_csv_end(&csv);
	}
	return NULL;
}
