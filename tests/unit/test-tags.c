// SPDX-License-Identifier: GPL-2.0-only
/* Grouping of tags: sums, filter, notes. */
#include "tags-read.h"

/* Groups of a ledger, which is destroyed: they must not need it. */
static struct kmp_groups *group(struct kmp_ledger *ledger, const char *keys,
				const struct kmp_tag_filter *filter)
{
	struct kmp_groups *groups;

	assert_null(kmp_tags_group(ledger, keys, filter, &groups));
	kmp_ledger_destroy(ledger);
	return groups;
}

/* The group whose first key is this text. */
static const struct kmp_group *group_of(const struct kmp_groups *groups, const char *text)
{
	for (size_t i = 0; i < groups->count; i++) {
		if (!strcmp(groups->groups[i].key[0].text, text))
			return &groups->groups[i];
	}
	fail_msg("no group of %s", text);
	return NULL;
}

static void expect_group(const struct kmp_groups *groups, const char *text, int64_t bytes,
			 int64_t calls, int64_t members)
{
	const struct kmp_group *g = group_of(groups, text);

	assert_int_equal(g->now.bytes, bytes);
	assert_int_equal(g->now.records, calls);
	assert_int_equal(g->now.members, members);
}

static void duplicates_add_up(void **state)
{
	struct kmp_groups *groups = group(
		read_allocinfo("samples/32-allocinfo-v6.15rc5-duplicate-keys.txt"), NULL, NULL);

	assert_int_equal(groups->unit, KMP_UNIT_TAGS);
	assert_int_equal(groups->key_count, 4);
	assert_string_equal(groups->keys[0], "file");
	assert_string_equal(groups->keys[1], "line");
	assert_string_equal(groups->keys[2], "module");
	assert_string_equal(groups->keys[3], "function");
	assert_int_equal(groups->count, 5);
	expect_group(groups, "drivers/iommu/iommu-pages.h", 1523712, 372, 1);
	expect_group(groups, "mm/mm_slot.h", 160, 4, 1);
	expect_group(groups, "include/net/tcp.h", 0, 0, 1);
	assert_string_equal(groups->groups[0].key[0].text, "drivers/iommu/iommu-pages.h");
	assert_int_equal(groups->groups[0].key[1].number, 94);
	assert_string_equal(groups->groups[0].note,
			    "printed as drivers/iommu/amd/../iommu-pages.h");
	assert_string_equal(group_of(groups, "fs/fuse/fuse_i.h")->key[2].text, "fuse");
	assert_int_equal(groups->total.bytes, 1523872);
	assert_int_equal(groups->total.members, 5);
	kmp_groups_destroy(groups);
}

static void call_sites_of_a_function_add_up(void **state)
{
	struct kmp_groups *groups =
		group(read_allocinfo("samples/30a-allocinfo-v6.15-ice-boot.txt"), "function", NULL);

	expect_group(groups, "alloc_slab_page", 529174528, 4486 + 33790, 2);
	expect_group(groups, "folio_prealloc", 1214021632, 249616 + 46776, 2);
	assert_string_equal(group_of(groups, "alloc_slab_page")->note,
			    "slab backing pages: the same memory as the objects', do not add");
	assert_string_equal(group_of(groups, "alloc_page_ext")->note,
			    "cost of page_owner/page_ext itself");
	assert_null(group_of(groups, "folio_prealloc")->note);
	assert_int_equal(groups->total.bytes, 6915737680);
	assert_true(groups->facts.top_only);
	kmp_groups_destroy(groups);

	groups = group(read_allocinfo("samples/30a-allocinfo-v6.15-ice-boot.txt"), "module", NULL);
	assert_int_equal(groups->count, 3);
	expect_group(groups, "ice", 1105125376, 139252, 1);
	assert_string_equal(group_of(groups, "")->note,
			    "includes slab backing pages, the same memory as the objects'; "
			    "includes the cost of page_owner/page_ext itself");
	kmp_groups_destroy(groups);
}

