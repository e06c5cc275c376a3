// SPDX-License-Identifier: GPL-2.0-only
#include "cli/serve/series.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

void serve_series_deinit(struct serve_series *series)
{
	vec_deinit(&series->rows);
	vec_deinit(&series->texts);
	free(series->past);
}

void serve_series_begin(struct serve_series *series)
{
	series->rows.len = 0;
	series->texts.len = 0;
}

/* The length of the UTF-8 character that begins here, 0 if none does. */
static size_t character(const unsigned char *p, size_t left)
{
	size_t len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	uint32_t code;

	if (!len || len > left || p[0] > 0xf4)
		return 0;
	code = len == 1 ? p[0] : p[0] & (0x7fU >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if ((len == 3 && code < 0x800) || (len == 4 && (code < 0x10000 || code > 0x10ffff)) ||
	    (code >= 0xd800 && code < 0xe000) || code < 0x20 || code == 0x7f)
		return 0;
	return len;
}

/* As the formats want it; what cannot be a text, or would not be seen, is `\xff`. */
static struct kmp_error *put_text(struct serve_series *series, const char *text, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t size = character((const unsigned char *)text + i, len - i);
		char code[8];

		if (!size) {
			snprintf(code, sizeof(code), "\\\\x%02x", (unsigned char)text[i++]);
			try(grow_append(&series->texts, code, strlen(code)));
			continue;
		}
		if (text[i] == '\\' || text[i] == '"')
			try(grow_push(&series->texts, '\\'));
		try(grow_append(&series->texts, text + i, size));
		i += size;
	}
	return NULL;
}

struct kmp_error *serve_series_label(struct serve_series *series, const char *name,
				     const struct kmp_value *value)
{
	bool first = !series->texts.len || !series->texts.data[series->texts.len - 1];
	char number[24];

	try(grow_push(&series->texts, first ? '{' : ','));
	try(grow_append(&series->texts, name, strlen(name)));
	try(grow_append(&series->texts, "=\"", 2));
	if (value->kind == KMP_VALUE_TEXT)
		try(put_text(series, value->text, value->len));
	snprintf(number, sizeof(number), "%" PRId64, value->number);
	if (value->kind == KMP_VALUE_NUMBER)
		try(grow_append(&series->texts, number, strlen(number)));
	if (value->kind == KMP_VALUE_STACK) {
		snprintf(number, sizeof(number), "%016" PRIx64, kmp_fingerprint(value));
		try(grow_append(&series->texts, number, strlen(number)));
	}
	return grow_push(&series->texts, '"');
}

struct kmp_error *serve_series_row(struct serve_series *series, size_t label, int64_t bytes,
				   int64_t count)
{
	uint64_t id = UINT64_C(0xcbf29ce484222325);

	try(grow_append(&series->texts, "}", 2));
	for (const char *p = series->texts.data + label; *p; p++)
		id = (id ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
	return grow_push(&series->rows,
			 (struct serve_row){ id, label, bytes, count, .chosen = false });
}

static int by_id(const void *a, const void *b)
{
	const struct serve_row *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int by_bytes(const void *a, const void *b)
{
	const struct serve_row *x = *(struct serve_row *const *)a,
			       *y = *(struct serve_row *const *)b;

	return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes) : by_id(x, y);
}

static int by_growth(const void *a, const void *b)
{
	const struct serve_row *x = *(struct serve_row *const *)a,
			       *y = *(struct serve_row *const *)b;

	return x->growth != y->growth ? (x->growth < y->growth) - (x->growth > y->growth)
				      : by_id(x, y);
}

/* What has the same labels is one, as two stacks that differ in offsets alone. */
static void join(struct serve_series *series)
{
	struct serve_row *rows = series->rows.data;
	size_t len = 0;

	if (!series->rows.len)
		return;
	qsort(rows, series->rows.len, sizeof(*rows), by_id);
	for (size_t i = 0; i < series->rows.len; i++) {
		if (len && rows[len - 1].id == rows[i].id) {
			rows[len - 1].bytes += rows[i].bytes;
			rows[len - 1].count += rows[i].count;
		} else {
			rows[len++] = rows[i];
		}
	}
	series->rows.len = len;
}

/* The pasts of these rows, side by side with them. */
static struct kmp_error *remember(struct serve_series *series, double weight)
{
	size_t count = series->rows.len, old = 0;
	struct serve_past *past = calloc(count + 1, sizeof(*past));

	if (!past)
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	for (size_t i = 0; i < count; i++) {
		struct serve_row *row = &series->rows.data[i];

		past[i] = (struct serve_past){ row->id, (double)row->bytes, false };
		while (old < series->past_count && series->past[old].id < row->id)
			old++;
		if (old < series->past_count && series->past[old].id == row->id) {
			past[i] = series->past[old];
			row->growth = (double)row->bytes - past[i].lately;
			past[i].lately += weight * row->growth;
		} else if (series->past_count) {
			row->growth = (double)row->bytes;
			past[i].lately = weight * row->growth;
		}
	}
	free(series->past);
	series->past = past;
	series->past_count = count;
	return NULL;
}

/* The first of these; and those that were chosen before and are among twice as many. */
static void take_first(const struct serve_series *series, struct serve_row **ranked, size_t count,
		       size_t top)
{
	for (size_t i = 0; i < count && i / 2 < top; i++) {
		size_t number = (size_t)(ranked[i] - series->rows.data);

		if (i < top || series->past[number].chosen)
			ranked[i]->chosen = true;
	}
}

struct kmp_error *serve_series_choose(struct serve_series *series, size_t top, double weight)
{
	join(series);
	size_t count = series->rows.len;
	struct serve_row **ranked auto_free = calloc(count + 1, sizeof(struct serve_row *));

	if (!ranked)
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	try(remember(series, weight));
	for (size_t i = 0; i < count; i++)
		ranked[i] = &series->rows.data[i];
	qsort(ranked, count, sizeof(struct serve_row *), by_bytes);
	take_first(series, ranked, count, top);
	size_t grown = 0;

	for (size_t i = 0; i < count; i++) {
		if (series->rows.data[i].growth > 0)
			ranked[grown++] = &series->rows.data[i];
	}
	qsort(ranked, grown, sizeof(struct serve_row *), by_growth);
	take_first(series, ranked, grown, top / 4);
	for (size_t i = 0; i < count; i++)
		series->past[i].chosen = series->rows.data[i].chosen;
	return NULL;
}
