// SPDX-License-Identifier: GPL-2.0-only
#include "ledger/filter_lex.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/cleanup.h"

/* Of a long expression, what is printed before and after the place in question. */
enum { CONTEXT = 60 };

/* One column a byte, but continuation bytes of UTF-8 take none. */
static void print_excerpt(FILE *out, const struct kmp_lexer *lex, size_t at)
{
	size_t from = at > CONTEXT ? at - CONTEXT : 0;
	size_t to = lex->len - at > CONTEXT ? at + CONTEXT : lex->len;
	size_t column = from ? 3 : 0;

	fprintf(out, "\n  %s", from ? "..." : "");
	for (size_t i = from; i < to; i++) {
		unsigned char c = (unsigned char)lex->text[i];

		fputc(c < ' ' || c == 0x7f ? '?' : c, out);
		column += i < at && (c & 0xc0) != 0x80;
	}
	fprintf(out, "%s\n  %*s^", to < lex->len ? "..." : "", (int)column, "");
}

struct kmp_error *kmp_lex_error(const struct kmp_lexer *lex, size_t at, const char *fmt, ...)
{
	auto_free char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	va_list args;

	if (!out)
		return &kmp_error_no_memory;
	va_start(args, fmt);
	vfprintf(out, fmt, args);
	va_end(args);
	print_excerpt(out, lex, at < lex->len ? at : lex->len);
	if (fclose(out))
		return &kmp_error_no_memory;
	return kmp_error_new(KMP_ERROR_USAGE, "%s", text);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

size_t kmp_lex_skip_blanks(struct kmp_lexer *lex)
{
	while (lex->at < lex->len && is_blank(lex->text[lex->at]))
		lex->at++;
	return lex->at;
}

static bool comes_next(const struct kmp_lexer *lex, const char *word)
{
	size_t len = strlen(word);

	return lex->len - lex->at >= len && !memcmp(lex->text + lex->at, word, len);
}

bool kmp_lex_take(struct kmp_lexer *lex, const char *word)
{
	if (!comes_next(lex, word))
		return false;
	lex->at += strlen(word);
	return true;
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

void kmp_lex_name(struct kmp_lexer *lex, struct kmp_token *token)
{
	token->at = kmp_lex_skip_blanks(lex);
	while (lex->at < lex->len && is_name(lex->text[lex->at]))
		lex->at++;
	token->len = lex->at - token->at;
}

struct kmp_error *kmp_lex_operator(struct kmp_lexer *lex, enum kmp_operator *op, size_t *at)
{
	/* Longer ones first. */
	static const struct {
		const char *text;
		enum kmp_operator op;
	} operators[] = {
		{ "==", KMP_OP_EQUAL },	   { "!=", KMP_OP_NOT_EQUAL },	 { "<=", KMP_OP_AT_MOST },
		{ ">=", KMP_OP_AT_LEAST }, { "!~", KMP_OP_NOT_MATCHES }, { "<", KMP_OP_BELOW },
		{ ">", KMP_OP_ABOVE },	   { "~", KMP_OP_MATCHES },	 { "in", KMP_OP_IN },
		{ "has", KMP_OP_HAS },
	};

	*at = kmp_lex_skip_blanks(lex);
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		if (!kmp_lex_take(lex, operators[i].text))
			continue;
		*op = operators[i].op;
		if (is_name(operators[i].text[0]) && lex->at < lex->len &&
		    is_name(lex->text[lex->at]))
			break;
		return NULL;
	}
	return kmp_lex_error(lex, *at, "an operator is expected: == != < <= > >= ~ !~ in has");
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

/* What stands behind a backslash; an escape that is not ours is kept, for regular expressions. */
static size_t unescape(const char *text, size_t len, char *out)
{
	if (len >= 3 && text[0] == 'x' && hex_value(text[1]) >= 0 && hex_value(text[2]) >= 0) {
		*out = (char)((unsigned)hex_value(text[1]) << 4 | (unsigned)hex_value(text[2]));
		return 3;
	}
	switch (text[0]) {
	case '"':
	case '\\':
		*out = text[0];
		return 1;
	case 'n':
		*out = '\n';
		return 1;
	case 't':
		*out = '\t';
		return 1;
	default:
		*out = '\\';
		return 0;
	}
}

static struct kmp_error *quoted_value(struct kmp_lexer *lex, struct kmp_value_token *value)
{
	const char *text = lex->text;

	for (lex->at++; lex->at < lex->len && text[lex->at] != '"';) {
		char c = text[lex->at++];

		if (c == '\\' && lex->at < lex->len)
			lex->at += unescape(text + lex->at, lex->len - lex->at, &c);
		value->text[value->len++] = c;
	}
	if (lex->at == lex->len)
		return kmp_lex_error(lex, value->at, "the quotation mark is not closed");
	lex->at++;
	return NULL;
}

/* Up to a blank, an operator or a parenthesis that was opened before the value. */
static void plain_value(struct kmp_lexer *lex, struct kmp_value_token *value)
{
	unsigned open = 0;

	for (; lex->at < lex->len && !is_blank(lex->text[lex->at]); lex->at++) {
		char c = lex->text[lex->at];

		if (comes_next(lex, "&&") || comes_next(lex, "||") || (c == ')' && !open))
			break;
		open += c == '(';
		open -= c == ')';
		value->text[value->len++] = c;
	}
}

struct kmp_error *kmp_lex_value(struct kmp_lexer *lex, struct kmp_value_token *value)
{
	struct kmp_error *err = NULL;

	*value = (struct kmp_value_token){ .at = kmp_lex_skip_blanks(lex) };
	value->text = malloc(lex->len - lex->at + 1);
	if (!value->text)
		return &kmp_error_no_memory;
	bool quoted = comes_next(lex, "\"");

	if (quoted)
		err = quoted_value(lex, value);
	else
		plain_value(lex, value);
	value->text[value->len] = '\0';
	if (!err && !quoted && !value->len)
		err = kmp_lex_error(lex, value->at, "a value is expected");
	if (err) {
		free(value->text);
		value->text = NULL;
		return err;
	}
	/* A thousand short values must not each hold room for the whole expression. */
	char *fitted = realloc(value->text, value->len + 1);

	if (fitted)
		value->text = fitted;
	return NULL;
}
