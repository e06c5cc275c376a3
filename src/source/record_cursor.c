// SPDX-License-Identifier: GPL-2.0-only
#include "source/record_cursor.h"

static const uint64_t SECTION = 1ull << RECORD_SECTION_SHIFT;

void kmp_record_cursor_init(struct kmp_record_cursor *c, const struct kmp_recorder *recorder,
			    struct kmp_frame_facts *facts)
{
	*c = (struct kmp_record_cursor){ .recorder = recorder, .facts = facts };
}

/* The first section that ends behind a PFN. */
static size_t section_at(const struct kmp_recorder *r, uint64_t pfn)
{
	size_t low = 0;
	size_t high = r->sections.numbers.len;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (r->sections.numbers.data[mid] < pfn >> RECORD_SECTION_SHIFT)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static uint64_t section_start(const struct kmp_recorder *r, size_t section)
{
	return (uint64_t)r->sections.numbers.data[section] << RECORD_SECTION_SHIFT;
}

/* Where the allocation ends that begins before a frame and covers it; the frame, if none does. */
static uint64_t covered_at(const struct kmp_recorder *r, size_t section, uint64_t pfn)
{
	const struct record_page *slots = r->pages + (section << RECORD_SECTION_SHIFT);
	struct record_page record;

	if (section == r->sections.numbers.len || pfn < section_start(r, section))
		return pfn;
	for (unsigned order = 1; order <= RECORD_ORDER_MAX; order++) {
		uint64_t head = pfn & ~((1ull << order) - 1);

		if (head == pfn || !kmp_record_copy(&slots[head & (SECTION - 1)], &record) ||
		    (record.info & RECORD_ORDER) < order)
			continue;
		return head + (1ull << (record.info & RECORD_ORDER));
	}
	return pfn;
}

void kmp_record_cursor_seek(struct kmp_record_cursor *c, uint64_t pfn)
{
	if (c->next == pfn)
		return;
	c->next = pfn;
	c->section = section_at(c->recorder, pfn);
	c->covered = covered_at(c->recorder, c->section, pfn);
	c->zone_end = 0;
}

/* Where the zones that span a frame change next: until there its node is known. */
static void find_node(struct kmp_record_cursor *c, uint64_t pfn)
{
	const struct kmp_zones *zones = &c->facts->names->zones;
	const struct kmp_zone *zone = kmp_zones_find(zones, pfn);

	c->node = zone ? zone->node : 0;
	c->zone_end = zone ? zone->first + zone->count : UINT64_MAX;
	for (size_t i = 0; i < zones->zones.len; i++) {
		uint64_t first = zones->zones.data[i].first;

		if (first > pfn && first < c->zone_end)
			c->zone_end = first;
	}
}

static bool is_wanted(struct kmp_record_cursor *c, uint64_t pfn)
{
	if (!c->nodes)
		return true;
	if (pfn >= c->zone_end)
		find_node(c, pfn);
	return kmp_nodelist_has(c->nodes, c->node);
}

/* Is something to be told that begins at this frame? */
static struct kmp_error *look(struct kmp_record_cursor *c, const struct record_page *slot,
			      uint64_t pfn, struct kmp_found *found, bool *is)
{
	*is = false;
	found->pfn = pfn;
	found->attributed = kmp_record_copy(slot, &found->record);
	if (!found->attributed && (!c->recorder->options.all || pfn < c->covered))
		return NULL;
	if (!is_wanted(c, pfn))
		return NULL;
	if (found->attributed) {
		found->order = found->record.info & RECORD_ORDER;
		*is = true;
	} else {
		try(kmp_frame_facts_in_use(c->facts, pfn, is, &found->order));
	}
	if (*is)
		c->covered = pfn + (1ull << found->order);
	return NULL;
}

struct kmp_error *kmp_record_cursor_next(struct kmp_record_cursor *c, struct kmp_found *found,
					 bool *end)
{
	const struct kmp_recorder *r = c->recorder;

	*end = false;
	for (; c->section < r->sections.numbers.len; c->section++) {
		const struct record_page *slots = r->pages + (c->section << RECORD_SECTION_SHIFT);
		uint64_t start = section_start(r, c->section);

		if (c->next < start)
			c->next = start;
		while (c->next < start + SECTION) {
			uint64_t pfn = c->next++;
			bool is;

			try(look(c, &slots[pfn - start], pfn, found, &is));
			if (is)
				return NULL;
		}
	}
	*end = true;
	return NULL;
}
