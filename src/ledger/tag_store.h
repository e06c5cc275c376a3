/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tags with counters per CPU. What is looked at for every tag of every query is small and stands
 * together: numbers of the texts' last 63 bytes, which is all that is ever compared. Counters are
 * added up only when somebody wants this tag's.
 *
 * The counters of one tag stand together, bytes and calls apart: a query touches one run of memory
 * for each tag that it must add up, and a size filter half of what the text needs. The other
 * order, all tags of one CPU together, costs a cache line and a TLB entry for each CPU and tag
 * (3 to 6 times the time, measured). Most of a kernel's tags are never counted, or by one CPU
 * when the machine starts: what no CPU of a team touched is not read at all.
 */
#ifndef KMP_LEDGER_TAG_STORE_H
#define KMP_LEDGER_TAG_STORE_H

#include <pthread.h>

#include "base/pool.h"

/* What is compared of a text: its last bytes, as many as this. */
enum { KMP_TAG_TEXT_MAX = 63 };

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

struct kmp_tags {
	/*
	 * Taken by who reads, and exclusively by who adds tags. Counters change without it: each is
	 * written by one thread and read by any.
	 */
	pthread_rwlock_t lock;
	unsigned cpus;
	unsigned team; /* CPUs that share a bit of `touched` */
	uint64_t content_id;
	struct kmp_pool texts;
	VEC(struct kmp_tag_key) keys;
	VEC(struct kmp_tag_words) words;
	VEC(uint64_t) touched; /* by tag: teams of CPUs whose counters are not all 0 for ever */
	VEC(uint64_t) bytes;   /* by tag, then CPU; sums wrap as the kernel's do */
	VEC(uint64_t) calls;
};

/* The text's last KMP_TAG_TEXT_MAX bytes. */
const char *kmp_tag_suffix(const char *text, size_t *len);

/* The sum of the counters of all CPUs that ever counted this tag. */
uint64_t kmp_tags_sum(const struct kmp_tags *tags, const uint64_t *counters, uint64_t touched);

/* The sums of tag `number` over the CPUs. The lock is held. */
static inline uint64_t kmp_tags_bytes(const struct kmp_tags *tags, size_t number)
{
	uint64_t touched = __atomic_load_n(&tags->touched.data[number], __ATOMIC_RELAXED);

	return touched ? kmp_tags_sum(tags, tags->bytes.data + number * tags->cpus, touched) : 0;
}

static inline uint64_t kmp_tags_calls(const struct kmp_tags *tags, size_t number)
{
	uint64_t touched = __atomic_load_n(&tags->touched.data[number], __ATOMIC_RELAXED);

	return touched ? kmp_tags_sum(tags, tags->calls.data + number * tags->cpus, touched) : 0;
}

/* A text of the store; it stays where it is as long as the store. */
static inline const struct kmp_string *kmp_tags_text(const struct kmp_tags *tags, uint32_t number)
{
	return &tags->texts.strings.data[number];
}

#endif
