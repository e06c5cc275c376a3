// SPDX-License-Identifier: GPL-2.0-only
#include "ledger/groups.h"

#include <xxhash.h>

#include "base/cleanup.h"
#include "ledger/ledger.h"

struct kmp_groups_owner {
	struct kmp_groups groups; /* first, so that both have one address */
	struct kmp_arena arena;	  /* keys' values, lists of names */
	struct kmp_pool texts;	  /* all texts */
	struct kmp_pool traces;	  /* arrays of pointers into texts */
};

void kmp_groups_destroy(struct kmp_groups *groups)
{
	struct kmp_groups_owner *owner = (struct kmp_groups_owner *)groups;

	if (!owner)
		return;
	free(owner->groups.groups);
	kmp_arena_deinit(&owner->arena);
	kmp_pool_deinit(&owner->texts);
	kmp_pool_deinit(&owner->traces);
	free(owner);
}

struct kmp_groups *kmp_builder_result(struct kmp_builder *builder)
{
	return &builder->owner->groups;
}

void kmp_builder_deinit(struct kmp_builder *builder)
{
	if (builder->owner)
		kmp_groups_destroy(&builder->owner->groups);
	vec_deinit(&builder->groups);
	vec_deinit(&builder->ids);
	vec_deinit(&builder->frames);
	kmp_index_deinit(&builder->index);
	builder->owner = NULL;
}

static struct kmp_error *intern(struct kmp_builder *builder, const char *text, size_t len,
				uint32_t *id, const char **out)
{
	struct kmp_pool *texts = &builder->owner->texts;

	try(kmp_pool_intern(texts, text, len, id));
	*out = texts->strings.data[*id].text;
	return NULL;
}

struct kmp_error *kmp_builder_text(struct kmp_builder *builder, const char *text, size_t len,
				   const char **out)
{
	uint32_t id;

	return intern(builder, text, len, &id, out);
}

static struct kmp_error *set_keys(struct kmp_builder *builder, const char *const *keys)
{
	struct kmp_groups *groups = &builder->owner->groups;
	void *mem;

	try(kmp_arena_alloc(&builder->owner->arena, builder->key_count * sizeof(*keys), &mem));
	const char **names = mem;

	for (size_t i = 0; i < builder->key_count; i++)
		try(kmp_builder_text(builder, keys[i], strlen(keys[i]), &names[i]));
	groups->keys = names;
	groups->key_count = builder->key_count;
	return NULL;
}

struct kmp_error *kmp_builder_init(struct kmp_builder *builder, enum kmp_unit unit,
				   const char *const *keys, size_t key_count)
{
	*builder = (struct kmp_builder){ .key_count = key_count };
	builder->owner = calloc(1, sizeof(*builder->owner));
	if (!builder->owner)
		return &kmp_error_no_memory;
	struct kmp_groups *groups = &builder->owner->groups;

	groups->unit = unit;
	groups->facts = (struct kmp_facts){ .name = "", .kind = "", .mode = "", .kernel = "" };
	groups->facts_before = groups->facts;
	groups->losses.first_reason = "";
	struct kmp_error *err = set_keys(builder, keys);

	if (err)
		kmp_builder_deinit(builder);
	return err;
}

static struct kmp_error *copy_facts(struct kmp_builder *builder, const struct kmp_facts *from,
				    struct kmp_facts *to)
{
	struct kmp_facts copy = *from;
	const char **strings[] = { &copy.name, &copy.kind, &copy.mode, &copy.kernel };

	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
		try(kmp_builder_text(builder, *strings[i], strlen(*strings[i]), strings[i]));
	*to = copy;
	return NULL;
}

/* The first reason told is kept. */
static struct kmp_error *add_losses(struct kmp_builder *builder, const struct kmp_losses *more)
{
	struct kmp_losses *losses = &builder->owner->groups.losses;

	if (!losses->skipped && more->skipped) {
		losses->first_line = more->first_line;
		try(kmp_builder_text(builder, more->first_reason, strlen(more->first_reason),
				     &losses->first_reason));
	}
	losses->skipped += more->skipped;
	losses->dropped += more->dropped;
	losses->cut += more->cut;
	return NULL;
}

static struct kmp_error *add_warnings(struct kmp_builder *builder, const char *const *more,
				      size_t count)
{
	struct kmp_groups *groups = &builder->owner->groups;
	void *mem;

	try(kmp_arena_alloc(&builder->owner->arena, (groups->warning_count + count) * sizeof(*more),
			    &mem));
	const char **lines = mem;
	size_t n = groups->warning_count;

	if (n)
		memcpy(lines, groups->warnings, n * sizeof(*lines));
	for (size_t i = 0; i < count; i++) {
		const char *line;
		size_t known = 0;

		try(kmp_builder_text(builder, more[i], strlen(more[i]), &line));
		while (known < n && lines[known] != line)
			known++;
		if (known == n)
			lines[n++] = line;
	}
	groups->warnings = lines;
	groups->warning_count = n;
	return NULL;
}

struct kmp_error *kmp_builder_facts(struct kmp_builder *builder, const struct kmp_ledger *ledger)
{
	try(copy_facts(builder, &ledger->facts, &builder->owner->groups.facts));
	try(add_losses(builder, &ledger->losses));
	return add_warnings(builder, ledger->warnings.data, ledger->warnings.len);
}

