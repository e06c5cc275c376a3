// SPDX-License-Identifier: GPL-2.0-only
#include "format/tag_row.h"

#include <ctype.h>

#include "format/amount.h"
#include "format/log_prefix.h"

struct words {
	const char *at;
	const char *end;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct kmp_span peek_word(struct words *words)
{
	const char *end;

	while (words->at < words->end && is_blank(*words->at))
		words->at++;
	for (end = words->at; end < words->end && !is_blank(*end); end++)
		;
	return (struct kmp_span){ words->at, (size_t)(end - words->at) };
}

static void drop_word(struct words *words, struct kmp_span word)
{
	words->at = word.text + word.len;
}

static struct kmp_span next_word(struct words *words)
{
	struct kmp_span word = peek_word(words);

	drop_word(words, word);
	return word;
}

static bool starts_with(struct kmp_span span, const char *prefix)
{
	size_t len = strlen(prefix);

	return span.len >= len && !memcmp(span.text, prefix, len);
}

static bool equals(struct kmp_span span, const char *text)
{
	return span.len == strlen(text) && !memcmp(span.text, text, span.len);
}

static bool all_digits(struct kmp_span span)
{
	for (size_t i = 0; i < span.len; i++) {
		if (!isdigit((unsigned char)span.text[i]))
			return false;
	}
	return span.len != 0;
}

/* Ends the parsing of a line with what it turned out to be. */
static void conclude(struct kmp_tag_row *row, enum kmp_row_kind kind, const char *reason)
{
	row->kind = kind;
	row->reason = reason;
}

/* A figure and, for sizes, a unit that stands apart; false: the row is concluded. */
static bool parse_figure(struct words *words, struct kmp_tag_row *row, bool is_size, int64_t *value)
{
	struct kmp_span word = next_word(words);
	struct kmp_amount amount;

	if (!word.len) {
		conclude(row, KMP_ROW_OPEN, "the row ends after its size");
		return false;
	}
	const char *reason = kmp_amount_parse(word.text, word.len, &amount);

	if (!reason && is_size && !amount.has_unit) {
		struct kmp_span unit = peek_word(words);

		if (kmp_amount_is_unit(unit.text, unit.len)) {
			drop_word(words, unit);
			reason = kmp_amount_scale(&amount, unit.text, unit.len);
		}
	}
	if (!reason)
		reason = kmp_amount_get(&amount, value);
	if (reason) {
		conclude(row, KMP_ROW_BAD, reason);
		return false;
	}
	row->inaccurate |= amount.asterisk;
	row->approximate |= amount.rounded;
	return true;
}

/* `FILE:LINE` */
static bool parse_place(struct kmp_span word, struct kmp_tag_row *row)
{
	const char *colon = memrchr(word.text, ':', word.len);

	if (!colon || colon == word.text)
		return false;
	struct kmp_span digits = { colon + 1, (size_t)(word.text + word.len - colon) - 1 };

	if (!all_digits(digits))
		return false;
	row->line = 0;
	for (size_t i = 0; i < digits.len; i++) {
		if (__builtin_mul_overflow(row->line, 10, &row->line) ||
		    __builtin_add_overflow(row->line, digits.text[i] - '0', &row->line))
			return false;
	}
	row->file = (struct kmp_span){ word.text, (size_t)(colon - word.text) };
	return true;
}

/* What follows the figures. */
static void parse_location(struct words *words, struct kmp_tag_row *row)
{
	struct kmp_span word = next_word(words);

	if (all_digits(word)) {
		row->column = word;
		word = next_word(words);
	}
	if (!word.len) {
		conclude(row, KMP_ROW_OPEN, "the row ends before its file");
		return;
	}
	if (!parse_place(word, row)) {
		conclude(row, KMP_ROW_BAD, "no FILE:LINE behind the size and the calls");
		return;
	}
	word = next_word(words);
	if (word.len > 2 && word.text[0] == '[' && word.text[word.len - 1] == ']') {
		row->module = (struct kmp_span){ word.text + 1, word.len - 2 };
		word = next_word(words);
	}
	if (!word.len) {
		conclude(row, KMP_ROW_OPEN, "the row ends before its function");
		return;
	}
	if (!starts_with(word, "func:") || word.len == 5) {
		conclude(row, KMP_ROW_BAD, "no func:NAME behind the file");
		return;
	}
	row->function = (struct kmp_span){ word.text + 5, word.len - 5 };
	peek_word(words);
	row->rest = (struct kmp_span){ words->at, (size_t)(words->end - words->at) };
	conclude(row, KMP_ROW_TAG, NULL);
}

static void parse_header(struct kmp_tag_row *row)
{
	static const char start[] = "allocinfo - version: ";

	conclude(row, KMP_ROW_HEADER, NULL);
	for (size_t i = sizeof(start) - 1; i < row->text.len && row->version < 1000; i++) {
		if (!isdigit((unsigned char)row->text.text[i]))
			break;
		row->version = row->version * 10 + (unsigned)(row->text.text[i] - '0');
	}
}

static bool is_node(struct kmp_span word)
{
	if (word.len > 4 && word.text[word.len - 1] == ':')
		word.len--;
	return starts_with(word, "nid") &&
	       all_digits((struct kmp_span){ word.text + 3, word.len - 3 });
}

/* No letter and no digit, but perhaps an ellipsis. */
static bool is_decoration(struct kmp_span span)
{
	for (size_t i = 0; i < span.len; i++) {
		if (span.len - i >= 3 && !memcmp(span.text + i, "\xe2\x80\xa6", 3))
			i += 2;
		else if (!ispunct((unsigned char)span.text[i]) && !is_blank(span.text[i]))
			return false;
	}
	return true;
}

/* What does not begin with a figure. */
static void parse_other(struct kmp_tag_row *row)
{
	struct words words = { row->text.text, row->text.text + row->text.len };
	struct kmp_span first = next_word(&words);

	if (starts_with(row->text, "allocinfo - version:")) {
		parse_header(row);
	} else if (starts_with(row->text, "#")) {
		bool titles = memmem(row->text.text, row->text.len, "<size>", 6) != NULL;

		conclude(row, titles ? KMP_ROW_HEADER : KMP_ROW_BLANK, NULL);
	} else if (is_node(first)) {
		if (parse_figure(&words, row, true, &row->bytes) &&
		    parse_figure(&words, row, false, &row->calls))
			conclude(row, KMP_ROW_NODE, NULL);
		else
			conclude(row, KMP_ROW_BAD, "a node's row without size and calls");
	} else if (is_decoration(row->text)) {
		conclude(row, KMP_ROW_BLANK, NULL);
	} else if (memmem(row->text.text, row->text.len, "func:", 5)) {
		conclude(row, KMP_ROW_BAD, "a row without size and calls");
	} else {
		conclude(row, KMP_ROW_OTHER, "not a row of allocinfo");
	}
}

void kmp_tag_row_parse(const char *text, size_t len, struct kmp_tag_row *row)
{
	*row = (struct kmp_tag_row){ 0 };
	size_t skip = kmp_log_prefix(text, len, &row->logged);

	while (len > skip && is_blank(text[len - 1]))
		len--;
	row->text = (struct kmp_span){ text + skip, len - skip };
	struct words words = { text + skip, text + len };

	if (!row->text.len) {
		conclude(row, KMP_ROW_BLANK, NULL);
	} else if (memchr(row->text.text, '\0', row->text.len)) {
		conclude(row, KMP_ROW_BAD, "the row holds a NUL byte");
	} else if (!kmp_amount_starts(row->text.text, row->text.len)) {
		parse_other(row);
	} else if (parse_figure(&words, row, true, &row->bytes) &&
		   parse_figure(&words, row, false, &row->calls)) {
		parse_location(&words, row);
	}
}

static struct kmp_error *put(struct kmp_tag_buffer *buffer, struct kmp_span span, bool end)
{
	try(vec_append(&buffer->bytes, span.text, span.len));
	return end ? vec_push(&buffer->bytes, '\0') : NULL;
}

/* All further words but `accurate:`, one blank between. */
static struct kmp_error *put_extra(const struct kmp_tag_row *row, struct kmp_tag_buffer *buffer,
				   bool *accurate)
{
	struct words words = { row->rest.text, row->rest.text + row->rest.len };
	size_t start = buffer->bytes.len;

	try(put(buffer, row->column, false));
	while (row->rest.len) {
		struct kmp_span word = next_word(&words);

		if (!word.len)
			break;
		if (equals(word, "accurate:no")) {
			*accurate = false;
		} else if (!equals(word, "accurate:yes")) {
			if (buffer->bytes.len > start)
				try(vec_push(&buffer->bytes, ' '));
			try(put(buffer, word, false));
		}
	}
	return vec_push(&buffer->bytes, '\0');
}

struct kmp_error *kmp_tag_row_get(const struct kmp_tag_row *row, struct kmp_tag_buffer *buffer,
				  struct kmp_tag *tag)
{
	bool accurate = !row->inaccurate;

	buffer->bytes.len = 0;
	try(put(buffer, row->file, true));
	try(put(buffer, row->function, true));
	try(put(buffer, row->module, true));
	try(put_extra(row, buffer, &accurate));

	const char *file = buffer->bytes.data;
	const char *function = file + row->file.len + 1;
	const char *module = function + row->function.len + 1;

	*tag = (struct kmp_tag){ .file = file,
				 .function = function,
				 .module = module,
				 .extra = module + row->module.len + 1,
				 .line = row->line,
				 .bytes = row->bytes,
				 .calls = row->calls,
				 .accurate = accurate,
				 .approximate = row->approximate };
	return NULL;
}
