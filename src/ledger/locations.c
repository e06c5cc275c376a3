// SPDX-License-Identifier: GPL-2.0-only
#include "ledger/locations.h"

#include <xxhash.h>

#include "base/path.h"
#include "ledger/groups.h"
#include "ledger/ledger.h"

/* The kernel's ioctl compares no more than this many bytes, the last ones. */
enum { TEXT_MAX = 63 };

void kmp_locations_deinit(struct kmp_locations *locations)
{
	kmp_pool_deinit(&locations->texts);
	vec_deinit(&locations->list);
	vec_deinit(&locations->path);
	kmp_index_deinit(&locations->index);
}

static const char *tail(const char *text)
{
	size_t len = strlen(text);

	return len > TEXT_MAX ? text + len - TEXT_MAX : text;
}

static bool text_passes(const char *text, const char *want)
{
	return !want || !strcmp(tail(text), tail(want));
}

/* Normalise the tag's file into the scratch; its length is that of scratch. */
static struct kmp_error *normalise(struct kmp_locations *locations, const struct kmp_tag *tag)
{
	size_t len = strlen(tag->file);

	locations->path.len = 0;
	try(vec_reserve(&locations->path, len + 2));
	locations->path.len = kmp_path_normalise(tag->file, len, locations->path.data);
	return NULL;
}

static bool tag_passes(const struct kmp_tag *tag, const char *normalised,
		       const struct kmp_tag_filter *filter)
{
	return text_passes(tag->module, filter->module) &&
	       text_passes(tag->function, filter->function) &&
	       (text_passes(tag->file, filter->file) || text_passes(normalised, filter->file)) &&
	       (!filter->line || tag->line == filter->line);
}

static bool location_passes(const struct kmp_location *l, const struct kmp_tag_filter *filter)
{
	if (filter->has_min_size && l->sums.bytes < filter->min_size)
		return false;
	if (filter->has_max_size && l->sums.bytes > filter->max_size)
		return false;
	return filter->accurate < 0 || !l->sums.inaccurate == !!filter->accurate;
}

static uint64_t location_hash(const struct kmp_location *l)
{
	const uint64_t key[] = { l->file, l->module, l->function, l->line };

	return XXH3_64bits(key, sizeof(key));
}

static uint64_t location_hash_of(const void *arg, uint32_t number)
{
	const struct kmp_locations *locations = arg;

	return location_hash(&locations->list.data[number]);
}

static bool is_same(const struct kmp_location *a, const struct kmp_location *b)
{
	return a->file == b->file && a->module == b->module && a->function == b->function &&
	       a->line == b->line;
}

/* The location of this identity, new or old. */
static struct kmp_error *find(struct kmp_locations *locations, const struct kmp_location *key,
			      struct kmp_location **out)
{
	uint64_t hash = location_hash(key);
	struct kmp_index_cursor cur = index_start(&locations->index, hash);
	uint32_t number;

	while ((number = index_next(&locations->index, &cur)) != KMP_NONE) {
		*out = &locations->list.data[number];
		if (is_same(*out, key))
			return NULL;
	}
	number = (uint32_t)locations->list.len;
	try(vec_push(&locations->list, *key));
	try(kmp_index_add(&locations->index, hash, number, location_hash_of, locations));
	*out = &locations->list.data[number];
	return NULL;
}

static const char *fault_of(int64_t bytes, int64_t calls)
{
	if (bytes < 0)
		return "bytes below zero";
	if (calls < 0)
		return "calls below zero";
	if (bytes && !calls)
		return "bytes without calls";
	return !bytes && calls ? "calls without bytes" : NULL;
}

static struct kmp_error *intern(struct kmp_locations *locations, const char *text, uint32_t *id)
{
	return kmp_pool_intern(&locations->texts, text, strlen(text), id);
}

static struct kmp_error *add_tag(struct kmp_locations *locations, const struct kmp_tag *tag)
{
	struct kmp_location key = { .line = tag->line }, *found;

	try(intern(locations, locations->path.data, &key.file));
	try(intern(locations, tag->file, &key.printed));
	try(intern(locations, tag->module, &key.module));
	try(intern(locations, tag->function, &key.function));
	try(find(locations, &key, &found));
	found->respelled |= found->printed != key.printed;
	found->approximate |= tag->approximate;
	kmp_sums_add(&found->sums,
		     &(struct kmp_sums){ .records = tag->calls, .bytes = tag->bytes });
	found->sums.members = 1;
	found->sums.inaccurate |= !tag->accurate;
	if (!found->fault)
		found->fault = fault_of(tag->bytes, tag->calls);
	return NULL;
}

struct kmp_error *kmp_locations_fill(struct kmp_locations *locations,
				     const struct kmp_ledger *ledger,
				     const struct kmp_tag_filter *filter)
{
	static const struct kmp_tag_filter all = { .accurate = -1 };
	size_t kept = 0;

	if (!filter)
		filter = &all;
	for (size_t i = 0; i < ledger->tags.len; i++) {
		const struct kmp_tag *tag = &ledger->tags.data[i];

		try(normalise(locations, tag));
		if (tag_passes(tag, locations->path.data, filter))
			try(add_tag(locations, tag));
	}
	/* From here on the index is of no use. */
	for (size_t i = 0; i < locations->list.len; i++) {
		struct kmp_location *l = &locations->list.data[i];
		const char *fault = fault_of(l->sums.bytes, l->sums.records);

		if (fault)
			l->fault = fault;
		if (location_passes(l, filter))
			locations->list.data[kept++] = *l;
	}
	locations->list.len = kept;
	return NULL;
}
