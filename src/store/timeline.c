// SPDX-License-Identifier: GPL-2.0-only
/*
 * Histories as curves: samples are read and grouped one after the other into a matrix, a row for
 * each owner; the largest rows are the timeline.
 */
#include <assert.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/pool.h"

DEFINE_CLEANUP(ledger, struct kmp_ledger *, kmp_ledger_destroy)
DEFINE_CLEANUP(groups, struct kmp_groups *, kmp_groups_destroy)

enum { SAMPLES = 240, OWNERS = 11, ROWS_MAX = 50000 };

/* The result and what it owns. */
struct timeline {
	struct kmp_timeline public;
	char *key;
	size_t *indices; /* of the samples in the history */
	uint64_t *times;
	int64_t *total;
	struct kmp_pool names; /* of each row: the kind and the value of the key */
	VEC(int64_t *) rows;
	struct kmp_timeline_owner *owners;
};

static struct timeline *inside(struct kmp_timeline *timeline)
{
	return (struct timeline *)timeline;
}

void kmp_timeline_destroy(struct kmp_timeline *public)
{
	struct timeline *timeline = inside(public);

	if (!timeline)
		return;
	for (size_t i = 0; i < timeline->rows.len; i++)
		free(timeline->rows.data[i]);
	vec_deinit(&timeline->rows);
	kmp_pool_deinit(&timeline->names);
	free(timeline->key);
	free(timeline->indices);
	free(timeline->times);
	free(timeline->total);
	free(timeline->owners);
	free(timeline);
}

DEFINE_CLEANUP(timeline, struct kmp_timeline *, kmp_timeline_destroy)

static uint32_t wanted(enum kmp_unit unit)
{
	return unit == KMP_UNIT_TAGS ? KMP_READ_TAGS : KMP_READ_PAGES;
}

/* Which samples: evenly spread over those that hold what is asked for. */
static struct kmp_error *choose_samples(struct timeline *timeline, struct kmp_history *history,
					const struct kmp_timeline_options *options)
{
	size_t count = kmp_history_count(history), there = 0, chosen = 0;
	size_t most = options->samples ? options->samples : SAMPLES;

	if (options->last < count)
		count = options->last + 1;
	timeline->indices = calloc(count + 1, sizeof(size_t));
	timeline->times = calloc(count + 1, sizeof(uint64_t));
	timeline->total = calloc(count + 1, sizeof(int64_t));
	if (!timeline->indices || !timeline->times || !timeline->total)
		return &kmp_error_no_memory;
	for (size_t i = 0; i < count; i++) {
		if (kmp_history_sample(history, i)->holds & wanted(options->unit))
			timeline->indices[there++] = i;
	}
	if (most < 2)
		most = 2;
	for (size_t i = 0; i < there; i++) {
		size_t at = there <= most ? i : i * (there - 1) / (most - 1);

		if (i == most)
			break;
		timeline->indices[chosen] = timeline->indices[at];
		timeline->times[chosen] =
			kmp_history_sample(history, timeline->indices[chosen])->time;
		chosen++;
	}
	timeline->public.sample_count = chosen;
	return NULL;
}

static struct kmp_error *group_pages(struct kmp_history *history, size_t index, const char *key,
				     struct kmp_ledger *ledger, struct kmp_groups **groups)
{
	struct kmp_grouping *grouping;

	try(kmp_grouping_create(ledger, key, NULL, &grouping));
	struct kmp_sink sink = kmp_grouping_sink(grouping);
	struct kmp_error *err = kmp_history_read(history, index, KMP_READ_PAGES, ledger, &sink);

	if (err) {
		kmp_grouping_destroy(grouping);
		return err;
	}
	return kmp_grouping_finish(grouping, groups);
}

static struct kmp_error *group_tags(struct kmp_history *history, size_t index, const char *key,
				    struct kmp_groups **groups)
{
	struct kmp_ledger *ledger cleanup(cleanup_ledger) = NULL;

	try(kmp_ledger_create(&ledger));
	try(kmp_history_read(history, index, KMP_READ_TAGS, ledger, NULL));
	return kmp_tags_group(ledger, key, NULL, groups);
}

