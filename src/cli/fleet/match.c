// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/match.h"

#include "base/cleanup.h"

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?") != NULL;
}

/* A pattern in the language of LIKE, where a backslash makes a character stand for itself. */
static struct kmp_error *add_pattern(struct sql *sql, const char *pattern)
{
	struct sql like cleanup(sql_deinit) = { 0 };

	for (const char *p = pattern; *p; p++) {
		if (strchr("\\%_", *p))
			try(grow_push(&like.text, '\\'));
		try(grow_push(&like.text, *p == '*' ? '%' : *p == '?' ? '_' : *p));
	}
	return sql_quote(sql, like.text.data ? like.text.data : "", like.text.len);
}

struct kmp_error *match_text(struct sql *sql, const char *column, const char *pattern)
{
	try(sql_add(sql, "%s %s ", column, is_pattern(pattern) ? "LIKE" : "="));
	return is_pattern(pattern) ? add_pattern(sql, pattern) : sql_quote_string(sql, pattern);
}

static bool is_called(const struct fleet_label *label, const char *name)
{
	return strlen(name) == label->name_len && !memcmp(label->text, name, label->name_len);
}

struct kmp_error *match_label(struct sql *sql, const struct fleet_label *label)
{
	struct sql value cleanup(sql_deinit) = { 0 };

	try(sql_add(&value, "labels.value[indexOf(labels.name, "));
	try(sql_quote(&value, label->text, label->name_len));
	try(sql_add(&value, ")]"));
	try(grow_push(&value.text, '\0'));
	/* What the user called so counts; what the machine tells of itself is for those without. */
	const char *told = is_called(label, "kernel") ? "kernel"
			   : is_called(label, "host") ? "host"
						      : NULL;

	try(sql_add(sql, "(has(labels.name, "));
	try(sql_quote(sql, label->text, label->name_len));
	try(sql_add(sql, ") AND "));
	try(match_text(sql, value.text.data, label->value));
	if (told) {
		try(sql_add(sql, " OR NOT has(labels.name, '%s') AND ", told));
		try(match_text(sql, told, label->value));
	}
	return sql_add(sql, ")");
}

struct kmp_error *match_hosts(struct sql *sql, const struct fleet_ask *ask)
{
	try(sql_add(sql, "("));
	for (size_t i = 0; i < ask->host_count; i++) {
		if (i)
			try(sql_add(sql, " OR "));
		try(match_text(sql, "host", ask->hosts[i]));
	}
	return sql_add(sql, ask->host_count ? ")" : "1)");
}
