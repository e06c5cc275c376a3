// SPDX-License-Identifier: GPL-2.0-only
#include "source/zones.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/lines.h"
#include "base/scan.h"

DEFINE_CLEANUP(input, struct kmp_input *, kmp_input_destroy)
DEFINE_CLEANUP(lines, struct kmp_lines *, kmp_lines_destroy)

void kmp_zones_deinit(struct kmp_zones *zones)
{
	vec_deinit(&zones->zones);
}

/* `word NUMBER`, blanks around; UINT64_MAX for any other line. */
static uint64_t number_of(const char *line, const char *word)
{
	const char *p = line + strspn(line, " ");
	uint64_t value;

	if (strncmp(p, word, strlen(word)) != 0)
		return UINT64_MAX;
	p += strlen(word);
	p += strspn(p, " ");
	return scan_decimal(&p, &value) && !*p ? value : UINT64_MAX;
}

static struct kmp_error *add_zone(struct kmp_zones *zones, const struct kmp_zone *z)
{
	uint64_t end;

	if (z->node < 0 || !z->count || z->first == UINT64_MAX ||
	    __builtin_add_overflow(z->first, z->count, &end))
		return NULL;
	return vec_push(&zones->zones, *z);
}

static int by_first(const void *a, const void *b)
{
	const struct kmp_zone *x = a;
	const struct kmp_zone *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Pages that lie on the lists of CPUs (`count:`) are no more in use than those of the zone. */
static void count_pages(const char *line, uint64_t *managed, uint64_t *unused)
{
	const uint64_t all = number_of(line, "managed");
	const uint64_t unused_here[] = { number_of(line, "pages free"), number_of(line, "count:") };

	if (all != UINT64_MAX)
		*managed += all;
	for (size_t i = 0; i < 2; i++) {
		if (unused_here[i] != UINT64_MAX)
			*unused += unused_here[i];
	}
}

/* `Node 0, zone    DMA32`, then `spanned 131071`, at its end `start_pfn: 1`. */
static struct kmp_error *read_zones(struct kmp_lines *lines, struct kmp_zones *zones)
{
	struct kmp_zone z = { .first = UINT64_MAX, .node = -1 };
	uint64_t managed = 0, unused = 0;

	for (;;) {
		const char *line;
		size_t len;
		int node;
		char name[2];

		try(kmp_lines_next(lines, &line, &len));
		if (!line) {
			zones->used = managed > unused ? managed - unused : 0;
			return add_zone(zones, &z);
		}
		count_pages(line, &managed, &unused);
		if (sscanf(line, "Node %9d, zone %1s", &node, name) == 2 && node >= 0) {
			try(add_zone(zones, &z));
			z.zone = node == z.node ? z.zone + 1 : 0;
			z.node = node;
			z.count = 0;
			z.first = UINT64_MAX;
			continue;
		}
		uint64_t spanned = number_of(line, "spanned");
		uint64_t first = number_of(line, "start_pfn:");
		if (spanned != UINT64_MAX)
			z.count = spanned;
		if (first != UINT64_MAX)
			z.first = first;
	}
}

struct kmp_error *kmp_zones_load(const char *path, struct kmp_zones *out)
{
	struct kmp_zones zones cleanup(kmp_zones_deinit) = { 0 };
	struct kmp_input *input cleanup(cleanup_input) = NULL;
	struct kmp_lines *lines cleanup(cleanup_lines) = NULL;

	try(kmp_input_open(path, &input));
	try(kmp_lines_create(input, &lines));
	try(read_zones(lines, &zones));
	if (!zones.zones.len)
		return kmp_error_input(path, 0, NULL, 0, "no zone with pages in it");
	qsort(zones.zones.data, zones.zones.len, sizeof(*zones.zones.data), by_first);
	*out = zones;
	zones = (struct kmp_zones){ 0 };
	return NULL;
}

const struct kmp_zone *kmp_zones_find(const struct kmp_zones *zones, uint64_t pfn)
{
	for (size_t i = zones->zones.len; i-- > 0;) {
		const struct kmp_zone *z = &zones->zones.data[i];

		if (pfn >= z->first && pfn - z->first < z->count)
			return z;
	}
	return NULL;
}

struct kmp_error *kmp_pageblocks_load(const char *path, struct kmp_pageblocks *blocks)
{
	struct kmp_input *input cleanup(cleanup_input) = NULL;
	struct kmp_lines *lines cleanup(cleanup_lines) = NULL;
	static const char types[] = "Number of blocks type";
	struct kmp_error *err = kmp_input_open(path, &input);

	*blocks = (struct kmp_pageblocks){
		9, 4, { "Unmovable", "Movable", "Reclaimable", "HighAtomic" }
	};
	if (err) {
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
		uint64_t order = number_of(line, "Page block order:");
		if (order < 32)
			blocks->order = (uint32_t)order;
		if (strncmp(line, types, sizeof(types) - 1) != 0)
			continue;
		blocks->types = 0;
		for (line += sizeof(types) - 1; blocks->types < KMP_MIGRATETYPES_MAX;) {
			int used = 0;

			if (sscanf(line, "%23s%n", blocks->names[blocks->types], &used) != 1)
				break;
			line += used;
			blocks->types++;
		}
		return NULL;
	}
}
