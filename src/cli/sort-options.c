// SPDX-License-Identifier: GPL-2.0-only
#include "cli/sort-options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

const struct cli_option sort_options[] = {
	{ "by-times", 't', NULL, "how often a record came, most often first (the default)" },
	{ "by-pages", 'm', NULL, "pages, most first" },
	{ "by-time", 'a', NULL, "time of allocation" },
	{ "by-release", 'r', NULL, "time of the frame's previous free" },
	{ "by-pid", 'p', NULL, "process" },
	{ "by-tgid", 'P', NULL, "thread group" },
	{ "by-name", 'n', NULL, "task name" },
	{ "by-stack", 's', NULL, "stack trace" },
	{ "sort", 0, "ORDER", "by one or more of the keys below: KEY,-KEY",
	  "pid tgid name stacktrace allocator txt alloc_ts free_ts -pid -tgid -name -stacktrace "
	  "-allocator -txt -alloc_ts -free_ts",
	  "," },
	{ "cull", 0, "RULES", "one line for each pid, tgid, name, stacktrace, allocator or free",
	  "pid tgid name stacktrace allocator free", "," },
	{ "pid", 0, "LIST", "only these processes" },
	{ "tgid", 0, "LIST", "only these thread groups" },
	{ "name", 0, "LIST", "only tasks of these names" },
	{ "in-use", 'f', NULL, "leave out what was freed after it was allocated" },
	{ "debug", 'd', NULL, "accepted, and does nothing: losses are always told" },
	{ 0 },
};

/* The letters that choose an order, and what they mean. */
static const struct {
	const char *option;
	struct sort_order order;
} letters[] = {
	{ "by-times", { SORT_TIMES, true } },	     { "by-pages", { SORT_PAGES, true } },
	{ "by-time", { SORT_ALLOC_TIME, false } },   { "by-pid", { SORT_PID, false } },
	{ "by-release", { SORT_FREE_TIME, false } }, { "by-tgid", { SORT_TGID, false } },
	{ "by-name", { SORT_NAME, false } },	     { "by-stack", { SORT_STACK, false } },
};

static const struct {
	const char *name;
	const char *short_name;
	enum sort_key key;
	bool culls; /* also a rule of --cull */
	bool sorts; /* also a key of --sort */
} keys[] = {
	{ "pid", "p", SORT_PID, true, true },
	{ "tgid", "tg", SORT_TGID, true, true },
	{ "name", "n", SORT_NAME, true, true },
	{ "stacktrace", "st", SORT_STACK, true, true },
	{ "allocator", "ator", SORT_ALLOCATOR, true, true },
	{ "free", "f", SORT_FREE_TIME, true, false },
	{ "txt", "T", SORT_TEXT, false, true },
	{ "alloc_ts", "at", SORT_ALLOC_TIME, false, true },
	{ "free_ts", "ft", SORT_FREE_TIME, false, true },
};

static bool is_word(const char *word, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(word, name, len);
}

static enum sort_key find_key(const char *word, size_t len, bool cull)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if ((is_word(word, len, keys[i].name) || is_word(word, len, keys[i].short_name)) &&
		    (cull ? keys[i].culls : keys[i].sorts))
			return keys[i].key;
	}
	return SORT_KEYS;
}

static struct kmp_error *add_order(struct sort_rules *rules, struct sort_order order)
{
	if (rules->order_count == SORT_ORDER_MAX)
		return kmp_error_new(KMP_ERROR_USAGE, "--sort: at most %d keys", SORT_ORDER_MAX);
	rules->order[rules->order_count++] = order;
	return NULL;
}

/* What follows the comma, or NULL. */
static const char *next_word(const char *word, size_t len)
{
	return word[len] ? word + len + 1 : NULL;
}

static struct kmp_error *parse_sort(struct sort_rules *rules, const char *text)
{
	size_t len;

	for (const char *word = text; word; word = next_word(word, len)) {
		bool sign = *word == '-' || *word == '+';

		len = strcspn(word, ",");
		enum sort_key key = find_key(word + sign, len - sign, false);

		if (key == SORT_KEYS)
			return kmp_error_new(KMP_ERROR_USAGE, "--sort: '%.*s' is no key", (int)len,
					     word);
		try(add_order(rules, (struct sort_order){ key, *word == '-' }));
	}
	return NULL;
}

static struct kmp_error *parse_cull(struct sort_rules *rules, const char *text)
{
	size_t len;

	for (const char *word = text; word; word = next_word(word, len)) {
		len = strcspn(word, ",");
		enum sort_key key = find_key(word, len, true);

		if (key == SORT_KEYS)
			return kmp_error_new(KMP_ERROR_USAGE, "--cull: '%.*s' is no rule", (int)len,
					     word);
		rules->cull |= 1u << key;
	}
	return NULL;
}

static size_t count_words(const char *text)
{
	size_t count = 1;

	for (; *text; text++)
		count += *text == ',';
	return count;
}

static struct kmp_error *parse_numbers(const struct cli_args *args, const char *option,
				       struct sort_numbers *list)
{
	const char *text = cli_value(args, option);

	if (!text)
		return NULL;
	list->given = true;
	list->numbers = calloc(count_words(text), sizeof(*list->numbers));
	if (!list->numbers)
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	for (const char *word = text; word;) {
		char *end;

		errno = 0;
		list->numbers[list->count++] = strtol(word, &end, 10);
		if (errno || end == word || (*end && *end != ','))
			return kmp_error_new(KMP_ERROR_USAGE, "--%s: '%s' is no list of numbers",
					     option, text);
		word = *end ? end + 1 : NULL;
	}
	return NULL;
}

static struct kmp_error *parse_names(const struct cli_args *args, struct sort_names *list)
{
	const char *text = cli_value(args, "name");

	if (!text)
		return NULL;
	list->given = true;
	list->text = strdup(text);
	list->names = calloc(count_words(text), sizeof(*list->names));
	if (!list->text || !list->names)
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	char *rest = list->text;

	while (rest)
		list->names[list->count++] = strsep(&rest, ",");
	return NULL;
}

/* A letter's order comes before that of --sort, which decides what it leaves equal. */
static struct kmp_error *parse_order(const struct cli_args *args, struct sort_rules *rules)
{
	const char *sort = cli_value(args, "sort");

	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++) {
		if (!cli_value(args, letters[i].option))
			continue;
		if (rules->order_count)
			return kmp_error_new(KMP_ERROR_USAGE,
					     "only one of -a -m -n -p -P -r -s -t can be given");
		try(add_order(rules, letters[i].order));
	}
	if (sort)
		return parse_sort(rules, sort);
	if (!rules->order_count)
		return add_order(rules, letters[0].order);
	return NULL;
}

struct kmp_error *sort_rules_parse(const struct cli_args *args, struct sort_rules *rules)
{
	const char *cull = cli_value(args, "cull");

	*rules = (struct sort_rules){ .in_use_only = cli_value(args, "in-use") != NULL };
	try(parse_order(args, rules));
	if (cull)
		try(parse_cull(rules, cull));
	try(parse_numbers(args, "pid", &rules->pids));
	try(parse_numbers(args, "tgid", &rules->tgids));
	return parse_names(args, &rules->names);
}

void sort_rules_deinit(struct sort_rules *rules)
{
	free(rules->pids.numbers);
	free(rules->tgids.numbers);
	free(rules->names.names);
	free(rules->names.text);
}
