// SPDX-License-Identifier: GPL-2.0-only
/* Where there is memory, in sections. */
#include <unistd.h>

#include "base/cleanup.h"
#include "source/recorder.h"
#include "source/zones.h"

static struct kmp_error *add(struct kmp_sections *s, uint64_t first, uint64_t last)
{
	for (uint64_t n = first; n <= last; n++) {
		if (n > UINT32_MAX / 2)
			return kmp_error_new(KMP_ERROR_LIMIT, "memory at too high an address");
		if (s->numbers.len && s->numbers.data[s->numbers.len - 1] >= n)
			continue;
		try(vec_push(&s->numbers, (uint32_t)n));
		s->last = (uint32_t)n;
	}
	return NULL;
}

struct kmp_error *kmp_sections_find(struct kmp_sections *s)
{
	struct kmp_zones zones cleanup(kmp_zones_deinit) = { 0 };
	struct kmp_pfn_ranges ranges cleanup(kmp_pfn_ranges_deinit) = { 0 };

	*s = (struct kmp_sections){ 0 };
	try(kmp_zones_load("/proc/zoneinfo", &zones));
	try(kmp_pfn_ranges_load("/proc/iomem", &zones, (uint32_t)getpagesize(), &ranges));
	for (size_t i = 0; i < ranges.ranges.len; i++) {
		const struct kmp_pfn_range *r = &ranges.ranges.data[i];

		try(add(s, r->first >> RECORD_SECTION_SHIFT,
			(r->first + r->count - 1) >> RECORD_SECTION_SHIFT));
	}
	return NULL;
}

void kmp_sections_deinit(struct kmp_sections *s)
{
	vec_deinit(&s->numbers);
}
