/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays of counters that one thread each changes while others add them up. */
#ifndef KMP_LEDGER_COUNTERS_H
#define KMP_LEDGER_COUNTERS_H

#include <stdint.h>

#include "base/error.h"

#if defined(__SANITIZE_THREAD__)
#define KMP_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KMP_THREAD_SANITIZER
#endif
#endif

/* Counters in a cache line; the data begins with one. */
enum { KMP_COUNTERS_LINE = 8 };

/* All zero: an empty array. */
struct kmp_counters {
	uint64_t *data;
	size_t cap;
};

/* Have count counters more, behind the first used ones, and all 0. The data may move. */
struct kmp_error *kmp_counters_add(struct kmp_counters *counters, size_t used,
				   size_t count) must_check;
void kmp_counters_deinit(struct kmp_counters *counters);

/* The sum of so many, each of them read once, as a whole. */
uint64_t kmp_counters_sum(const uint64_t *counters, unsigned count);

#endif
