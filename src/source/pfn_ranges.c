// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/lines.h"
#include "base/scan.h"
#include "source/zones.h"

DEFINE_CLEANUP(input, struct kmp_input *, kmp_input_destroy)
DEFINE_CLEANUP(lines, struct kmp_lines *, kmp_lines_destroy)

void kmp_pfn_ranges_deinit(struct kmp_pfn_ranges *ranges)
{
	vec_deinit(&ranges->ranges);
	ranges->count = 0;
}

static struct kmp_error *add_range(struct kmp_pfn_ranges *ranges, uint64_t first, uint64_t end)
{
	if (end <= first)
		return NULL;
	return vec_push(&ranges->ranges, (struct kmp_pfn_range){ first, end - first, 0 });
}

/*
 * `00100000-3ffdefff : System RAM`, deeper below the device for memory that a driver added. Bytes,
 * the last included. Half a frame is none.
 */
static struct kmp_error *take_line(struct kmp_pfn_ranges *ranges, const char *line,
				   uint32_t page_size)
{
	const char *p = line + strspn(line, " ");
	uint64_t first;
	uint64_t last;

	if (!scan_hex(&p, &first) || *p++ != '-' || !scan_hex(&p, &last) ||
	    strncmp(p, " : System RAM", 13) != 0 || last == 0)
		return NULL;
	uint64_t end = last == UINT64_MAX ? last / page_size : (last + 1) / page_size;
	return add_range(ranges, first / page_size + (first % page_size != 0), end);
}

static struct kmp_error *read_iomem(const char *path, uint32_t page_size,
				    struct kmp_pfn_ranges *ranges)
{
	struct kmp_input *input cleanup(cleanup_input) = NULL;
	struct kmp_lines *lines cleanup(cleanup_lines) = NULL;
	struct kmp_error *err = kmp_input_open(path, &input);

	if (err) { /* the zones tell then */
		kmp_error_destroy(err);
		return NULL;
	}
	try(kmp_lines_create(input, &lines));
	for (;;) {
		const char *line;
		size_t len;

		try(kmp_lines_next(lines, &line, &len));
		if (!line)
			return NULL;
		try(take_line(ranges, line, page_size));
	}
}

static int by_first(const void *a, const void *b)
{
	const struct kmp_pfn_range *x = a;
	const struct kmp_pfn_range *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Make one of those that touch, and count. */
static void merge(struct kmp_pfn_ranges *ranges)
{
	struct kmp_pfn_range *r = ranges->ranges.data;
	size_t kept = 0;

	if (ranges->ranges.len)
		qsort(r, ranges->ranges.len, sizeof(*r), by_first);
	for (size_t i = 0; i < ranges->ranges.len; i++) {
		uint64_t end = r[i].first + r[i].count;
		uint64_t kept_end = kept ? r[kept - 1].first + r[kept - 1].count : 0;

		if (!kept || r[i].first > kept_end)
			r[kept++] = r[i];
		else if (end > kept_end)
			r[kept - 1].count = end - r[kept - 1].first;
	}
	ranges->ranges.len = kept;
	ranges->count = 0;
	for (size_t i = 0; i < kept; i++) {
		r[i].before = ranges->count;
		ranges->count += r[i].count;
	}
}

struct kmp_error *kmp_pfn_ranges_load(const char *path, const struct kmp_zones *zones,
				      uint32_t page_size, struct kmp_pfn_ranges *out)
{
	struct kmp_pfn_ranges ranges cleanup(kmp_pfn_ranges_deinit) = { 0 };

	try(read_iomem(path, page_size, &ranges));
	size_t spans = ranges.ranges.len ? 0 : zones->zones.len;
	for (size_t i = 0; i < spans; i++) {
		const struct kmp_zone *z = &zones->zones.data[i];

		try(add_range(&ranges, z->first, z->first + z->count));
	}
	if (!ranges.ranges.len)
		return kmp_error_input(path, 0, NULL, 0, "no System RAM in it, and no zone");
	merge(&ranges);
	*out = ranges;
	ranges = (struct kmp_pfn_ranges){ 0 };
	return NULL;
}

uint64_t kmp_pfn_ranges_index(const struct kmp_pfn_ranges *ranges, uint64_t pfn)
{
	size_t low = 0;
	size_t high = ranges->ranges.len;

	while (low < high) {
		size_t mid = (low + high) / 2;
		const struct kmp_pfn_range *r = &ranges->ranges.data[mid];

		if (pfn < r->first)
			high = mid;
		else if (pfn - r->first < r->count)
			return r->before + (pfn - r->first);
		else
			low = mid + 1;
	}
	return UINT64_MAX;
}
