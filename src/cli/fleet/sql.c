// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/sql.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct kmp_error *sql_add(struct sql *sql, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	int len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (len < 0)
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	try(grow_reserve(&sql->text, (size_t)len + 1));
	va_start(args, fmt);
	vsnprintf(sql->text.data + sql->text.len, (size_t)len + 1, fmt, args);
	va_end(args);
	sql->text.len += (size_t)len;
	return NULL;
}

/* Between two marks; what could end the text, or be no text, is a number of two digits. */
static struct kmp_error *enclose(struct sql *sql, char mark, const char *text, size_t len)
{
	try(grow_push(&sql->text, mark));
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '\\' || c == '\'' || c == '`' || c < 0x20 || c == 0x7f)
			try(sql_add(sql, "\\x%02x", c));
		else
			try(grow_push(&sql->text, text[i]));
	}
	return grow_push(&sql->text, mark);
}

struct kmp_error *sql_quote(struct sql *sql, const char *text, size_t len)
{
	return enclose(sql, '\'', text, len);
}

struct kmp_error *sql_quote_string(struct sql *sql, const char *text)
{
	return enclose(sql, '\'', text, strlen(text));
}

struct kmp_error *sql_name(struct sql *sql, const char *name)
{
	return enclose(sql, '`', name, strlen(name));
}
