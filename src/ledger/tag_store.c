// SPDX-License-Identifier: GPL-2.0-only
#include "ledger/tag_store.h"

#include "base/cleanup.h"
#include "base/path.h"

enum { CPUS_MAX = 1 << 16 };

DEFINE_CLEANUP(tags, struct kmp_tags *, kmp_tags_destroy)

static unsigned round_up(unsigned value, unsigned unit)
{
	return (value + unit - 1) / unit * unit;
}

struct kmp_error *kmp_tags_create_empty(unsigned cpus, struct kmp_tags **tags)
{
	if (!cpus || cpus > CPUS_MAX)
		return kmp_error_new(KMP_ERROR_USAGE, "tags on %u CPUs (1 to %d)", cpus, CPUS_MAX);

	auto_free struct kmp_tags *new = calloc(1, sizeof(*new));

	if (!new || pthread_rwlock_init(&new->lock, NULL))
		return &kmp_error_no_memory;
	new->cpus = cpus;
	new->stride = cpus < KMP_COUNTERS_LINE ? cpus : round_up(cpus, KMP_COUNTERS_LINE);
	new->team = round_up(cpus, KMP_TAG_TEAMS * KMP_COUNTERS_LINE) / KMP_TAG_TEAMS;
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
	vec_deinit(&tags->sums);
	kmp_counters_deinit(&tags->bytes);
	kmp_counters_deinit(&tags->calls);
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
	struct kmp_tag_sums sums = { .bytes.value = (uint64_t)tag->bytes,
				     .calls.value = (uint64_t)tag->calls };
	uint32_t unused;

	try(intern(tags, tag->module, &words.module, &key.module));
	try(intern(tags, tag->function, &words.function, &key.function));
	try(intern(tags, tag->file, &words.file, &key.file));
	try(intern_path(tags, tag->file, &key.path));
	try(intern(tags, tag->extra, &words.extra, &unused));
	try(vec_push(&tags->keys, key));
	try(vec_push(&tags->touched, tag->bytes || tag->calls));
	try(vec_push(&tags->sums, sums));
	return vec_push(&tags->words, words);
}

/* Counters of count tags more, behind those of the keys. */
static struct kmp_error *add_counters(struct kmp_tags *tags, const struct kmp_tag *list,
				      size_t count)
{
	size_t begin = tags->keys.len * tags->stride;
	size_t cells;

	if (__builtin_mul_overflow(count, tags->stride, &cells))
		return &kmp_error_no_memory;
	try(kmp_counters_add(&tags->bytes, begin, cells));
	try(kmp_counters_add(&tags->calls, begin, cells));
	for (size_t i = 0; i < count; i++) {
		tags->bytes.data[begin + i * tags->stride] = (uint64_t)list[i].bytes;
		tags->calls.data[begin + i * tags->stride] = (uint64_t)list[i].calls;
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

	size_t before = tags->keys.len;
	struct kmp_error *err = add_tags(tags, list, count);

	if (err) {
		tags->keys.len = before;
		tags->words.len = before;
		tags->touched.len = before;
		tags->sums.len = before;
	} else {
		tags->content_id++;
	}
	pthread_rwlock_unlock(&tags->lock);
	return err;
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
