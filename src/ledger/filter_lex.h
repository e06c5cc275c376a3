/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of a filter expression, and errors that point at one. */
#ifndef KMP_LEDGER_FILTER_LEX_H
#define KMP_LEDGER_FILTER_LEX_H

#include "ledger/filter.h"

struct kmp_lexer {
	const char *text;
	size_t len;
	size_t at; /* what comes next */
};

struct kmp_token {
	size_t at;
	size_t len;
};

/* A value with its quotes and escapes undone. */
struct kmp_value_token {
	size_t at;
	char *text; /* NUL-terminated; free() it */
	size_t len;
};

enum kmp_operator {
	KMP_OP_EQUAL,
	KMP_OP_NOT_EQUAL,
	KMP_OP_AT_MOST,
	KMP_OP_AT_LEAST,
	KMP_OP_BELOW,
	KMP_OP_ABOVE,
	KMP_OP_MATCHES,
	KMP_OP_NOT_MATCHES,
	KMP_OP_IN,
	KMP_OP_HAS
};

/* KMP_ERROR_USAGE: the message, the expression, and a caret under the byte at `at`. */
struct kmp_error *kmp_lex_error(const struct kmp_lexer *lex, size_t at, const char *fmt,
				...) must_check printf_like(3, 4);

/* Skip blanks; where we are now. */
size_t kmp_lex_skip_blanks(struct kmp_lexer *lex);

/* Take this word, if it comes next. */
bool kmp_lex_take(struct kmp_lexer *lex, const char *word);

/* Letters, digits and underscores behind blanks; len is 0 where there are none. */
void kmp_lex_name(struct kmp_lexer *lex, struct kmp_token *token);

/* A comparison operator and where it stands. */
struct kmp_error *kmp_lex_operator(struct kmp_lexer *lex, enum kmp_operator *op,
				   size_t *at) must_check;

/* A value, quoted or plain. */
struct kmp_error *kmp_lex_value(struct kmp_lexer *lex, struct kmp_value_token *value) must_check;

#endif
