// SPDX-License-Identifier: GPL-2.0-only
#include "ledger/tag_store.h"

#include <assert.h>

#ifdef __x86_64__
#include <emmintrin.h>
#endif

#include "base/cleanup.h"
#include "base/path.h"

#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZER
#endif
#endif

enum { CPUS_MAX = 1 << 16, TEAMS_MAX = 64, LINE_COUNTERS = 8 };

DEFINE_CLEANUP(tags, struct kmp_tags *, kmp_tags_destroy)

struct kmp_error *kmp_tags_create_empty(unsigned cpus, struct kmp_tags **tags)
{
	if (!cpus || cpus > CPUS_MAX)
		return kmp_error_new(KMP_ERROR_USAGE, "tags on %u CPUs (1 to %d)", cpus, CPUS_MAX);

	auto_free struct kmp_tags *new = calloc(1, sizeof(*new));

	if (!new || pthread_rwlock_init(&new->lock, NULL))
		return &kmp_error_no_memory;
	new->cpus = cpus;
	new->team = (cpus + TEAMS_MAX * LINE_COUNTERS - 1) / (TEAMS_MAX * LINE_COUNTERS) *
		    LINE_COUNTERS;
	*tags = no_free(new);
	return NULL;
}

struct kmp_error *kmp_tags_create(const struct kmp_ledger *ledger, struct kmp_tags **tags)
{
	cleanup(cleanup_tags) struct kmp_tags *new = NULL;

	try(kmp_tags_create_empty(1, &new));
	try(kmp_tags_add(new, kmp_ledger_tags(ledger), kmp_ledger_count(ledger, KMP_LIST_TAGS)));
	*tags = no_free(new);
	return NULL;
}

void kmp_tags_destroy(struct kmp_tags *tags)
{
	if (!tags)
		return;
	pthread_rwlock_destroy(&tags->lock);
	kmp_pool_deinit(&tags->texts);
	vec_deinit(&tags->keys);
	vec_deinit(&tags->words);
	vec_deinit(&tags->touched);
	vec_deinit(&tags->bytes);
	vec_deinit(&tags->calls);
	free(tags);
}

const char *kmp_tag_suffix(const char *text, size_t *len)
{
	*len = strlen(text);
	if (*len > KMP_TAG_TEXT_MAX) {
		text += *len - KMP_TAG_TEXT_MAX;
		*len = KMP_TAG_TEXT_MAX;
	}
	return text;
}

/* The numbers of a text as it is and of what is compared of it. */
static struct kmp_error *intern(struct kmp_tags *tags, const char *text, uint32_t *whole,
				uint32_t *suffix)
{
	size_t len;
	const char *end = kmp_tag_suffix(text, &len);

	try(kmp_pool_intern(&tags->texts, text, (size_t)(end - text) + len, whole));
	return kmp_pool_intern(&tags->texts, end, len, suffix);
}

static struct kmp_error *intern_path(struct kmp_tags *tags, const char *file, uint32_t *suffix)
{
	auto_free char *path = malloc(strlen(file) + 2);
	uint32_t whole;

	if (!path)
		return &kmp_error_no_memory;
	kmp_path_normalise(file, strlen(file), path);
	return intern(tags, path, &whole, suffix);
}

static struct kmp_error *add_tag(struct kmp_tags *tags, const struct kmp_tag *tag)
{
	struct kmp_tag_key key = { .line = tag->line, .accurate = tag->accurate };
	struct kmp_tag_words words = { .approximate = tag->approximate };
	uint32_t unused;

	try(intern(tags, tag->module, &words.module, &key.module));
	try(intern(tags, tag->function, &words.function, &key.function));
	try(intern(tags, tag->file, &words.file, &key.file));
	try(intern_path(tags, tag->file, &key.path));
	try(intern(tags, tag->extra, &words.extra, &unused));
	try(vec_push(&tags->keys, key));
	try(vec_push(&tags->touched, tag->bytes || tag->calls));
	return vec_push(&tags->words, words);
}

/* Counters of count tags; they are not counted in yet. */
static struct kmp_error *add_counters(struct kmp_tags *tags, const struct kmp_tag *list,
				      size_t count)
{
	size_t cells;

	if (__builtin_mul_overflow(count, tags->cpus, &cells))
		return &kmp_error_no_memory;
	try(vec_reserve(&tags->bytes, cells));
	try(vec_reserve(&tags->calls, cells));

	uint64_t *bytes = tags->bytes.data + tags->bytes.len;
	uint64_t *calls = tags->calls.data + tags->calls.len;

	memset(bytes, 0, cells * sizeof(*bytes));
	memset(calls, 0, cells * sizeof(*calls));
	for (size_t i = 0; i < count; i++) {
		bytes[i * tags->cpus] = (uint64_t)list[i].bytes;
		calls[i * tags->cpus] = (uint64_t)list[i].calls;
	}
	return NULL;
}

