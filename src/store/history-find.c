// SPDX-License-Identifier: GPL-2.0-only
/* The sample that a person means. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "store/history-reader.h"
#include "store/history-time.h"

static void print_time(uint64_t ns, char *to, size_t size)
{
	time_t seconds = (time_t)(ns / KMP_SECOND);
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || !strftime(to, size, "%Y-%m-%dT%H:%M:%S", &tm))
		snprintf(to, size, "@%llu", (unsigned long long)seconds);
}

/* The last one that is not later. The clock may have been set back: the last of all counts. */
static struct kmp_error *find_time(const struct kmp_history *h, uint64_t time, const char *when,
				   size_t *index)
{
	char first[64];

	for (size_t i = h->samples.len; i-- > 0;) {
		if (h->samples.data[i].time <= time) {
			*index = i;
			return NULL;
		}
	}
	print_time(h->samples.data[0].time, first, sizeof(first));
	return kmp_error_new(KMP_ERROR_USAGE,
			     "%s: '%s' is before its first sample, of %s; @first stands for that",
			     h->path, when, first);
}

static struct kmp_error *find_number(const struct kmp_history *h, const char *when, size_t *index)
{
	errno = 0;
	unsigned long long number = strtoull(when, NULL, 10);

	if (errno || number < 1 || number > h->samples.len)
		return kmp_error_new(KMP_ERROR_USAGE,
				     "%s: there is no sample %s in the history; the last one is "
				     "%zu",
				     h->path, when, h->samples.len);
	*index = (size_t)number - 1;
	return NULL;
}

struct kmp_error *kmp_history_find(const struct kmp_history *h, const char *when, size_t *index)
{
	uint64_t last = h->samples.data[h->samples.len - 1].time;
	uint64_t time;

	if (!strcmp(when, "now") || !strcmp(when, "last")) {
		*index = h->samples.len - 1;
		return NULL;
	}
	if (!strcmp(when, "first")) {
		*index = 0;
		return NULL;
	}
	if (*when && !when[strspn(when, "0123456789")])
		return find_number(h, when, index);
	if (kmp_time_find(when, last, &time))
		return find_time(h, time, when, index);
	return kmp_error_new(KMP_ERROR_USAGE,
			     "'%.60s' is no moment of a history: now, first, N, -1h30m, "
			     "2026-11-30T17:05:10, 17:05, @SECONDS",
			     when);
}
