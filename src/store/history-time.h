/* SPDX-License-Identifier: GPL-2.0-only */
/* Spans and moments of time as people write them, and what is kept of a history by age. */
#ifndef KMP_STORE_HISTORY_TIME_H
#define KMP_STORE_HISTORY_TIME_H

#include "base/error.h"

enum { KEEP_RULES_MAX = 8 };

#define KMP_SECOND UINT64_C(1000000000) /* ns */

/* Samples up to this age are kept one each step; from the rule before on. In ns. */
struct kmp_keep_rule {
	uint64_t age;
	uint64_t step; /* 0: all */
};

/* By rising age; none: all samples for ever. */
struct kmp_keep {
	struct kmp_keep_rule rules[KEEP_RULES_MAX];
	size_t count;
};

/*
 * `90s`, `1h30m`, `500ms`: numbers with a unit each (us ms s m h d w; seconds without) from text
 * on, in ns. The end, or NULL: no span up to a hundred years.
 */
const char *kmp_span_parse(const char *text, uint64_t *span);

/* `1h@10s,7d@5m`. KMP_ERROR_USAGE. */
struct kmp_error *kmp_keep_parse(const char *text, struct kmp_keep *keep) must_check;

/* The rule for samples of this age, NULL: they go. keep must have rules. */
const struct kmp_keep_rule *kmp_keep_find(const struct kmp_keep *keep, uint64_t age);

/*
 * A date and time, or a time alone of the day of `day` (ns since 1970), to ns since 1970. False if
 * text is none.
 */
bool kmp_date_parse(const char *text, uint64_t day, uint64_t *time);

/* A moment as kmp_time_parse() takes it; false if text is none. */
bool kmp_time_find(const char *text, uint64_t now, uint64_t *time);

#endif