static struct kmp_error *add_tags(struct kmp_tags *tags, const struct kmp_tag *list, size_t count)
{
	try(add_counters(tags, list, count));
	for (size_t i = 0; i < count; i++)
		try(add_tag(tags, &list[i]));
	return NULL;
}

struct kmp_error *kmp_tags_add(struct kmp_tags *tags, const struct kmp_tag *list, size_t count)
{
	if (!count)
		return NULL;
	pthread_rwlock_wrlock(&tags->lock);

	size_t before = tags->bytes.len / tags->cpus;
	struct kmp_error *err = add_tags(tags, list, count);

	if (err) {
		tags->keys.len = before;
		tags->words.len = before;
		tags->touched.len = before;
	} else {
		tags->bytes.len += count * tags->cpus;
		tags->calls.len += count * tags->cpus;
		tags->content_id++;
	}
	pthread_rwlock_unlock(&tags->lock);
	return err;
}

/* One thread writes, so that nothing is lost between load and store. */
static void add_to(uint64_t *counter, int64_t value)
{
	uint64_t old = __atomic_load_n(counter, __ATOMIC_RELAXED);

	__atomic_store_n(counter, old + (uint64_t)value, __ATOMIC_RELAXED);
}

void kmp_tags_charge(struct kmp_tags *tags, size_t number, unsigned cpu, int64_t bytes,
		     int64_t calls)
{
	assert(cpu < tags->cpus && number < tags->touched.len);

	size_t cell = number * tags->cpus + cpu;
	uint64_t *touched = &tags->touched.data[number];
	uint64_t team = UINT64_C(1) << cpu / tags->team;

	if (!(__atomic_load_n(touched, __ATOMIC_RELAXED) & team))
		__atomic_fetch_or(touched, team, __ATOMIC_RELAXED);
	add_to(&tags->bytes.data[cell], bytes);
	add_to(&tags->calls.data[cell], calls);
}

/*
 * The sum of counters that others may be changing: each is read once, as a whole. Four at a time
 * where the machine can, in a way that ThreadSanitizer cannot know to be harmless.
 */
static uint64_t sum_up(const uint64_t *counters, unsigned count)
{
	uint64_t sum = 0;
	unsigned i = 0;

#if defined(__x86_64__) && !defined(THREAD_SANITIZER)
	__m128i even = _mm_setzero_si128(), odd = even;

	for (; count - i >= 4; i += 4) {
		const __m128i *at = (const __m128i *)(counters + i);

		even = _mm_add_epi64(even, _mm_loadu_si128(at));
		odd = _mm_add_epi64(odd, _mm_loadu_si128(at + 1));
	}
	even = _mm_add_epi64(even, odd);
	even = _mm_add_epi64(even, _mm_unpackhi_epi64(even, even));
	sum = (uint64_t)_mm_cvtsi128_si64(even);
#endif
	for (; i < count; i++)
		sum += __atomic_load_n(&counters[i], __ATOMIC_RELAXED);
	return sum;
}

uint64_t kmp_tags_sum(const struct kmp_tags *tags, const uint64_t *counters, uint64_t touched)
{
	uint64_t sum = 0;

	while (touched) {
		unsigned first = (unsigned)__builtin_ctzll(touched);
		uint64_t others = ~(touched >> first);
		unsigned teams = others ? (unsigned)__builtin_ctzll(others) : TEAMS_MAX;
		unsigned begin = first * tags->team, end = begin + teams * tags->team;

		sum += sum_up(counters + begin, (end < tags->cpus ? end : tags->cpus) - begin);
		touched = first + teams < TEAMS_MAX ? touched >> (first + teams) << (first + teams)
						    : 0;
	}
	return sum;
}

size_t kmp_tags_count(struct kmp_tags *tags)
{
	pthread_rwlock_rdlock(&tags->lock);

	size_t count = tags->keys.len;

	pthread_rwlock_unlock(&tags->lock);
	return count;
}

uint64_t kmp_tags_content_id(struct kmp_tags *tags)
{
	pthread_rwlock_rdlock(&tags->lock);

	uint64_t id = tags->content_id;

	pthread_rwlock_unlock(&tags->lock);
	return id;
}
