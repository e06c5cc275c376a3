// SPDX-License-Identifier: GPL-2.0-only
/* Values in filter expressions: numbers, times, lists, and which patterns are refused. */
#include <ctype.h>

#include "ledger/filter.h"

enum { RANGES_MAX = 65536, PATTERN_MAX = 512, SIZE_LIMIT = 1000, GROUPS_MAX = 32 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int digit_value(char c)
{
	if (is_digit(c))
		return c - '0';
	return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : 99;
}

/* Digits from *at on; false where there are none or they are too large. */
static bool read_digits(const char *text, size_t len, size_t *at, int base, uint64_t *value)
{
	size_t start = *at;

	*value = 0;
	for (; *at < len && digit_value(text[*at]) < base; ++*at) {
		if (__builtin_mul_overflow(*value, (uint64_t)base, value) ||
		    __builtin_add_overflow(*value, (uint64_t)digit_value(text[*at]), value))
			return false;
	}
	return *at > start;
}

static bool read_integer(const char *text, size_t len, size_t *at, uint64_t *value)
{
	if (len - *at > 2 && text[*at] == '0' && (text[*at + 1] | 0x20) == 'x') {
		*at += 2;
		return read_digits(text, len, at, 16, value);
	}
	return read_digits(text, len, at, 10, value);
}

static uint64_t read_unit(const char *text, size_t len, size_t *at)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t n = strlen(units[i].name);

		if (len - *at >= n && !memcmp(text + *at, units[i].name, n)) {
			*at += n;
			return units[i].ns;
		}
	}
	return 1000000000;
}

/* Seconds unless a unit says otherwise; what is below a nanosecond is cut off. */
static bool read_time(const char *text, size_t len, size_t *at, uint64_t *value)
{
	uint64_t whole, unit, part = 0, weight = 100000000;
	size_t point;

	if (!read_digits(text, len, at, 10, &whole))
		return false;
	point = *at;
	if (*at < len && text[*at] == '.') {
		for (++*at; *at < len && is_digit(text[*at]); ++*at, weight /= 10)
			part += weight * (uint64_t)(text[*at] - '0');
		if (*at == point + 1)
			return false;
	}
	unit = read_unit(text, len, at);
	/* part is in billionths of the unit, of which none is longer than a second. */
	return !__builtin_mul_overflow(whole, unit, value) &&
	       !__builtin_add_overflow(*value, part * (unit / 1000) / 1000000, value);
}

static bool read_handle(const char *text, size_t len, size_t *at, uint64_t *value)
{
	bool negative = *at < len && text[*at] == '-';

	*at += negative;
	if (!read_integer(text, len, at, value) || *value > UINT32_MAX)
		return false;
	if (negative)
		*value = (uint32_t) - (uint32_t)*value;
	return true;
}

static bool read_value(enum kmp_field field, const char *text, size_t len, size_t *at,
		       uint64_t *value)
{
	if (field == KMP_FIELD_TS || field == KMP_FIELD_FREE_TS)
		return read_time(text, len, at, value);
	if (field == KMP_FIELD_HANDLE)
		return read_handle(text, len, at, value);
	return read_integer(text, len, at, value);
}

static const char *bad_value(enum kmp_field field)
{
	if (field == KMP_FIELD_TS || field == KMP_FIELD_FREE_TS)
		return "not a time such as 12.5 (seconds), 300ms or 7ns";
	return "not a whole number in range";
}

const char *kmp_filter_number(enum kmp_field field, const char *text, size_t len, uint64_t *value)
{
	size_t at = 0;

	if (!read_value(field, text, len, &at, value) || at != len)
		return bad_value(field);
	return NULL;
}

/* `:used/size` behind a range: the first `used` of every `size`. */
static struct kmp_error *add_grouped(kmp_ranges *ranges, struct kmp_range all, uint64_t used,
				     uint64_t size, const char **problem)
{
	if (!used || used > size) {
		*problem = "in LOW-HIGH:USED/SIZE, USED is from 1 to SIZE";
		return NULL;
	}
	if ((all.high - all.low) / size >= RANGES_MAX) {
		*problem = "too many groups in the list";
		return NULL;
	}
	for (uint64_t low = all.low;;) {
		uint64_t high;

		if (__builtin_add_overflow(low, used - 1, &high) || high > all.high)
			high = all.high;
		try(vec_push(ranges, (struct kmp_range){ low, high }));
		if (__builtin_add_overflow(low, size, &low) || low > all.high)
			return NULL;
	}
}

static struct kmp_error *add_item(enum kmp_field field, const char *text, size_t len,
				  kmp_ranges *ranges, const char **problem)
{
	struct kmp_range range;
	uint64_t used, size;
	size_t at = 0;

	*problem = bad_value(field);
	if (!read_value(field, text, len, &at, &range.low))
		return NULL;
	range.high = range.low;
	if (at < len && text[at] == '-') {
		at++;
		if (!read_value(field, text, len, &at, &range.high))
			return NULL;
	}
	if (range.high < range.low) {
		*problem = "the range ends before it begins";
		return NULL;
	}
	if (at == len) {
		*problem = NULL;
		return vec_push(ranges, range);
	}
	if (text[at++] != ':' || !read_digits(text, len, &at, 10, &used) || at == len ||
	    text[at++] != '/' || !read_digits(text, len, &at, 10, &size) || at != len)
		return NULL;
	*problem = NULL;
	return add_grouped(ranges, range, used, size, problem);
}

