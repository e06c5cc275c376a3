// SPDX-License-Identifier: GPL-2.0-only
/*
 * Grouping page owners as they stream by. Each key's value is a 32-bit part (group_keys.h). One
 * key: the part indexes an array of sums. Several, or a part too large for that: a hash table of
 * parts. Texts and frames are looked at in the end, once a group.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/cleanup.h"
#include "ledger/group_keys.h"
#include "ledger/groups.h"
#include "ledger/ledger.h"

/* Page owners are taken in runs, so that each key is one tight loop. */
enum { RUN = 128 };

/* A group so far. */
struct slot {
	uint64_t records;
	uint64_t pages;
	uint64_t entries; /* page owners that came; the highest bit: one was approximate */
};

#define SLOT_APPROXIMATE (UINT64_C(1) << 63)

struct span {
	uint64_t first;
	uint64_t last; /* below first: no time was told */
};

/* Sums by number; times beside them where they are kept. */
struct slots {
	VEC(struct slot) sums;
	VEC(struct span) times;
};

struct kmp_grouping {
	struct kmp_ledger *ledger;
	struct kmp_filter *filter;
	enum kmp_group_key keys[KMP_KEY_COUNT];
	size_t key_count;
	bool keep_times;
	bool records_unknown;
	struct kmp_parts parts;
	struct slots direct;		      /* by part + 1, so that KMP_NONE is 0 */
	struct slots hashed;		      /* by number of the group */
	VEC(uint32_t) hash_keys;	      /* key_count parts for each group of hashed */
	struct kmp_index index;		      /* of hash_keys */
	uint32_t columns[KMP_KEY_COUNT][RUN]; /* scratch: parts of a run */
};

struct kmp_error *kmp_grouping_create(struct kmp_ledger *ledger, const char *keys,
				      struct kmp_filter *filter, struct kmp_grouping **out)
{
	struct kmp_grouping *grouping = calloc(1, sizeof(*grouping));

	if (!grouping)
		return &kmp_error_no_memory;
	grouping->ledger = ledger;
	grouping->filter = filter;
	struct kmp_error *err = kmp_group_keys_parse(keys, grouping->keys, &grouping->key_count);

	if (err) {
		kmp_grouping_destroy(grouping);
		return err;
	}
	*out = grouping;
	return NULL;
}

static void slots_deinit(struct slots *slots)
{
	vec_deinit(&slots->sums);
	vec_deinit(&slots->times);
}

void kmp_grouping_destroy(struct kmp_grouping *grouping)
{
	if (!grouping)
		return;
	kmp_parts_deinit(&grouping->parts);
	slots_deinit(&grouping->direct);
	slots_deinit(&grouping->hashed);
	vec_deinit(&grouping->hash_keys);
	kmp_index_deinit(&grouping->index);
	free(grouping);
}

void kmp_grouping_keep_times(struct kmp_grouping *grouping)
{
	grouping->keep_times = true;
}

/* Room for the sums of this number. */
static struct kmp_error *slots_reach(struct slots *slots, size_t number, bool times)
{
	size_t old = slots->sums.len, more = number + 1 - old;

	if (number < old)
		return NULL;
	try(vec_reserve(&slots->sums, more));
	if (times) {
		try(vec_reserve(&slots->times, more));
		for (size_t i = old; i <= number; i++)
			slots->times.data[i] = (struct span){ UINT64_MAX, 0 };
		slots->times.len = number + 1;
	}
	memset(slots->sums.data + old, 0, more * sizeof(*slots->sums.data));
	slots->sums.len = number + 1;
	return NULL;
}

