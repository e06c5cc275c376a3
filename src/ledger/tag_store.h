/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tags with counters per CPU. What is looked at for every tag of every query is small and stands
 * together: numbers of the texts' last 63 bytes, which is all that is ever compared. Counters are
 * added up only when somebody wants this tag's.
 *
 * The counters of one tag stand together, bytes and calls apart: what must be added up is one run
 * of memory for each tag. The other order, all tags of one CPU together, costs a cache line and a
 * TLB entry for each CPU and tag (3 to 6 times the time, measured). Most of a kernel's tags are
 * never counted, or by one CPU when the machine starts: what no CPU of a team touched is not read
 * at all.
 *
 * Sums are kept until a counter changes, for most tags' do not between two questions. Who charges
 * changes the counter first and then looks whether the sum is marked as changed, who adds up
 * takes the mark away first and then reads the counters; so one of them sees the other.
 */
#ifndef KMP_LEDGER_TAG_STORE_H
#define KMP_LEDGER_TAG_STORE_H

#include <pthread.h>

#include "base/pool.h"
#include "ledger/counters.h"

/* What is compared of a text: its last bytes, as many as this. Bits of kmp_tags.touched. */
enum { KMP_TAG_TEXT_MAX = 63, KMP_TAG_TEAMS = 64 };

/* What criteria look at; texts are numbers of suffixes in kmp_tags.texts. */
struct kmp_tag_key {
	uint32_t module;
	uint32_t function;
	uint32_t file;
	uint32_t path; /* the file normalised */
	uint64_t line;
	bool accurate;
};

/* What is printed; numbers in kmp_tags.texts. */
struct kmp_tag_words {
	uint32_t module;
	uint32_t function;
	uint32_t file;
	uint32_t extra;
	bool approximate;
};

/* What all CPUs' counters were when they were added up, and what has happened since. */
struct kmp_tag_sum {
	uint64_t value;
	uint32_t state; /* bits of enum kmp_tag_sum_state; 0: the value holds */
};

enum kmp_tag_sum_state { KMP_TAG_SUM_CHANGED = 1 << 0, KMP_TAG_SUM_RENEWED = 1 << 1 };

struct kmp_tag_sums {
	struct kmp_tag_sum bytes;
	struct kmp_tag_sum calls;
};

struct kmp_tags {
	/*
	 * Taken by who reads, and exclusively by who adds tags. Counters change without it: each is
	 * written by one thread and read by any.
	 */
	pthread_rwlock_t lock;
	unsigned cpus;
	unsigned stride; /* counters a tag has: whole cache lines, unless it has few */
	unsigned team;	 /* CPUs that share a bit of `touched` */
	uint64_t content_id;
	struct kmp_pool texts;
	VEC(struct kmp_tag_key) keys;
	VEC(struct kmp_tag_words) words;
	VEC(struct kmp_tag_sums) sums;
	VEC(uint64_t) touched;	   /* by tag: teams of CPUs whose counters are not all 0 for ever */
	struct kmp_counters bytes; /* by tag, then CPU; sums wrap as the kernel's do */
	struct kmp_counters calls;
};

/* The text's last KMP_TAG_TEXT_MAX bytes. */
const char *kmp_tag_suffix(const char *text, size_t *len);

/* The sum of tag `number`, one of its two with the counters it is of; it has changed. */
uint64_t kmp_tag_sum_renew(const struct kmp_tags *tags, size_t number, struct kmp_tag_sum *sum,
			   const struct kmp_counters *counters);

static inline uint64_t kmp_tag_sum(const struct kmp_tags *tags, size_t number,
				   struct kmp_tag_sum *sum, const struct kmp_counters *counters)
{
	if (__atomic_load_n(&sum->state, __ATOMIC_ACQUIRE))
		return kmp_tag_sum_renew(tags, number, sum, counters);
	return __atomic_load_n(&sum->value, __ATOMIC_RELAXED);
}

/* The sums of tag `number` over the CPUs. The lock is held. */
static inline uint64_t kmp_tags_bytes(const struct kmp_tags *tags, size_t number)
{
	return kmp_tag_sum(tags, number, &tags->sums.data[number].bytes, &tags->bytes);
}

static inline uint64_t kmp_tags_calls(const struct kmp_tags *tags, size_t number)
{
	return kmp_tag_sum(tags, number, &tags->sums.data[number].calls, &tags->calls);
}

/* A text of the store; it stays where it is as long as the store. */
static inline const struct kmp_string *kmp_tags_text(const struct kmp_tags *tags, uint32_t number)
{
	return &tags->texts.strings.data[number];
}

#endif