static void directories_and_lines_group(void **state)
{
	static const char text[] =
		"1 1 fs/xfs/a.c:1 [xfs] func:f\n"
		"2 1 fs/xfs/sub/../b.c:1 [xfs] func:g\n"
		"4 1 top.c:2 func:h\n"
		"8 1 fs/c.c:0 func:i\n";
	struct kmp_groups *groups = group(read_string(text), "directory", NULL);

	assert_int_equal(groups->count, 3);
	expect_group(groups, "fs/xfs", 3, 2, 2);
	expect_group(groups, ".", 4, 1, 1);
	expect_group(groups, "fs", 8, 1, 1);
	kmp_groups_destroy(groups);

	groups = group(read_string(text), "line,module", NULL);
	assert_int_equal(groups->count, 3);
	assert_int_equal(groups->groups[0].key[0].kind, KMP_VALUE_NONE);
	assert_int_equal(groups->groups[1].key[0].number, 2);
	assert_int_equal(groups->groups[2].now.bytes, 3);
	assert_string_equal(groups->groups[2].key[1].text, "xfs");
	kmp_groups_destroy(groups);
}

static void inaccurate_locations_are_counted(void **state)
{
	struct kmp_groups *groups =
		group(read_allocinfo("samples/33a-allocinfo-v2.0-accurate-no.txt"), NULL, NULL);

	assert_int_equal(groups->total.members, 10);
	assert_int_equal(groups->total.inaccurate, 2);
	assert_int_equal(group_of(groups, "arch/x86/kernel/cpu/mce/core.c")->now.inaccurate, 1);
	kmp_groups_destroy(groups);
	groups = group(read_allocinfo("captures/linux-7.3/allocinfo.xz"), "module", NULL);
	assert_int_equal(groups->total.inaccurate, 5);
	kmp_groups_destroy(groups);
}

static void rounded_figures_are_marked(void **state)
{
	struct kmp_groups *groups =
		group(read_allocinfo("samples/38-allocinfo-v6.16rc-nvme-numfmt.txt"), "file", NULL);

	assert_true(group_of(groups, "drivers/nvme/host/pci.c")->approximate);
	assert_non_null(strstr(group_of(groups, "mm/slub.c")->note, "do not add"));
	kmp_groups_destroy(groups);
	groups = group(read_allocinfo("samples/39-allocinfo-docs-ctagmod-numfmt.txt"), "module",
		       NULL);
	expect_group(groups, "ctagmod", 4 << 20, 1010, 1);
	kmp_groups_destroy(groups);
}

