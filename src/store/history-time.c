// SPDX-License-Identifier: GPL-2.0-only
#include "store/history-time.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const uint64_t century = KMP_SECOND * 86400 * 366 * 100;

static uint64_t unit_of(const char *text, size_t len)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", KMP_SECOND },
		{ "", KMP_SECOND },
		{ "m", 60 * KMP_SECOND },
		{ "min", 60 * KMP_SECOND },
		{ "h", 3600 * KMP_SECOND },
		{ "d", 86400 * KMP_SECOND },
		{ "w", 7 * 86400 * KMP_SECOND },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strlen(units[i].name) == len && !memcmp(units[i].name, text, len))
			return units[i].ns;
	}
	return 0;
}

const char *kmp_span_parse(const char *text, uint64_t *span)
{
	double sum = 0;
	const char *p = text;

	do {
		size_t digits = strspn(p, "0123456789.");
		char number[32];

		if (!digits || digits >= sizeof(number) || *p == '.')
			return NULL;
		memcpy(number, p, digits);
		number[digits] = '\0';
		char *end;
		double value = strtod(number, &end);
		size_t letters = strspn(p + digits, "abcdefghijklmnopqrstuvwxyz");
		uint64_t unit = unit_of(p + digits, letters);

		if (*end || !unit || value * (double)unit > (double)century)
			return NULL;
		sum += value * (double)unit;
		p += digits + letters;
	} while (*p >= '0' && *p <= '9');
	if (sum > (double)century)
		return NULL;
	*span = (uint64_t)(sum + 0.5);
	return p;
}

static struct kmp_error *bad_keep(const char *rule, const char *why)
{
	return kmp_error_new(KMP_ERROR_USAGE, "what to keep: '%.40s': %s, as in 1h@10s,7d@5m", rule,
			     why);
}

struct kmp_error *kmp_keep_parse(const char *text, struct kmp_keep *keep)
{
	*keep = (struct kmp_keep){ 0 };
	for (const char *p = text;; p++) {
		struct kmp_keep_rule rule = { 0 }, before = { 0 };
		const char *start = p;

		if (keep->count == KEEP_RULES_MAX)
			return bad_keep(p, "these are too many rules");
		if (keep->count)
			before = keep->rules[keep->count - 1];
		p = kmp_span_parse(p, &rule.age);
		if (p && *p == '@')
			p = kmp_span_parse(p + 1, &rule.step);
		if (!p || (*p && *p != ',') || !rule.age)
			return bad_keep(start, "a rule is an age and how far apart, AGE@STEP");
		if (rule.age <= before.age || rule.step < before.step)
			return bad_keep(start, "ages must rise, and steps must not fall");
		keep->rules[keep->count++] = rule;
		if (!*p)
			return NULL;
	}
}

const struct kmp_keep_rule *kmp_keep_find(const struct kmp_keep *keep, uint64_t age)
{
	for (size_t i = 0; i < keep->count; i++) {
		if (age <= keep->rules[i].age)
			return &keep->rules[i];
	}
	return NULL;
}

bool kmp_date_parse(const char *text, uint64_t day, uint64_t *time)
{
	static const char *const forms[] = { "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S",
					     "%Y-%m-%dT%H:%M",	  "%Y-%m-%d %H:%M",
					     "%H:%M:%S",	  "%H:%M",
					     "%Y-%m-%d" };
	time_t seconds = (time_t)(day / KMP_SECOND);

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		struct tm tm;

		localtime_r(&seconds, &tm);
		tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
		const char *end = strptime(text, forms[i], &tm);
		bool utc = end && *end == 'Z';

		if (!end || end[utc])
			continue;
		/* Whether it is summer then is not what it is on the day that was the default. */
		tm.tm_isdst = -1;
		time_t found = utc ? timegm(&tm) : mktime(&tm);

		if (found < 0)
			return false;
		*time = (uint64_t)found * KMP_SECOND;
		return true;
	}
	return false;
}
