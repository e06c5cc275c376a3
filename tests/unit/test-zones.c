// SPDX-License-Identifier: GPL-2.0-only
/* Where page frames lie, on captured machines and on this one. */
#include "po-read.h"

#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "source/zones.h"

/* A file with this text; unlink() it. */
static void make_file(char path[32], const char *text)
{
	strcpy(path, "/tmp/kmp-test-XXXXXX");
	int fd auto_fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static void zones_of(const char *text, struct kmp_zones *zones)
{
	char path[32];

	make_file(path, text);
	assert_null(kmp_zones_load(path, zones));
	unlink(path);
}

/* Each page of a page_owner has the node and zone that its flags tell; awk added up what is used.
 */
static void places_of(const char *kernel, uint64_t used)
{
	char name[128];
	char path[4096];
	struct kmp_zones zones;
	struct kmp_pfn_ranges ranges;

	snprintf(name, sizeof(name), "captures/linux-%s/zoneinfo", kernel);
	data_path(name, path);
	assert_null(kmp_zones_load(path, &zones));
	assert_int_equal(zones.zones.len, 2);
	assert_int_equal(zones.used, used);
	snprintf(name, sizeof(name), "captures/linux-%s/iomem", kernel);
	data_path(name, path);
	assert_null(kmp_pfn_ranges_load(path, &zones, 4096, &ranges));
	assert_int_equal(ranges.ranges.len, 2);
	assert_int_equal(ranges.count, 0x9e + 0x3ffdf - 0x100);

	snprintf(name, sizeof(name), "captures/linux-%s/page_owner.stack.xz", kernel);
	struct kmp_ledger *ledger = read_data(name);
	for (size_t i = 0; i < ledger->pages.len; i++) {
		const struct kmp_page *page = &ledger->pages.data[i];
		struct kmp_place place = kmp_ledger_place(ledger, page->flags);
		const struct kmp_zone *zone = kmp_zones_find(&zones, page->pfn);

		assert_non_null(zone);
		assert_int_equal(zone->node, place.node);
		assert_int_equal(zone->zone, place.zone);
		assert_true(kmp_pfn_ranges_index(&ranges, page->pfn) < ranges.count);
	}
	assert_true(ledger->pages.len > 20000);
	kmp_ledger_destroy(ledger);
	kmp_pfn_ranges_deinit(&ranges);
	kmp_zones_deinit(&zones);
}

static void captured_machines(void **state)
{
	places_of("6.1", 47501);
	places_of("6.12", 50982);
	places_of("7.3", 67118);
}

static void zone_tables(void **state)
{
	struct kmp_zones zones;

	zones_of(
		"Node 0, zone DMA\n  pages free 1\n        spanned  4095\n  start_pfn: 1\n"
		"Node 0, zone DMA32\n  spanned 0\n"
		"Node 0, zone Normal\n spanned 16\n  start_pfn:           8192\n"
		"Node 1, zone DMA\n spanned 18446744073709551615\n start_pfn: 5\n"
		"Node 1, zone Normal\n spanned 4\n start_pfn: 8196",
		&zones);
	assert_int_equal(zones.zones.len, 3);
	assert_null(kmp_zones_find(&zones, 0));
	assert_int_equal(kmp_zones_find(&zones, 4095)->zone, 0);
	assert_null(kmp_zones_find(&zones, 4096));
	assert_int_equal(kmp_zones_find(&zones, 8192)->zone, 2);
	assert_int_equal(kmp_zones_find(&zones, 8196)->node, 1);
	assert_int_equal(kmp_zones_find(&zones, 8196)->zone, 1);
	assert_int_equal(kmp_zones_find(&zones, 8200)->node, 0);
	assert_null(kmp_zones_find(&zones, UINT64_MAX));
	kmp_zones_deinit(&zones);

	char path[32];
	make_file(path, "Node 0, zone\nspanned 5\nstart_pfn: x\n");
	struct kmp_error *err = kmp_zones_load(path, &zones);
	unlink(path);
	assert_int_equal(err->kind, KMP_ERROR_INPUT);
	kmp_error_destroy(err);
}

static void expect_ranges(const char *iomem, const struct kmp_zones *zones,
			  struct kmp_pfn_ranges *ranges)
{
	char path[32];

	make_file(path, iomem);
	assert_null(kmp_pfn_ranges_load(path, zones, 4096, ranges));
	unlink(path);
}

static void pfn_ranges(void **state)
{
	struct kmp_pfn_ranges r;
	struct kmp_zones zones;

	zones_of(
		"Node 0, zone DMA\nspanned 10\nstart_pfn: 1\nNode 0, zone N\nspanned 5\n"
		"start_pfn: 11\n",
		&zones);
	expect_ranges(
		"00001800-00009fff : System RAM\n00100000-001fffff : Reserved\n"
		"0000a000-0000b7ff : System RAM\n"
		"00200000-00ffffff : device\n  00200000-002fffff : System RAM (kmem)\n"
		"    00200000-0020ffff : System RAM\n",
		&zones, &r);
	assert_int_equal(r.ranges.len, 2);
	assert_int_equal(r.count, 9 + 256);
	assert_int_equal(kmp_pfn_ranges_index(&r, 1), UINT64_MAX);
	assert_int_equal(kmp_pfn_ranges_index(&r, 2), 0);
	assert_int_equal(kmp_pfn_ranges_index(&r, 10), 8);
	assert_int_equal(kmp_pfn_ranges_index(&r, 11), UINT64_MAX);
	assert_int_equal(kmp_pfn_ranges_index(&r, 0x200), 9);
	assert_int_equal(kmp_pfn_ranges_index(&r, 0x2ff), 264);
	assert_int_equal(kmp_pfn_ranges_index(&r, 0x300), UINT64_MAX);
	kmp_pfn_ranges_deinit(&r);

	/* as one who is not root sees it */
	expect_ranges("00000000-00000000 : System RAM\n  00000000-00000000 : Kernel code\n", &zones,
		      &r);
	assert_int_equal(r.ranges.len, 1);
	assert_int_equal(r.count, 15);
	kmp_pfn_ranges_deinit(&r);
	assert_null(kmp_pfn_ranges_load("/nonexistent", &zones, 4096, &r));
	assert_int_equal(r.count, 15);
	kmp_pfn_ranges_deinit(&r);

	const struct kmp_zones none = { 0 };
	struct kmp_error *err = kmp_pfn_ranges_load("/nonexistent", &none, 4096, &r);
	assert_int_equal(err->kind, KMP_ERROR_INPUT);
	kmp_error_destroy(err);
	kmp_zones_deinit(&zones);
}

static void pageblocks(void **state)
{
	struct kmp_pageblocks b;
	char path[4096];

	data_path("captures/linux-7.3/pagetypeinfo", path);
	assert_null(kmp_pageblocks_load(path, &b));
	assert_int_equal(b.order, 9);
	assert_int_equal(b.types, 4);
	assert_string_equal(b.names[3], "HighAtomic");
	make_file(path, "Page block order: 5\nNumber of blocks type  A B\n");
	assert_null(kmp_pageblocks_load(path, &b));
	unlink(path);
	assert_int_equal(b.order, 5);
	assert_int_equal(b.types, 2);
	assert_string_equal(b.names[1], "B");
	assert_null(kmp_pageblocks_load("/nonexistent", &b));
	assert_int_equal(b.order, 9);
	assert_string_equal(b.names[1], "Movable");
}

static void this_machine(void **state)
{
	struct kmp_zones zones;
	struct kmp_pfn_ranges ranges;

	assert_null(kmp_zones_load("/proc/zoneinfo", &zones));
	assert_null(kmp_pfn_ranges_load("/proc/iomem", &zones, (uint32_t)sysconf(_SC_PAGESIZE),
					&ranges));
	assert_true(ranges.count >= (uint64_t)sysconf(_SC_PHYS_PAGES));
	print_message("# %zu zones, %zu ranges, %zu frames\n", zones.zones.len, ranges.ranges.len,
		      (size_t)ranges.count);
	kmp_pfn_ranges_deinit(&ranges);
	kmp_zones_deinit(&zones);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(captured_machines), cmocka_unit_test(zone_tables),
		cmocka_unit_test(pfn_ranges),	     cmocka_unit_test(pageblocks),
		cmocka_unit_test(this_machine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
