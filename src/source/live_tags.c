// SPDX-License-Identifier: GPL-2.0-only
#include "source/live_tags.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/index.h"
#include "source/recorder_tags.h"

/* How old a picture may be, and that it takes this part of the time at most to make them. */
enum { AGE_NS = 100000000, COST_SHARE = 10 };

/* A tag by its place; its strings are the ledger's, which has each text once. */
struct known {
	const char *file;
	const char *function;
	const char *module;
	uint64_t line;
	int64_t bytes;
	int64_t calls;
	uint64_t picture; /* the last one that had it */
};

struct kmp_live_tags {
	struct kmp_recorder *recorder;
	struct kmp_tags *tags;
	struct kmp_ledger *ledger; /* what the recorder told last */
	VEC(struct known) known;   /* by number in the tags */
	VEC(struct kmp_tag) fresh; /* in no picture before */
	struct kmp_index index;
	uint64_t pictures;
	pthread_mutex_t renewing; /* guards all above */
	pthread_rwlock_t figures; /* taken by who reads tags, exclusively by who changes them */
	atomic_llong begun;	  /* when the picture was begun; 0: there is none */
	atomic_llong cost;
};

DEFINE_CLEANUP(live_tags, struct kmp_live_tags *, kmp_live_tags_destroy)

struct kmp_error *kmp_live_tags_create(struct kmp_recorder *recorder, struct kmp_tags *tags,
				       struct kmp_live_tags **out)
{
	struct kmp_live_tags *live cleanup(cleanup_live_tags) = calloc(1, sizeof(*live));

	if (!live)
		return &kmp_error_no_memory;
	pthread_mutex_init(&live->renewing, NULL);
	pthread_rwlock_init(&live->figures, NULL);
	live->recorder = recorder;
	live->tags = tags;
	try(kmp_ledger_create(&live->ledger));
	*out = no_free(live);
	return NULL;
}

void kmp_live_tags_destroy(struct kmp_live_tags *live)
{
	if (!live)
		return;
	kmp_ledger_destroy(live->ledger);
	vec_deinit(&live->known);
	vec_deinit(&live->fresh);
	kmp_index_deinit(&live->index);
	pthread_mutex_destroy(&live->renewing);
	pthread_rwlock_destroy(&live->figures);
	free(live);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t hash_place(const char *file, uint64_t line, const char *function,
			   const char *module)
{
	uint64_t hash = mix(line, (uintptr_t)file);

	return mix(mix(hash, (uintptr_t)function), (uintptr_t)module);
}

static uint64_t hash_known(const void *arg, uint32_t number)
{
	const struct kmp_live_tags *live = arg;
	const struct known *known = &live->known.data[number];

	return hash_place(known->file, known->line, known->function, known->module);
}

static uint64_t hash_tag(const struct kmp_tag *tag)
{
	return hash_place(tag->file, tag->line, tag->function, tag->module);
}

/* A picture that failed may have left numbers in the index that are no tag's: they don't match. */
static struct known *find(const struct kmp_live_tags *live, const struct kmp_tag *tag)
{
	struct kmp_index_cursor cursor = index_start(&live->index, hash_tag(tag));
	uint32_t number;

	while ((number = index_next(&live->index, &cursor)) != KMP_NONE) {
		struct known *known = &live->known.data[number];

		if (number < live->known.len && known->file == tag->file &&
		    known->line == tag->line && known->function == tag->function &&
		    known->module == tag->module)
			return known;
	}
	return NULL;
}

static struct kmp_error *add_known(struct kmp_live_tags *live, const struct kmp_tag *tag)
{
	const struct known known = { tag->file,	 tag->function, tag->module,   tag->line,
				     tag->bytes, tag->calls,	live->pictures };
	uint32_t number = (uint32_t)live->known.len;

	try(vec_push(&live->known, known));
	return kmp_index_add(&live->index, hash_tag(tag), number, hash_known, live);
}

/* What was never seen before goes behind the tags, all of it or nothing. */
static struct kmp_error *add_fresh(struct kmp_live_tags *live)
{
	size_t before = live->known.len;
	struct kmp_error *err = NULL;

	for (size_t i = 0; !err && i < live->fresh.len; i++)
		err = add_known(live, &live->fresh.data[i]);
	if (!err)
		err = kmp_tags_add(live->tags, live->fresh.data, live->fresh.len);
	if (err)
		live->known.len = before;
	return err;
}

static void change(struct kmp_live_tags *live, size_t number, int64_t bytes, int64_t calls)
{
	struct known *known = &live->known.data[number];

	if (bytes == known->bytes && calls == known->calls)
		return;
	kmp_tags_charge(live->tags, number, 0, bytes - known->bytes, calls - known->calls);
	known->bytes = bytes;
	known->calls = calls;
}

/* Make the tags what the ledger says: what it does not have holds nothing. */
static struct kmp_error *take_picture(struct kmp_live_tags *live)
{
	const struct kmp_tag *tags = kmp_ledger_tags(live->ledger);
	size_t count = kmp_ledger_count(live->ledger, KMP_LIST_TAGS);

	live->fresh.len = 0;
	live->pictures++;
	for (size_t i = 0; i < count; i++) {
		if (!find(live, &tags[i]))
			try(vec_push(&live->fresh, tags[i]));
	}
	try(add_fresh(live));
	for (size_t i = 0; i < count; i++) {
		struct known *known = find(live, &tags[i]);

		known->picture = live->pictures;
		change(live, (size_t)(known - live->known.data), tags[i].bytes, tags[i].calls);
	}
	for (size_t i = 0; i < live->known.len; i++) {
		if (live->known.data[i].picture != live->pictures)
			change(live, i, 0, 0);
	}
	return NULL;
}

static struct kmp_error *renew(struct kmp_live_tags *live)
{
	long long begun = (long long)clock_ns(CLOCK_MONOTONIC);

	kmp_ledger_clear(live->ledger);
	try(kmp_recorder_read_tags(live->recorder, live->ledger));
	pthread_rwlock_wrlock(&live->figures);
	struct kmp_error *err = take_picture(live);

	pthread_rwlock_unlock(&live->figures);
	if (err)
		return err;
	atomic_store(&live->cost, (long long)clock_ns(CLOCK_MONOTONIC) - begun);
	atomic_store(&live->begun, begun);
	return NULL;
}

static bool is_new_enough(struct kmp_live_tags *live, enum kmp_live_age age, long long asked)
{
	long long begun = atomic_load(&live->begun);
	long long cost = atomic_load(&live->cost) * COST_SHARE;

	if (!begun)
		return false;
	if (age == KMP_LIVE_NOW)
		return begun >= asked;
	return (long long)clock_ns(CLOCK_MONOTONIC) - begun < (cost > AGE_NS ? cost : AGE_NS);
}

struct kmp_error *kmp_live_tags_enter(struct kmp_live_tags *live, enum kmp_live_age age)
{
	long long asked = (long long)clock_ns(CLOCK_MONOTONIC);

	if (!is_new_enough(live, age, asked)) {
		struct kmp_error *err = NULL;

		pthread_mutex_lock(&live->renewing);
		if (!is_new_enough(live, age, asked))
			err = renew(live);
		pthread_mutex_unlock(&live->renewing);
		try(err);
	}
	pthread_rwlock_rdlock(&live->figures);
	return NULL;
}

void kmp_live_tags_leave(struct kmp_live_tags *live)
{
	pthread_rwlock_unlock(&live->figures);
}
