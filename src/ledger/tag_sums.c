// SPDX-License-Identifier: GPL-2.0-only
/* Tags' counters: how they are changed, and when they are added up. */
#include <assert.h>

#include "ledger/tag_store.h"

/* What was written before is seen by all before anything behind is read. */
static void full_fence(void)
{
#ifdef KMP_THREAD_SANITIZER
	/* It knows of no fences, and needs none here: what is shared is atomic. */
	static int nothing;

	__atomic_fetch_add(&nothing, 1, __ATOMIC_SEQ_CST);
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* One thread writes, so that nothing is lost between load and store. */
static void add_to(uint64_t *counter, int64_t value)
{
	uint64_t old = __atomic_load_n(counter, __ATOMIC_RELAXED);

	__atomic_store_n(counter, old + (uint64_t)value, __ATOMIC_RELAXED);
}

static void mark_changed(struct kmp_tag_sum *sum)
{
	if (!(__atomic_load_n(&sum->state, __ATOMIC_RELAXED) & KMP_TAG_SUM_CHANGED))
		__atomic_fetch_or(&sum->state, KMP_TAG_SUM_CHANGED, __ATOMIC_RELEASE);
}

void kmp_tags_charge(struct kmp_tags *tags, size_t number, unsigned cpu, int64_t bytes,
		     int64_t calls)
{
	assert(cpu < tags->cpus && number < tags->touched.len);

	size_t cell = number * tags->stride + cpu;
	uint64_t *touched = &tags->touched.data[number];
	uint64_t team = UINT64_C(1) << cpu / tags->team;

	if (!(__atomic_load_n(touched, __ATOMIC_RELAXED) & team))
		__atomic_fetch_or(touched, team, __ATOMIC_RELAXED);
	add_to(&tags->bytes.data[cell], bytes);
	add_to(&tags->calls.data[cell], calls);
	full_fence();
	mark_changed(&tags->sums.data[number].bytes);
	mark_changed(&tags->sums.data[number].calls);
}

static uint64_t add_up(const struct kmp_tags *tags, size_t number, const uint64_t *counters)
{
	uint64_t touched = __atomic_load_n(&tags->touched.data[number], __ATOMIC_RELAXED);
	uint64_t sum = 0;

	counters += number * tags->stride;
	while (touched) {
		unsigned first = (unsigned)__builtin_ctzll(touched);
		uint64_t others = ~(touched >> first);
		unsigned teams = others ? (unsigned)__builtin_ctzll(others) : KMP_TAG_TEAMS;
		unsigned begin = first * tags->team, end = begin + teams * tags->team;

		sum += kmp_counters_sum(counters + begin,
					(end < tags->stride ? end : tags->stride) - begin);
		touched = first + teams < KMP_TAG_TEAMS
				  ? touched >> (first + teams) << (first + teams)
				  : 0;
	}
	return sum;
}

/* One at a time renews a sum; who comes in between adds up for himself. */
uint64_t kmp_tag_sum_renew(const struct kmp_tags *tags, size_t number, struct kmp_tag_sum *sum,
			   const struct kmp_counters *counters)
{
	uint32_t changed = KMP_TAG_SUM_CHANGED;

	if (!__atomic_compare_exchange_n(&sum->state, &changed, KMP_TAG_SUM_RENEWED, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		full_fence();
		return add_up(tags, number, counters->data);
	}
	full_fence();
	uint64_t value = add_up(tags, number, counters->data);

	__atomic_store_n(&sum->value, value, __ATOMIC_RELAXED);
	__atomic_fetch_and(&sum->state, ~(uint32_t)KMP_TAG_SUM_RENEWED, __ATOMIC_RELEASE);
	return value;
}
