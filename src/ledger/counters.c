// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adding up is a race against memory. Large arrays are asked for in huge pages: with small ones
 * the processor has to look up where one is every 512 counters, and reads ahead no farther by
 * itself.
 */
#include "ledger/counters.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20, LINE_BYTES = KMP_COUNTERS_LINE * sizeof(uint64_t) };

/* So many bytes ahead of what is added up: who asks for one tag asks for the next, too. */
enum { AHEAD = 5 << 10 };

static struct kmp_error *grow(struct kmp_counters *counters, size_t used, size_t need)
{
	size_t cells = need < counters->cap * 2 ? counters->cap * 2 : need;
	size_t size;

	if (__builtin_mul_overflow(cells, sizeof(uint64_t), &size) || size > SIZE_MAX / 2)
		return &kmp_error_no_memory;
	size_t unit = size < HUGE_PAGE ? LINE_BYTES : HUGE_PAGE;

	size = (size + unit - 1) / unit * unit;
	uint64_t *data = aligned_alloc(unit, size);

	if (!data)
		return &kmp_error_no_memory;
	/* Where there are none, it works without. */
	if (unit == HUGE_PAGE)
		madvise(data, size, MADV_HUGEPAGE);
	if (used)
		memcpy(data, counters->data, used * sizeof(*data));
	free(counters->data);
	*counters = (struct kmp_counters){ data, size / sizeof(*data) };
	return NULL;
}

struct kmp_error *kmp_counters_add(struct kmp_counters *counters, size_t used, size_t count)
{
	size_t need;

	if (__builtin_add_overflow(used, count, &need))
		return &kmp_error_no_memory;
	if (need > counters->cap)
		try(grow(counters, used, need));
	memset(counters->data + used, 0, count * sizeof(*counters->data));
	return NULL;
}

void kmp_counters_deinit(struct kmp_counters *counters)
{
	free(counters->data);
	*counters = (struct kmp_counters){ 0 };
}

/* ThreadSanitizer cannot know that reading two at a time is harmless. */
#if defined(__x86_64__) && !defined(KMP_THREAD_SANITIZER)
static uint64_t sum_lines(const uint64_t *counters, size_t lines)
{
	typedef uint64_t pair_t __attribute__((vector_size(16), may_alias));
	const pair_t *at = (const pair_t *)counters;
	pair_t a = { 0 }, b = a, c = a, d = a;

	for (; lines; lines--, at += 4) {
		__builtin_prefetch((const char *)at + AHEAD);
		a += at[0];
		b += at[1];
		c += at[2];
		d += at[3];
	}
	a += b + c + d;
	return a[0] + a[1];
}
#else
static uint64_t sum_lines(const uint64_t *counters, size_t lines)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < lines * KMP_COUNTERS_LINE; i++)
		sum += __atomic_load_n(&counters[i], __ATOMIC_RELAXED);
	return sum;
}
#endif

uint64_t kmp_counters_sum(const uint64_t *counters, unsigned count)
{
	uint64_t sum = 0;

	if (count % KMP_COUNTERS_LINE == 0)
		return sum_lines(counters, count / KMP_COUNTERS_LINE);
	for (unsigned i = 0; i < count; i++)
		sum += __atomic_load_n(&counters[i], __ATOMIC_RELAXED);
	return sum;
}