/* The row of a value, new or old; NULL where there is no room for more. */
static struct kmp_error *find_row(struct timeline *timeline, const struct kmp_value *value,
				  int64_t **row)
{
	struct {
		uint64_t kind;
		int64_t number;
	} plain = { value->kind, value->kind == KMP_VALUE_TEXT ? 0 : value->number };
	size_t len = value->kind == KMP_VALUE_TEXT ? value->len : 0;
	char *name auto_free = malloc(sizeof(plain) + len + 1);
	uint32_t number;

	if (!name)
		return &kmp_error_no_memory;
	memcpy(name, &plain, sizeof(plain));
	if (len)
		memcpy(name + sizeof(plain), value->text, len);
	number = kmp_pool_find(&timeline->names, name, sizeof(plain) + len);
	*row = NULL;
	if (number == KMP_NONE && timeline->rows.len == ROWS_MAX)
		return NULL;
	if (number == KMP_NONE) {
		try(vec_reserve(&timeline->rows, 1));
		try(kmp_pool_intern(&timeline->names, name, sizeof(plain) + len, &number));
		timeline->rows.data[timeline->rows.len++] =
			calloc(timeline->public.sample_count, sizeof(int64_t));
	}
	assert(timeline->rows.data && number < timeline->rows.len);
	*row = timeline->rows.data[number];
	return *row ? NULL : &kmp_error_no_memory;
}

static struct kmp_error *read_samples(struct timeline *timeline, struct kmp_history *history,
				      const struct kmp_timeline_options *options)
{
	/* One for all samples: it has each stack once, where tags would add up in it. */
	struct kmp_ledger *ledger cleanup(cleanup_ledger) = NULL;

	try(kmp_ledger_create(&ledger));
	for (size_t i = 0; i < timeline->public.sample_count; i++) {
		struct kmp_groups *groups cleanup(cleanup_groups) = NULL;
		size_t index = timeline->indices[i];
		int64_t *row;

		if (options->unit == KMP_UNIT_PAGES)
			try(group_pages(history, index, options->key, ledger, &groups));
		else
			try(group_tags(history, index, options->key, &groups));
		timeline->total[i] = groups->total.bytes;
		for (size_t k = 0; k < groups->count; k++) {
			try(find_row(timeline, groups->groups[k].key, &row));
			if (row)
				row[i] = groups->groups[k].now.bytes;
		}
	}
	return NULL;
}

struct peak {
	int64_t bytes;
	uint32_t row;
};

static int compare_peaks(const void *a, const void *b)
{
	const struct peak *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static struct kmp_value value_of(const struct kmp_string *name)
{
	uint64_t kind;
	struct kmp_value value = { 0 };

	memcpy(&kind, name->text, sizeof(kind));
	memcpy(&value.number, name->text + sizeof(kind), sizeof(value.number));
	value.kind = (enum kmp_value_kind)kind;
	if (value.kind == KMP_VALUE_TEXT) {
		value.text = name->text + sizeof(kind) + sizeof(value.number);
		value.len = name->len - sizeof(kind) - sizeof(value.number);
	}
	return value;
}

static struct kmp_error *choose_owners(struct timeline *timeline, size_t most)
{
	size_t count = timeline->rows.len, samples = timeline->public.sample_count;
	struct peak *peaks auto_free = calloc(count + 1, sizeof(*peaks));

	timeline->owners = calloc(most + 1, sizeof(*timeline->owners));
	if (!peaks || !timeline->owners)
		return &kmp_error_no_memory;
	for (uint32_t i = 0; i < count; i++) {
		peaks[i].row = i;
		for (size_t k = 0; k < samples; k++) {
			if (timeline->rows.data[i][k] > peaks[i].bytes)
				peaks[i].bytes = timeline->rows.data[i][k];
		}
	}
	qsort(peaks, count, sizeof(*peaks), compare_peaks);
	for (size_t i = 0; i < count && i < most && peaks[i].bytes; i++) {
		timeline->owners[i] = (struct kmp_timeline_owner){
			.value = value_of(&timeline->names.strings.data[peaks[i].row]),
			.bytes = timeline->rows.data[peaks[i].row],
		};
		timeline->public.owner_count = i + 1;
	}
	return NULL;
}

static struct kmp_error *check_key(const char *key)
{
	if (strchr(key, ',') || strcmp(key, "stack") == 0 || strcmp(key, "tag") == 0)
		return kmp_error_new(KMP_ERROR_USAGE, "a timeline has one key, and no stack: '%s'",
				     key);
	return NULL;
}

struct kmp_error *kmp_timeline_create(struct kmp_history *history,
				      const struct kmp_timeline_options *options,
				      struct kmp_timeline **result)
{
	struct kmp_timeline *public cleanup(cleanup_timeline) = NULL;
	struct timeline *timeline = calloc(1, sizeof(*timeline));

	if (!timeline)
		return &kmp_error_no_memory;
	public = &timeline->public;
	try(check_key(options->key));
	timeline->key = strdup(options->key);
	if (!timeline->key)
		return &kmp_error_no_memory;
	try(choose_samples(timeline, history, options));
	try(read_samples(timeline, history, options));
	try(choose_owners(timeline, options->owners ? options->owners : OWNERS));
	public->key = timeline->key;
	public->unit = options->unit;
	public->times = timeline->times;
	public->total = timeline->total;
	public->owners = timeline->owners;
	*result = no_free(public);
	return NULL;
}
