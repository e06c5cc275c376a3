// SPDX-License-Identifier: GPL-2.0-only
#include "format/log_prefix.h"

#include <ctype.h>
#include <string.h>

/* How far into a line the date, the host and `kernel:` may reach; how long a `[…]` may be. */
enum { SYSLOG_MAX = 160, BRACKET_MAX = 48 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The length of `<6>` */
static size_t level_len(const char *text, size_t len)
{
	size_t i = 1;

	while (i < len && i < 4 && is_digit(text[i]))
		i++;
	return i > 1 && i < len && text[i] == '>' ? i + 1 : 0;
}

static bool is_weekday(const char *text, size_t len)
{
	static const char names[] = "Mon Tue Wed Thu Fri Sat Sun ";

	if (len < 4)
		return false;
	for (const char *name = names; *name; name += 4) {
		if (!memcmp(name, text, 4))
			return true;
	}
	return false;
}

/* `   30.988789`, `    T1`, `   C12`: a time, or who printed. `3` alone is neither. */
static bool is_stamp(const char *text, size_t len)
{
	bool digits = false, marked = false;

	while (len && *text == ' ')
		text++, len--;
	if (len && (*text == 'T' || *text == 'C')) {
		marked = true;
		text++, len--;
	}
	for (; len; text++, len--) {
		if (*text == '.' && digits && !marked)
			marked = true;
		else if (!is_digit(*text))
			return false;
		else
			digits = true;
	}
	return digits && marked;
}

/* The length of `[   30.988789]` */
static size_t bracket_len(const char *text, size_t len)
{
	const char *end = memchr(text, ']', len < BRACKET_MAX ? len : BRACKET_MAX);

	if (!end)
		return 0;
	size_t inside = (size_t)(end - text) - 1;

	return is_stamp(text + 1, inside) || is_weekday(text + 1, inside) ? inside + 2 : 0;
}

/* The length of `kern  :info  :` */
static size_t facility_len(const char *text, size_t len)
{
	size_t i = 4, colons = 0;

	if (len < 5 || memcmp(text, "kern", 4))
		return 0;
	for (; i < len && i < 24 && colons < 2; i++) {
		if (text[i] == ':')
			colons++;
		else if (text[i] != ' ' && (!colons || !islower((unsigned char)text[i])))
			return 0;
	}
	return colons == 2 ? i : 0;
}

/* The length of `Nov 30 14:46:13 host kernel:` */
static size_t syslog_len(const char *text, size_t len)
{
	static const char tag[] = " kernel: ";
	const char *end = memmem(text, len < SYSLOG_MAX ? len : SYSLOG_MAX, tag, sizeof(tag) - 1);

	if (!end)
		return len >= 8 && !memcmp(text, "kernel: ", 8) ? 7 : 0;
	return (size_t)(end - text) + sizeof(tag) - 2;
}

/* A date begins with digits and a dash: no figure does. */
static bool is_figure(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && is_digit(text[i]))
		i++;
	return i && (i == len || text[i] != '-');
}

static size_t prefix_part(const char *text, size_t len)
{
	switch (*text) {
	case '<':
		return level_len(text, len);
	case '[':
		return bracket_len(text, len);
	default:
		if (is_figure(text, len) || !isalnum((unsigned char)*text))
			return 0;
		size_t part = facility_len(text, len);

		return part ? part : syslog_len(text, len);
	}
}

size_t kmp_log_prefix(const char *text, size_t len, bool *logged)
{
	size_t pos = 0;

	*logged = false;
	for (;;) {
		while (pos < len && (text[pos] == ' ' || text[pos] == '\t' || text[pos] == '>'))
			pos++;
		size_t part = pos < len ? prefix_part(text + pos, len - pos) : 0;

		if (!part)
			return pos;
		*logged = true;
		pos += part;
	}
}