static void what_cannot_be_is_noted(void **state)
{
	static const struct {
		const char *text;
		const char *note;
	} cases[] = {
		{ "-1 1 a.c:1 func:f\n", "inconsistent: bytes below zero" },
		{ "1 -1 a.c:1 func:f\n", "inconsistent: calls below zero" },
		{ "4096 0 a.c:1 func:f\n", "inconsistent: bytes without calls" },
		{ "0 3 a.c:1 func:f\n", "inconsistent: calls without bytes" },
		{ "-1 1 a.c:1 func:f\n5 1 a.c:1 func:f\n", "inconsistent: bytes below zero" },
		{ "1 1 a.c:1 func:f\n", NULL },
		{ "0 0 a.c:1 func:f\n", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct kmp_groups *groups = group(read_string(cases[i].text), NULL, NULL);

		assert_int_equal(groups->count, 1);
		if (cases[i].note)
			assert_string_equal(groups->groups[0].note, cases[i].note);
		else
			assert_null(groups->groups[0].note);
		kmp_groups_destroy(groups);
	}
	struct kmp_groups *groups =
		group(read_string("-8 1 a.c:1 func:f\n0 1 a.c:2 func:f\n4 1 a.c:3 func:g\n"),
		      "file", NULL);

	assert_string_equal(groups->groups[0].note,
			    "inconsistent: 2 of 3 locations, the first with bytes below zero");
	assert_int_equal(groups->total.bytes, -4);
	kmp_groups_destroy(groups);
}

static const char filter_text[] =
	"0 0 a.c:1 func:f\n"
	"100 1 a.c:1 func:f\n"
	"60 1 a.c:2 func:f accurate:no\n"
	"60 1 a.c:2 func:f\n"
	"-5 1 d/../b.c:3 [mod] func:g\n"
	"7 1 "
	"a/very/long/path/that/the/kernel/cuts/because/it/has/more/than/its/sixty-three/bytes.c:4 "
	"func:h\n";

static void expect_filter(const struct kmp_tag_filter *filter, size_t count, int64_t bytes)
{
	struct kmp_groups *groups = group(read_string(filter_text), NULL, filter);

	assert_int_equal(groups->count, count);
	assert_int_equal(groups->total.bytes, bytes);
	kmp_groups_destroy(groups);
}

#define FILTER(...) (&(struct kmp_tag_filter){ .accurate = -1, __VA_ARGS__ })

static void criteria_are_those_of_the_kernel(void **state)
{
	expect_filter(NULL, 4, 222);
	expect_filter(FILTER(.module = ""), 3, 227);
	expect_filter(FILTER(.module = "mod"), 1, -5);
	expect_filter(FILTER(.module = "mo"), 0, 0);
	expect_filter(FILTER(.function = "f"), 2, 220);
	expect_filter(FILTER(.function = "f", .line = 2), 1, 120);
	expect_filter(FILTER(.file = "d/../b.c"), 1, -5);
	expect_filter(FILTER(.file = "b.c"), 1, -5);
	expect_filter(FILTER(.file = "sixty-three/bytes.c"), 0, 0);
	expect_filter(FILTER(.file = "path/that/the/kernel/cuts/because/it/has/more/than/its/"
				     "sixty-three/bytes.c"),
		      1, 7);
	/* Sizes are those of the sums, and inclusive. */
	expect_filter(FILTER(.has_min_size = true, .min_size = 100), 2, 220);
	expect_filter(FILTER(.has_min_size = true, .min_size = 101), 1, 120);
	expect_filter(FILTER(.has_max_size = true, .max_size = 100), 3, 102);
	expect_filter(FILTER(.has_max_size = true, .max_size = -5), 1, -5);
	expect_filter(
		FILTER(.has_max_size = true, .max_size = 7, .has_min_size = true, .min_size = 7), 1,
		7);
	expect_filter(&(struct kmp_tag_filter){ .accurate = 0 }, 1, 120);
	expect_filter(&(struct kmp_tag_filter){ .accurate = 1 }, 3, 102);
}

static void mistakes_are_usage_errors(void **state)
{
	static const char *const keys[] = { "", "modul", "file,", ",file", "stack" };
	struct kmp_ledger *ledger = read_string(filter_text);
	struct kmp_groups *groups;
	struct kmp_error *err;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		err = kmp_tags_group(ledger, keys[i], NULL, &groups);
		assert_non_null(err);
		assert_int_equal(err->kind, KMP_ERROR_USAGE);
		kmp_error_destroy(err);
	}
	err = kmp_tags_group(ledger, "modul", NULL, &groups);
	assert_non_null(strstr(err->message, "did you mean 'module'"));
	kmp_error_destroy(err);
	err = kmp_tags_group(ledger, NULL,
			     FILTER(.has_min_size = true, .min_size = 2, .has_max_size = true),
			     &groups);
	assert_int_equal(err->kind, KMP_ERROR_USAGE);
	kmp_error_destroy(err);
	kmp_ledger_destroy(ledger);
}

static void all_groupings_have_the_same_total(void **state)
{
	static const char *const keys[] = { "tag",	"module", "file",      "directory",
					    "function", "line",	  "file,line", "directory,module" };
	static const struct {
		const char *name;
		int64_t bytes, calls;
	} captures[] = {
		{ "captures/linux-7.3/allocinfo.xz", 282296120, 110631 },
		{ "captures/linux-6.12/allocinfo.xz", 217889098, 111387 },
	};

	for (size_t i = 0; i < sizeof(captures) / sizeof(*captures); i++) {
		for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++) {
			struct kmp_groups *groups =
				group(read_allocinfo(captures[i].name), keys[k], NULL);
			int64_t bytes = 0, calls = 0;

			for (size_t n = 0; n < groups->count; n++) {
				bytes += groups->groups[n].now.bytes;
				calls += groups->groups[n].now.records;
			}
			assert_int_equal(bytes, captures[i].bytes);
			assert_int_equal(calls, captures[i].calls);
			assert_int_equal(groups->total.bytes, bytes);
			assert_int_equal(groups->total.records, calls);
			kmp_groups_destroy(groups);
		}
	}
}

static void a_capture_agrees_with_awk(void **state)
{
	/* awk 'NR>2 && $3 ~ /^mm\/slub.c:/ {…}', and 'NR>2 {k[$3 " " $4 " " $5]} END {length(k)}'
	 */
	struct kmp_groups *groups = group(read_allocinfo("captures/linux-7.3/allocinfo.xz"), NULL,
					  FILTER(.file = "mm/slub.c"));

	assert_int_equal(groups->total.bytes, 15214368);
	assert_int_equal(groups->total.records, 4522);
	kmp_groups_destroy(groups);
	groups = group(read_allocinfo("captures/linux-7.3/allocinfo.xz"), NULL, NULL);
	assert_int_equal(groups->count, 2160);
	kmp_groups_destroy(groups);
	groups = group(read_allocinfo("captures/linux-7.3/allocinfo.xz"), "directory", NULL);
	expect_group(groups, "mm", 256885256, 79685, 150);
	kmp_groups_destroy(groups);
}

