// SPDX-License-Identifier: GPL-2.0-only
/* The small files that tell about a machine; the first byte chooses which one it is. */
#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "source/gfp_names.h"
#include "source/memcg_names.h"
#include "source/zones.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void format(const char *text)
{
	struct kmp_gfp_bits bits;
	struct kmp_gfp_table table;
	char names[KMP_GFP_TEXT_MAX];

	kmp_gfp_bits_default(&bits);
	if (!kmp_gfp_table_format(&table, &bits, text))
		return;
	assert(table.count > 0 && table.count <= KMP_GFP_NAMES_MAX);
	for (uint32_t mask = 1; mask; mask = mask * 3 << 1) {
		size_t len = kmp_gfp_print(&table, mask, names, sizeof(names));

		assert(len < sizeof(names) && strtoull(names, NULL, 16) == mask);
	}
	kmp_gfp_print(&table, UINT32_MAX, names, sizeof(names));
}

static struct kmp_error *zoneinfo(const char *path)
{
	struct kmp_zones zones;

	try(kmp_zones_load(path, &zones));
	for (size_t i = 0; i < zones.zones.len; i++) {
		const struct kmp_zone *z = &zones.zones.data[i];

		assert(z->count && z->node >= 0 && z->zone >= 0);
		assert(kmp_zones_find(&zones, z->first + z->count - 1));
	}
	kmp_zones_deinit(&zones);
	return NULL;
}

static struct kmp_error *iomem(const char *path)
{
	const struct kmp_zones none = { 0 };
	struct kmp_pfn_ranges ranges;
	uint64_t sum = 0;

	try(kmp_pfn_ranges_load(path, &none, 4096, &ranges));
	for (size_t i = 0; i < ranges.ranges.len; i++) {
		const struct kmp_pfn_range *r = &ranges.ranges.data[i];

		assert(kmp_pfn_ranges_index(&ranges, r->first) == sum);
		sum += r->count;
		assert(kmp_pfn_ranges_index(&ranges, r->first + r->count - 1) == sum - 1);
		assert(kmp_pfn_ranges_index(&ranges, r->first + r->count) == UINT64_MAX);
	}
	assert(sum == ranges.count);
	kmp_pfn_ranges_deinit(&ranges);
	return NULL;
}

static struct kmp_error *pagetypeinfo(const char *path)
{
	struct kmp_pageblocks blocks;

	try(kmp_pageblocks_load(path, &blocks));
	assert(blocks.order < 32 && blocks.types <= KMP_MIGRATETYPES_MAX);
	for (uint32_t i = 0; i < blocks.types; i++)
		assert(strlen(blocks.names[i]) < KMP_MIGRATETYPE_SIZE);
	return NULL;
}

static struct kmp_error *mounts(const char *path)
{
	char place[64];

	try(kmp_memcg_mount(path, place, sizeof(place)));
	assert(strlen(place) < sizeof(place));
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kmp_error *(*const readers[])(const char *) = { zoneinfo, iomem, pagetypeinfo,
								      mounts };
	char path[64];

	if (!size)
		return 0;
	if (data[0] == 'f') {
		auto_free char *text = strndup((const char *)data + 1, size - 1);

		assert(text);
		format(text);
		return 0;
	}
	int fd auto_fd = memfd_create("input", 0);
	assert(fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)size - 1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	kmp_error_destroy(readers[data[0] % 4](path));
	return 0;
}