static inline uint64_t add_up(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline void slot_add(struct slot *slot, const struct kmp_page *page)
{
	_Static_assert(KMP_FORM_APPROXIMATE == 1 << 17, "the bit that moves to the top");
	slot->records = add_up(slot->records, page->records);
	slot->pages = add_up(slot->pages, page->pages);
	slot->entries = (slot->entries + 1) | (uint64_t)(page->form & KMP_FORM_APPROXIMATE)
						      << (63 - 17);
}

static void time_add(struct span *times, const struct kmp_page *page)
{
	if (page->ts == KMP_UNKNOWN)
		return;
	if (page->ts < times->first)
		times->first = page->ts;
	if (page->ts > times->last)
		times->last = page->ts;
}

static uint64_t hash_of(const void *arg, uint32_t number)
{
	const struct kmp_grouping *grouping = arg;
	size_t width = grouping->key_count;

	return XXH3_64bits(grouping->hash_keys.data + number * width, width * sizeof(uint32_t));
}

static struct kmp_error *new_hashed(struct kmp_grouping *grouping, const uint32_t *key,
				    uint64_t hash, uint32_t *number)
{
	*number = (uint32_t)grouping->hashed.sums.len;
	try(vec_append(&grouping->hash_keys, key, grouping->key_count));
	try(slots_reach(&grouping->hashed, *number, grouping->keep_times));
	return kmp_index_add(&grouping->index, hash, *number, hash_of, grouping);
}

static inline struct kmp_error *find_hashed(struct kmp_grouping *grouping, const uint32_t *key,
					    uint32_t *number)
{
	size_t width = grouping->key_count;
	uint64_t hash = XXH3_64bits(key, width * sizeof(*key));
	struct kmp_index_cursor cur = index_start(&grouping->index, hash);
	uint32_t id;

	while ((id = index_next(&grouping->index, &cur)) != KMP_NONE) {
		const uint32_t *known = grouping->hash_keys.data + id * width;
		size_t i = 0;

		while (i < width && known[i] == key[i])
			i++;
		if (i == width) {
			*number = id;
			return NULL;
		}
	}
	return new_hashed(grouping, key, hash, number);
}

static struct kmp_error *add_hashed(struct kmp_grouping *grouping, const struct kmp_page *page,
				    const uint32_t *key)
{
	uint32_t number;

	try(find_hashed(grouping, key, &number));
	slot_add(&grouping->hashed.sums.data[number], page);
	if (grouping->keep_times)
		time_add(&grouping->hashed.times.data[number], page);
	return NULL;
}

static struct kmp_error *run_direct(struct kmp_grouping *grouping,
				    const struct kmp_page *const *pages, size_t count)
{
	const uint32_t *parts = grouping->columns[0];

	for (size_t i = 0; i < count; i++) {
		uint32_t number = parts[i] + 1;

		if (__builtin_expect(number >= grouping->direct.sums.len, 0)) {
			if (number > KMP_PART_UNRESOLVED) {
				try(add_hashed(grouping, pages[i], &parts[i]));
				continue;
			}
			try(slots_reach(&grouping->direct, number, grouping->keep_times));
		}
		slot_add(&grouping->direct.sums.data[number], pages[i]);
		if (grouping->keep_times)
			time_add(&grouping->direct.times.data[number], pages[i]);
	}
	return NULL;
}

static struct kmp_error *run_hashed(struct kmp_grouping *grouping,
				    const struct kmp_page *const *pages, size_t count)
{
	uint32_t key[KMP_KEY_COUNT];

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < grouping->key_count; k++)
			key[k] = grouping->columns[k][i];
		try(add_hashed(grouping, pages[i], key));
	}
	return NULL;
}

static struct kmp_error *take_run(struct kmp_grouping *grouping, const struct kmp_page *pages,
				  size_t count)
{
	const struct kmp_page *picked[RUN];
	bool untold = false;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		picked[n] = &pages[i];
		if (!grouping->filter ||
		    kmp_filter_match(grouping->filter, grouping->ledger, &pages[i])) {
			untold |= !pages[i].records;
			n++;
		}
	}
	grouping->records_unknown |= untold;
	for (size_t k = 0; k < grouping->key_count; k++)
		try(kmp_parts_of(&grouping->parts, grouping->ledger, grouping->keys[k], picked, n,
				 grouping->columns[k]));
	return grouping->key_count == 1 ? run_direct(grouping, picked, n)
					: run_hashed(grouping, picked, n);
}

