// SPDX-License-Identifier: GPL-2.0-only
#include "store/history-time.h"

#include <ctype.h>
#include <errno.h>
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

bool kmp_time_find(const char *text, uint64_t now, uint64_t *time)
{
	uint64_t found;

	if (!strcmp(text, "now")) {
		*time = now;
		return true;
	}
	if (*text == '@' && text[1] && !text[1 + strspn(text + 1, "0123456789")]) {
		errno = 0;
		unsigned long long seconds = strtoull(text + 1, NULL, 10);

		if (errno || seconds >= UINT64_MAX / KMP_SECOND)
			return false;
		*time = (seconds + 1) * KMP_SECOND - 1;
		return true;
	}
	if (*text == '-') {
		const char *end = kmp_span_parse(text + 1, &found);

		if (!end || *end)
			return false;
		*time = now > found ? now - found : 0;
		return true;
	}
	/* What is written in seconds is meant to the end of that second. */
	if (!isdigit((unsigned char)*text) || !kmp_date_parse(text, now, &found))
		return false;
	*time = found + KMP_SECOND - 1;
	return true;
}

struct kmp_error *kmp_time_parse(const char *text, uint64_t now, uint64_t *time)
{
	if (kmp_time_find(text, now, time))
		return NULL;
	return kmp_error_new(KMP_ERROR_USAGE,
			     "'%.60s' is no moment: now, -1h30m, 2026-11-30T17:05:10, 17:05, "
			     "@SECONDS",
			     text);
}
