// SPDX-License-Identifier: GPL-2.0-only
/*
 * The grammar, as the kernel reads it:
 *
 *     list   = { blank | "," | item }
 *     item   = ( number [ "-" number ] | "all" ) [ ":" number "/" number ]
 *     number = digits | "N"
 *
 * An item ends at a blank, a comma or the text's end; only one with a group may be followed by the
 * next item at once. A newline behind an item without a group ends the text.
 */
#include "base/nodelist.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

struct scan {
	const char *at;
	const char *end;
	uint32_t last; /* what `N` stands for */
};

struct item {
	uint32_t first;
	uint32_t last;
	uint32_t used; /* of each group */
	uint32_t group;
};

static int peek(const struct scan *s)
{
	return s->at < s->end ? (unsigned char)*s->at : '\0';
}

static bool is_separator(int c)
{
	return c == ',' || c == ' ' || (c >= '\t' && c <= '\r') || c == 0xa0;
}

static bool ends_item(int c)
{
	return c == '\0' || is_separator(c);
}

static int scan_number(struct scan *s, uint32_t *number)
{
	uint64_t value = 0;
	const char *start = s->at;

	if (peek(s) == 'N') {
		*number = s->last;
		s->at++;
		return 0;
	}
	for (; peek(s) >= '0' && peek(s) <= '9'; s->at++) {
		if (value <= UINT32_MAX)
			value = value * 10 + (uint64_t)(*s->at - '0');
	}
	if (s->at == start)
		return EINVAL;
	if (value > UINT32_MAX)
		return EOVERFLOW;
	*number = (uint32_t)value;
	return 0;
}

static int scan_group(struct scan *s, struct item *item)
{
	int err;

	if (*s->at != ':')
		return EINVAL;
	s->at++;
	err = scan_number(s, &item->used);
	if (err)
		return err;
	if (peek(s) != '/')
		return EINVAL;
	s->at++;
	return scan_number(s, &item->group);
}

static int scan_range(struct scan *s, struct item *item)
{
	int err;

	if (s->end - s->at >= 3 && !strncasecmp(s->at, "all", 3)) {
		s->at += 3;
		*item = (struct item){ .last = s->last };
		return 0;
	}
	err = scan_number(s, &item->first);
	item->last = item->first;
	if (err || ends_item(peek(s)))
		return err;
	if (*s->at != '-')
		return EINVAL;
	s->at++;
	return scan_number(s, &item->last);
}

static int scan_item(struct scan *s, struct item *item)
{
	int err = scan_range(s, item);

	if (err)
		return err;
	if (!ends_item(peek(s)))
		return scan_group(s, item);
	if (peek(s) == '\n' || peek(s) == '\0')
		s->end = s->at;
	/* Wraps to 0, which add_item() refuses, for the largest number; so does the kernel. */
	item->used = item->last + 1;
	item->group = item->used;
	return 0;
}

static int add_item(const struct item *item, uint32_t limit, struct kmp_nodelist *list)
{
	if (item->first > item->last || !item->group || item->used > item->group)
		return EINVAL;
	if (item->last >= limit)
		return ERANGE;
	for (uint32_t node = item->first; node <= item->last; node++) {
		if ((node - item->first) % item->group < item->used)
			list->bits[node / 64] |= (uint64_t)1 << (node % 64);
	}
	return 0;
}

int kmp_nodelist_parse(const char *text, size_t len, unsigned limit, struct kmp_nodelist *list)
{
	struct kmp_nodelist made = { 0 };
	struct scan s = { text, text + strnlen(text, len), limit - 1 };
	struct item item = { 0 };

	for (;;) {
		while (is_separator(peek(&s)))
			s.at++;
		if (s.at == s.end)
			break;
		int err = scan_item(&s, &item);

		if (!err)
			err = add_item(&item, limit, &made);
		if (err)
			return err;
	}
	if (!memcmp(&made, &(struct kmp_nodelist){ 0 }, sizeof(made)))
		return EINVAL;
	*list = made;
	return 0;
}

bool kmp_nodelist_within(const struct kmp_nodelist *list, const struct kmp_nodelist *other)
{
	for (size_t i = 0; i < sizeof(list->bits) / sizeof(*list->bits); i++) {
		if (list->bits[i] & ~other->bits[i])
			return false;
	}
	return true;
}