static int compare_ranges(const void *left, const void *right)
{
	const struct kmp_range *a = left, *b = right;

	return (a->low > b->low) - (a->low < b->low);
}

static void join(kmp_ranges *ranges)
{
	size_t kept = 0;

	if (!ranges->len)
		return;
	qsort(ranges->data, ranges->len, sizeof(*ranges->data), compare_ranges);
	for (size_t i = 1; i < ranges->len; i++) {
		struct kmp_range *last = &ranges->data[kept];
		struct kmp_range next = ranges->data[i];

		if (last->high < next.low && next.low - last->high > 1)
			ranges->data[++kept] = next;
		else if (next.high > last->high)
			last->high = next.high;
	}
	ranges->len = kept + 1;
}

struct kmp_error *kmp_filter_list(enum kmp_field field, const char *text, size_t len,
				  kmp_ranges *ranges, const char **problem)
{
	size_t at = 0;

	*problem = NULL;
	while (at < len && !*problem) {
		const char *comma = memchr(text + at, ',', len - at);
		size_t end = comma ? (size_t)(comma - text) : len;

		if (end > at)
			try(add_item(field, text + at, end - at, ranges, problem));
		at = end + 1;
		if (ranges->len > RANGES_MAX)
			*problem = "the list is too long";
	}
	if (!*problem && !ranges->len)
		*problem = "the list is empty";
	join(ranges);
	return NULL;
}

/* How often a `{n}`, `{n,}`, `{n,m}` at text repeats; more than SIZE_LIMIT for what is no number.
 */
static uint64_t repeat_count(const char *text)
{
	size_t len = strcspn(text, "}"), at = 1;
	uint64_t low, high = 0;

	if (!read_digits(text, len, &at, 10, &low) && at > 1)
		return SIZE_LIMIT + 1;
	if (at < len && text[at] == ',') {
		size_t start = ++at;

		if (!read_digits(text, len, &at, 10, &high) && at > start)
			return SIZE_LIMIT + 1;
		high = at > start ? high : low + 1;
	}
	return high > low ? high : low;
}

/* The place behind a bracket expression that starts at text. */
static const char *skip_bracket(const char *text)
{
	const char *p = text + 1;

	if (*p == '^')
		p++;
	if (*p == ']')
		p++;
	while (*p && *p != ']') {
		if (*p == '[' && (p[1] == ':' || p[1] == '.' || p[1] == '=')) {
			char end[] = { p[1], ']', '\0' };
			const char *close = strstr(p + 2, end);

			if (close)
				p = close + 1;
		}
		p++;
	}
	return *p ? p : p - 1;
}

/* What regcomp() makes of a pattern, group by group: the atoms of each, and of its last part. */
struct pattern_size {
	uint64_t all[GROUPS_MAX + 1];
	uint64_t last[GROUPS_MAX + 1];
	unsigned depth;
};

static void add_atom(struct pattern_size *size, uint64_t atoms)
{
	size->last[size->depth] = atoms;
	size->all[size->depth] += atoms;
}

static bool is_repeat(char c)
{
	return c == '+' || c == '*' || c == '?' || c == '{';
}

/* `?` and `*` copy nothing, but nested ones double the work of matching. */
static void repeat_last(struct pattern_size *size, const char *text)
{
	uint64_t times = *text == '{' ? repeat_count(text) : 2;
	uint64_t *last = &size->last[size->depth], old = *last;

	*last = times > 1 ? old * times : old;
	size->all[size->depth] += *last - old;
}

static const char *open_group(struct pattern_size *size)
{
	if (size->depth == GROUPS_MAX)
		return "the regular expression has too many groups";
	size->depth++;
	size->all[size->depth] = 1;
	size->last[size->depth] = 0;
	return NULL;
}

static void close_group(struct pattern_size *size)
{
	if (!size->depth)
		return;
	size->depth--;
	add_atom(size, size->all[size->depth + 1]);
}

/*
 * The C library's regcomp() copies what is repeated, so that memory and time have no bound where
 * repeats stand in one another; its regexec() has none for back-references. Nobody needs either
 * to name a function.
 */
const char *kmp_filter_regex_problem(const char *pattern)
{
	struct pattern_size size = { .depth = 0 };
	const char *problem = NULL;

	if (strlen(pattern) > PATTERN_MAX)
		return "the regular expression is too long";
	for (const char *p = pattern; *p && !problem; p++) {
		if (*p == '\\' && is_digit(p[1]))
			return "back-references are not supported";
		if (*p == '(')
			problem = open_group(&size);
		else if (*p == ')')
			close_group(&size);
		else if (is_repeat(*p))
			repeat_last(&size, p);
		else
			add_atom(&size, 1);
		if (*p == '\\' && p[1])
			p++;
		else if (*p == '[')
			p = skip_bracket(p);
		if (size.all[size.depth] > SIZE_LIMIT)
			return "the regular expression repeats too much";
	}
	return problem;
}