struct kmp_error *kmp_builder_facts_of(struct kmp_builder *builder, const struct kmp_groups *from,
				       struct kmp_facts *to)
{
	try(copy_facts(builder, &from->facts, to));
	try(add_losses(builder, &from->losses));
	return add_warnings(builder, from->warnings, from->warning_count);
}

static struct kmp_error *copy_frames(struct kmp_builder *builder, struct kmp_value *value,
				     uint32_t *id)
{
	struct kmp_pool *traces = &builder->owner->traces;
	uint32_t text;

	builder->frames.len = 0;
	try(vec_reserve(&builder->frames, value->depth));
	for (size_t i = 0; i < value->depth; i++)
		try(intern(builder, value->frames[i], strlen(value->frames[i]), &text,
			   &builder->frames.data[i]));
	/* Equal frames are equal pointers now, so that their bytes identify the trace. */
	try(kmp_pool_intern(traces, (const char *)builder->frames.data,
			    value->depth * sizeof(*value->frames), id));
	value->frames = (const char *const *)(const void *)traces->strings.data[*id].text;
	return NULL;
}

/* Copy what the value points to and tell what identifies it. */
static struct kmp_error *copy_value(struct kmp_builder *builder, struct kmp_value *value,
				    uint64_t id[2])
{
	uint32_t number = 0;

	id[0] = value->kind;
	id[1] = 0;
	switch (value->kind) {
	case KMP_VALUE_NONE:
		*value = (struct kmp_value){ .kind = KMP_VALUE_NONE };
		return NULL;
	case KMP_VALUE_NUMBER:
		id[1] = (uint64_t)value->number;
		return NULL;
	case KMP_VALUE_TEXT:
		try(intern(builder, value->text, value->len, &number, &value->text));
		id[1] = number;
		return NULL;
	case KMP_VALUE_STACK:
		if (!value->depth) {
			id[1] = (uint64_t)value->number;
			return NULL;
		}
		try(copy_frames(builder, value, &number));
		id[0] |= 1 << 8;
		id[1] = number;
		return NULL;
	}
	return NULL;
}

static uint64_t group_hash_of(const void *arg, uint32_t number)
{
	const struct kmp_builder *builder = arg;
	size_t width = builder->key_count * 2;

	return XXH3_64bits(builder->ids.data + number * width, width * sizeof(uint64_t));
}

static struct kmp_error *new_group(struct kmp_builder *builder, const struct kmp_value *values)
{
	struct kmp_group group = { .ts_first = KMP_UNKNOWN,
				   .ts_last = KMP_UNKNOWN,
				   .seen = builder->groups.len };
	size_t bytes = builder->key_count * sizeof(*values);
	void *key;

	try(kmp_arena_alloc(&builder->owner->arena, bytes, &key));
	if (bytes)
		memcpy(key, values, bytes);
	group.key = key;
	return vec_push(&builder->groups, group);
}

struct kmp_error *kmp_builder_group(struct kmp_builder *builder, const struct kmp_value *values,
				    struct kmp_group **group)
{
	size_t keys = builder->key_count, width = keys * 2;
	auto_free struct kmp_value *copies = calloc(keys + 1, sizeof(*copies));
	uint32_t number = (uint32_t)builder->groups.len;

	if (!copies)
		return &kmp_error_no_memory;
	/* The new id stands behind the last one; it stays there if the group is new. */
	try(vec_reserve(&builder->ids, width + 1));
	uint64_t *id = builder->ids.data + builder->ids.len;

	for (size_t i = 0; i < keys; i++) {
		copies[i] = values[i];
		try(copy_value(builder, &copies[i], id + i * 2));
	}
	uint64_t hash = group_hash_of(builder, number);
	struct kmp_index_cursor cur = index_start(&builder->index, hash);
	uint32_t old;

	while ((old = index_next(&builder->index, &cur)) != KMP_NONE) {
		if (!memcmp(builder->ids.data + old * width, id, width * sizeof(*id))) {
			*group = &builder->groups.data[old];
			return NULL;
		}
	}
	try(kmp_index_add(&builder->index, hash, number, group_hash_of, builder));
	try(new_group(builder, copies));
	builder->ids.len += width;
	*group = &builder->groups.data[number];
	return NULL;
}

static int64_t add(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

int64_t kmp_sums_delta(int64_t a, int64_t b)
{
	int64_t delta;

	if (__builtin_sub_overflow(a, b, &delta))
		return a < b ? INT64_MIN : INT64_MAX;
	return delta;
}

void kmp_sums_add(struct kmp_sums *sums, const struct kmp_sums *more)
{
	sums->records = add(sums->records, more->records);
	sums->pages = add(sums->pages, more->pages);
	sums->bytes = add(sums->bytes, more->bytes);
	sums->inaccurate = add(sums->inaccurate, more->inaccurate);
	sums->members = add(sums->members, more->members);
}

struct kmp_error *kmp_builder_finish(struct kmp_builder *builder, struct kmp_groups **out)
{
	struct kmp_groups *groups = &builder->owner->groups;

	groups->groups = builder->groups.data;
	groups->count = builder->groups.len;
	builder->groups.data = NULL;
	builder->groups.len = builder->groups.cap = 0;
	for (size_t i = 0; i < groups->count; i++) {
		kmp_sums_add(&groups->total, &groups->groups[i].now);
		kmp_sums_add(&groups->total_before, &groups->groups[i].before);
	}
	try(kmp_groups_sort(groups, groups->difference ? "delta" : "bytes"));
	*out = groups;
	builder->owner = NULL;
	return NULL;
}