static struct kmp_groups *diff_of(const char *before_name, const char *after_name)
{
	struct kmp_groups *before = group(read_allocinfo(before_name), NULL, NULL);
	struct kmp_groups *after = group(read_allocinfo(after_name), NULL, NULL);
	struct kmp_groups *diff;

	assert_null(kmp_groups_diff(before, after, &diff));
	kmp_groups_destroy(before);
	kmp_groups_destroy(after);
	return diff;
}

/* The group of this function, which is the last key; line 0 for any. */
static const struct kmp_group *change_of(const struct kmp_groups *diff, const char *function,
					 int64_t line)
{
	for (size_t i = 0; i < diff->count; i++) {
		const struct kmp_value *key = diff->groups[i].key;

		if (!strcmp(key[3].text, function) && (!line || key[1].number == line))
			return &diff->groups[i];
	}
	fail_msg("no change of %s", function);
	return NULL;
}

static void six_days_of_growth(void **state)
{
	static const struct {
		const char *function;
		int64_t line, bytes, calls;
	} changes[] = {
		{ "ice_alloc_mapped_page", 681, 2236112896, 272963 },
		{ "alloc_charge_folio", 1084, 918552576, 438 },
		{ "__filemap_get_folio", 1978, 873283584, 213204 },
		{ "pcpu_alloc_pages", 95, 428343296, 104576 },
		{ "alloc_slab_page", 2450, 181800960, 54186 - 33790 },
		{ "alloc_slab_page", 2452, 77684736, 7656 - 4486 },
		{ "__d_alloc", 1681, 57079296, 533797 - 236509 },
		{ "folio_prealloc", 1054, 34283520, 257986 - 249616 },
		{ "ext4_alloc_inode", 1388, 1647200, 103097 - 101647 },
		{ "folio_prealloc", 1056, -1687552, 46364 - 46776 },
		{ "vma_alloc_anon_folio_pmd", 1165, -136314880, 400 - 465 },
		{ "ractl_alloc_folio", 186, -287068160, 325763 - 395848 },
	};
	struct kmp_groups *diff = diff_of("samples/30a-allocinfo-v6.15-ice-boot.txt",
					  "samples/30b-allocinfo-v6.15-ice-6days.txt");

	assert_true(diff->difference);
	assert_ptr_equal(change_of(diff, "ice_alloc_mapped_page", 0), &diff->groups[0]);
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		const struct kmp_group *g = change_of(diff, changes[i].function, changes[i].line);

		assert_int_equal(g->now.bytes - g->before.bytes, changes[i].bytes);
		assert_int_equal(g->now.records - g->before.records, changes[i].calls);
		assert_false(g->unknown);
	}
	assert_true(change_of(diff, "__dma_direct_alloc_pages", 0)->unknown);
	assert_true(change_of(diff, "shmem_alloc_folio", 0)->unknown);
	kmp_groups_destroy(diff);
}

static void a_wrapped_file_differs_in_nothing(void **state)
{
	struct kmp_groups *diff = diff_of("samples/30b-allocinfo-v6.15-ice-6days.txt",
					  "samples/30c-allocinfo-v6.15-ice-6days-mailwrapped.txt");

	for (size_t i = 0; i < diff->count; i++) {
		assert_int_equal(diff->groups[i].now.bytes, diff->groups[i].before.bytes);
		assert_false(diff->groups[i].unknown);
	}
	kmp_groups_destroy(diff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(duplicates_add_up),
		cmocka_unit_test(call_sites_of_a_function_add_up),
		cmocka_unit_test(directories_and_lines_group),
		cmocka_unit_test(inaccurate_locations_are_counted),
		cmocka_unit_test(rounded_figures_are_marked),
		cmocka_unit_test(what_cannot_be_is_noted),
		cmocka_unit_test(criteria_are_those_of_the_kernel),
		cmocka_unit_test(mistakes_are_usage_errors),
		cmocka_unit_test(all_groupings_have_the_same_total),
		cmocka_unit_test(a_capture_agrees_with_awk),
		cmocka_unit_test(six_days_of_growth),
		cmocka_unit_test(a_wrapped_file_differs_in_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
