// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table in the format of an event: after `__print_flags(REC->gfp_flags, "|",` items
 * `{EXPRESSION, "NAME"}`, the expression in C with casts. It is of numbers, or from 6.10 ("mm:
 * enumerate all gfp flags") of the enum's names, until 6.14 ("tracing: gfp: Fix the GFP enum values
 * shown for user space tracing tools") made it numbers again.
 */
#include <stdlib.h>
#include <string.h>

#include "source/gfp_names.h"

enum { DEPTH_MAX = 64 };

struct parser {
	const char *p; /* ends in a NUL */
	const struct kmp_gfp_bits *bits;
	unsigned depth;
	bool bad;
};

static uint64_t parse_or(struct parser *ps);

static void skip_blanks(struct parser *ps)
{
	while (*ps->p == ' ' || *ps->p == '\t')
		ps->p++;
}

static bool take(struct parser *ps, const char *word)
{
	size_t len = strlen(word);

	skip_blanks(ps);
	if (strncmp(ps->p, word, len) != 0)
		return false;
	ps->p += len;
	return true;
}

static void need(struct parser *ps, const char *word)
{
	if (!take(ps, word))
		ps->bad = true;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (c >= '0' && c <= '9');
}

/* The value of ___GFP_NAME_BIT. */
static uint64_t parse_bit_name(struct parser *ps)
{
	static const char before[] = "___GFP_";
	static const char behind[] = "_BIT";
	const size_t around = sizeof(before) + sizeof(behind) - 2;
	const char *word = ps->p;

	while (is_word(*ps->p))
		ps->p++;
	size_t len = (size_t)(ps->p - word);
	if (len > around && !strncmp(word, before, sizeof(before) - 1) &&
	    !strncmp(ps->p - sizeof(behind) + 1, behind, sizeof(behind) - 1)) {
		word += sizeof(before) - 1;
		len -= around;
		for (size_t i = 0; i < ps->bits->count; i++) {
			const struct kmp_gfp_bit *b = &ps->bits->bits[i];

			if (strlen(b->name) == len && !memcmp(b->name, word, len))
				return b->bit;
		}
	}
	ps->bad = true;
	return 0;
}

static uint64_t parse_number(struct parser *ps)
{
	char *end;
	uint64_t value = strtoull(ps->p, &end, 0);

	while (*end == 'u' || *end == 'U' || *end == 'l' || *end == 'L')
		end++;
	ps->p = end;
	return value;
}

/* Whether what follows the parenthesis is a type and no value; then it is taken. */
static bool take_cast(struct parser *ps)
{
	const char *p = ps->p;

	while (is_word(*p) || *p == ' ')
		p++;
	const char *word = ps->p + strspn(ps->p, " ");
	if (*p != ')' || p == word || (*word >= '0' && *word <= '9') || !strncmp(word, "___GFP", 6))
		return false;
	ps->p = p + 1;
	return true;
}

static uint64_t parse_unary(struct parser *ps)
{
	uint64_t value = 0;

	if (ps->bad || ++ps->depth > DEPTH_MAX) {
		ps->bad = true;
		return 0;
	}
	if (take(ps, "~")) {
		value = ~parse_unary(ps);
	} else if (take(ps, "(")) {
		if (take_cast(ps)) {
			value = parse_unary(ps);
		} else {
			value = parse_or(ps);
			need(ps, ")");
		}
	} else if (*ps->p >= '0' && *ps->p <= '9') {
		value = parse_number(ps);
	} else {
		value = parse_bit_name(ps);
	}
	ps->depth--;
	return value;
}

static uint64_t parse_shift(struct parser *ps)
{
	uint64_t value = parse_unary(ps);

	while (!ps->bad && take(ps, "<<")) {
		uint64_t by = parse_unary(ps);

		if (by > 63)
			ps->bad = true;
		else
			value <<= by;
	}
	return value;
}

static uint64_t parse_and(struct parser *ps)
{
	uint64_t value = parse_shift(ps);

	while (!ps->bad && take(ps, "&"))
		value &= parse_shift(ps);
	return value;
}

static uint64_t parse_or(struct parser *ps)
{
	uint64_t value = parse_and(ps);

	while (!ps->bad && take(ps, "|"))
		value |= parse_and(ps);
	return value;
}

/* `EXPRESSION, "NAME"}`. A flag that this kernel is built without has no bit, and no entry. */
static void parse_item(struct parser *ps, struct kmp_gfp_table *table)
{
	uint64_t mask = parse_or(ps);

	need(ps, ",");
	need(ps, "\"");
	size_t len = strcspn(ps->p, "\"");
	if (ps->bad || !len || len >= KMP_GFP_NAME_SIZE || !ps->p[len] ||
	    table->count == KMP_GFP_NAMES_MAX) {
		ps->bad = true;
		return;
	}
	struct kmp_gfp_name *n = &table->names[table->count];
	n->mask = mask;
	memcpy(n->name, ps->p, len);
	n->name[len] = '\0';
	table->count += mask != 0;
	ps->p += len;
	need(ps, "\"");
	need(ps, "}");
}

bool kmp_gfp_table_format(struct kmp_gfp_table *table, const struct kmp_gfp_bits *bits,
			  const char *format)
{
	static const char start[] = "__print_flags(REC->gfp_flags, \"|\",";
	struct kmp_gfp_table parsed = { 0 };
	struct parser ps = { .p = strstr(format, start), .bits = bits };

	if (!ps.p)
		return false;
	ps.p += sizeof(start) - 1;
	do {
		need(&ps, "{");
		if (take(&ps, "0,") || take(&ps, "-1,")) /* the end mark of newer kernels */
			break;
		parse_item(&ps, &parsed);
	} while (!ps.bad && take(&ps, ","));
	if (ps.bad || !parsed.count)
		return false;
	*table = parsed;
	return true;
}