static struct kmp_error *take_pages(void *arg, struct kmp_ledger *ledger,
				    const struct kmp_page *pages, size_t count)
{
	for (size_t done = 0; done < count; done += RUN)
		try(take_run(arg, pages + done, count - done < RUN ? count - done : RUN));
	return NULL;
}

struct kmp_sink kmp_grouping_sink(struct kmp_grouping *grouping)
{
	uint32_t columns = grouping->keep_times ? KMP_COLUMN_TS : 0;

	for (size_t k = 0; k < grouping->key_count; k++)
		columns |= kmp_group_key_columns(grouping->keys[k]);
	if (grouping->filter)
		columns |= kmp_filter_columns(grouping->filter);
	return (struct kmp_sink){ take_pages, grouping, columns };
}

static int64_t clamp(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static struct kmp_sums sums_of(const struct kmp_grouping *grouping, const struct slot *slot)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(slot->pages, grouping->ledger->facts.page_size, &bytes))
		bytes = UINT64_MAX;
	return (struct kmp_sums){
		.records = clamp(slot->records),
		.pages = clamp(slot->pages),
		.bytes = clamp(bytes),
		.members = clamp(slot->records ? slot->records : slot->entries & ~SLOT_APPROXIMATE),
	};
}

static void add_times(struct kmp_group *group, const struct span *times)
{
	if (times->first > times->last)
		return;
	if (times->first < group->ts_first)
		group->ts_first = times->first;
	if (group->ts_last == KMP_UNKNOWN || times->last > group->ts_last)
		group->ts_last = times->last;
}

static struct kmp_error *build_group(struct kmp_grouping *grouping, struct kmp_builder *builder,
				     const struct slots *slots, size_t number, const uint32_t *key)
{
	struct kmp_value values[KMP_KEY_COUNT];
	const struct slot *slot = &slots->sums.data[number];
	struct kmp_group *group;

	for (size_t k = 0; k < grouping->key_count; k++)
		try(kmp_part_value(&grouping->parts, grouping->ledger, grouping->keys[k], key[k],
				   &values[k]));
	try(kmp_builder_group(builder, values, &group));
	struct kmp_sums sums = sums_of(grouping, slot);

	kmp_sums_add(&group->now, &sums);
	group->approximate |= (slot->entries & SLOT_APPROXIMATE) != 0;
	if (grouping->keep_times)
		add_times(group, &slots->times.data[number]);
	return NULL;
}

static struct kmp_error *build(struct kmp_grouping *grouping, struct kmp_builder *builder,
			       struct kmp_groups **groups)
{
	for (size_t i = 0; i < grouping->direct.sums.len; i++) {
		uint32_t part = (uint32_t)i - 1;

		if (grouping->direct.sums.data[i].entries)
			try(build_group(grouping, builder, &grouping->direct, i, &part));
	}
	for (size_t i = 0; i < grouping->hashed.sums.len; i++)
		try(build_group(grouping, builder, &grouping->hashed, i,
				grouping->hash_keys.data + i * grouping->key_count));
	try(kmp_builder_facts(builder, grouping->ledger));
	kmp_builder_result(builder)->records_unknown = grouping->records_unknown;
	return kmp_builder_finish(builder, groups);
}

struct kmp_error *kmp_grouping_finish(struct kmp_grouping *grouping, struct kmp_groups **groups)
{
	const char *names[KMP_KEY_COUNT];
	struct kmp_builder builder;

	for (size_t k = 0; k < grouping->key_count; k++)
		names[k] = kmp_group_key_names[grouping->keys[k]];
	struct kmp_error *err =
		kmp_builder_init(&builder, KMP_UNIT_PAGES, names, grouping->key_count);

	if (!err) {
		err = build(grouping, &builder, groups);
		kmp_builder_deinit(&builder);
	}
	kmp_grouping_destroy(grouping);
	return err;
}
