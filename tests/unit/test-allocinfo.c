// SPDX-License-Identifier: GPL-2.0-only
/* The reader of allocinfo: samples, captures, and bad input. */
#include "tags-read.h"

static void samples_have_their_values(void **state)
{
	static const struct {
		const char *name;
		struct sums sums;
		bool top;
	} samples[] = {
		{ "30a-allocinfo-v6.15-ice-boot", { 15, 6915737680, 1433941, 0, 0 }, true },
		{ "30b-allocinfo-v6.15-ice-6days", { 15, 11334160560, 2300029, 0, 0 }, true },
		{ "30c-allocinfo-v6.15-ice-6days-mailwrapped",
		  { 15, 11334160560, 2300029, 0, 0 },
		  true },
		{ "32-allocinfo-v6.15rc5-duplicate-keys", { 10, 1523872, 376, 0, 0 }, false },
		{ "33a-allocinfo-v2.0-accurate-no", { 10, 81920, 49, 2, 0 }, false },
		{ "33b-allocinfo-v2.0rfc-asterisk", { 10, 81920, 49, 2, 0 }, false },
		{ "35-allocinfo-v6.10-header-sorted-xfs", { 2, 56, 2, 0, 0 }, false },
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		char name[128];

		snprintf(name, sizeof(name), "samples/%s.txt", samples[i].name);
		print_message("# %s\n", name);
		struct kmp_ledger *ledger = read_data(kmp_allocinfo_read, name);

		expect_sums(ledger, samples[i].sums);
		assert_int_equal(skipped(ledger), 0);
		assert_int_equal(kmp_ledger_facts(ledger)->top_only, samples[i].top);
		assert_string_equal(kmp_ledger_facts(ledger)->kind, "allocinfo");
		kmp_ledger_destroy(ledger);
	}
}

static void wrapped_row_is_the_leak(void **state)
{
	struct kmp_ledger *ledger = read_data(
		kmp_allocinfo_read, "samples/30c-allocinfo-v6.15-ice-6days-mailwrapped.txt");
	const struct kmp_tag *tag = tag_of(ledger, "ice_alloc_mapped_page");

	assert_int_equal(tag->bytes, 3341238272);
	assert_int_equal(tag->calls, 412215);
	assert_string_equal(tag->module, "ice");
	assert_string_equal(tag->file, "drivers/net/ethernet/intel/ice/ice_txrx.c");
	assert_int_equal(tag->line, 681);
	kmp_ledger_destroy(ledger);
}

static void further_words_are_kept_apart(void **state)
{
	struct kmp_ledger *ledger =
		read_data(kmp_allocinfo_read, "samples/32-allocinfo-v6.15rc5-duplicate-keys.txt");
	const struct kmp_tag *tag = tag_of(ledger, "iommu_alloc_pages_node");

	assert_string_equal(tag->extra, "20");
	assert_string_equal(tag->file, "drivers/iommu/amd/../iommu-pages.h");
	assert_string_equal(tag_of(ledger, "fuse_folios_alloc")->module, "fuse");
	kmp_ledger_destroy(ledger);

	ledger = read_string("  5 1 3 a.c:7 func:f  new:1 accurate:no\told:2 \n");
	tag = tag_of(ledger, "f");
	assert_string_equal(tag->extra, "3 new:1 old:2");
	assert_false(tag->accurate);
	kmp_ledger_destroy(ledger);

	ledger = read_data(kmp_allocinfo_read, "samples/33a-allocinfo-v2.0-accurate-no.txt");
	assert_false(tag_of(ledger, "mce_device_create")->accurate);
	assert_string_equal(tag_of(ledger, "mce_device_create")->extra, "");
	kmp_ledger_destroy(ledger);
}

static void rounded_sizes_are_binary_multiples(void **state)
{
	struct kmp_ledger *ledger =
		read_data(kmp_allocinfo_read, "samples/38-allocinfo-v6.16rc-nvme-numfmt.txt");
	const struct kmp_tag *tag = tag_of(ledger, "nvme_pci_setup_data_prp");

	assert_int_equal(sums_of(ledger).rows, 5);
	assert_int_equal(sums_of(ledger).approximate, 5);
	assert_int_equal(tag->bytes, INT64_C(29) << 30);
	assert_int_equal(tag->calls, 7383484);
	assert_true(kmp_ledger_facts(ledger)->top_only);
	kmp_ledger_destroy(ledger);

	ledger = read_data(kmp_allocinfo_read, "samples/39-allocinfo-docs-ctagmod-numfmt.txt");
	tag = tag_of(ledger, "ctagmod_start");
	assert_int_equal(sums_of(ledger).rows, 11);
	assert_int_equal(tag->bytes, 4 << 20);
	assert_int_equal(tag->calls, 1010);
	assert_string_equal(tag->module, "ctagmod");
	assert_int_equal(tag_of(ledger, "alloc_page_ext")->bytes, 122 << 20);
	assert_int_equal(tag_of(ledger, "alloc_page_ext")->calls, 31168);
	assert_int_equal(tag_of(ledger, "__kernfs_new_node")->bytes, 2936013);
	assert_int_equal(skipped(ledger), 0);
	kmp_ledger_destroy(ledger);
}

static void captures_have_the_sums_of_awk(void **state)
{
	/* awk 'NR>2 {n++; b+=$1; c+=$2; i+=/accurate:no/} END {printf "%d %d %d %d", n,b,c,i}' */
	struct kmp_ledger *ledger =
		read_data(kmp_allocinfo_read, "captures/linux-7.3/allocinfo.xz");

	expect_sums(ledger, (struct sums){ 2171, 282296120, 110631, 5, 0 });
	assert_int_equal(skipped(ledger), 0);
	assert_false(kmp_ledger_facts(ledger)->top_only);
	kmp_ledger_destroy(ledger);
	ledger = read_data(kmp_allocinfo_read, "captures/linux-6.12/allocinfo.xz");
	expect_sums(ledger, (struct sums){ 1791, 217889098, 111387, 0, 0 });
	assert_int_equal(skipped(ledger), 0);
	kmp_ledger_destroy(ledger);
}

static void rows_of_every_form(void **state)
{
	static const struct {
		const char *text;
		int64_t bytes, calls;
		uint64_t line;
	} rows[] = {
		{ "        -4096       -1 a.c:1 func:f \r\n", -4096, -1, 1 },
		{ "-4096 18446744073709551615 a.c:1 func:f", -4096, -1, 1 },
		{ "18446744073709547520 1 a.c:1 func:f", -4096, 1, 1 },
		{ "-9223372036854775808 0 a.c:1 func:f", INT64_MIN, 0, 1 },
		{ "<6>[    1.5] 1 2 a.c:3 func:f", 1, 2, 3 },
		{ "Nov 30 14:46:13 host kernel: [ 9.1] 1 2 a.c:3 func:f", 1, 2, 3 },
		{ "kern  :info  : [Mon Nov 30 14:46:13 2026] 1 2 a.c:3 func:f", 1, 2, 3 },
		{ "> > 1 2 a.c:3 func:f", 1, 2, 3 },
		{ "\t1\t2\ta.c:3\tfunc:f\t", 1, 2, 3 },
		{ "1.5K 2 a.c:3 func:f", 1536, 2, 3 },
		{ "1,5Ki 2 a.c:3 func:f", 1536, 2, 3 },
		{ "-2M* 2 a.c:3 func:f", -2097152, 2, 3 },
		{ "7.99 EiB 2 a.c:3 func:f", 0x7fd70a3d70a3d70a, 2, 3 },
		{ "1 B 2 a.c:3 func:f", 1, 2, 3 },
		{ "1TiB 1.0k a.c:3 func:f", INT64_C(1) << 40, 1024, 3 },
		{ "1 2 dir/a:b.c:3 func:f", 1, 2, 3 },
		{ "1 2\na.c:3 func:f", 1, 2, 3 },
		{ "1\n2 a.c:3 func:f", 1, 2, 3 },
		{ "1 2\na.c:3\n[m] func:f", 1, 2, 3 },
		{ "1 2 a.c:3 [m]\n> func:f\n", 1, 2, 3 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct kmp_ledger *ledger = read_string(rows[i].text);

		print_message("# row %zu\n", i);
		assert_int_equal(skipped(ledger), 0);
		assert_int_equal(kmp_ledger_count(ledger, KMP_LIST_TAGS), 1);
		const struct kmp_tag *tag = kmp_ledger_tags(ledger);

		assert_int_equal(tag->bytes, rows[i].bytes);
		assert_int_equal(tag->calls, rows[i].calls);
		assert_int_equal(tag->line, rows[i].line);
		assert_string_equal(tag->function, "f");
		kmp_ledger_destroy(ledger);
	}
}

static void bad_rows_are_counted(void **state)
{
	static const char *const rows[] = {
		"hello world",
		"[ice] func:lost_head",
		"1",
		"1 2",
		"1 2 a.c:3",
		"1 2 a.c:3 [m]",
		"1 2 a.c:3 func:",
		"1 2 a.c:3 function:f",
		"1 2 a.c func:f",
		"1 2 :3 func:f",
		"1 2 a.c:99999999999999999999999 func:f",
		"1 a.c:3 func:f",
		"1.5 2 a.c:3 func:f",
		"1Q 2 a.c:3 func:f",
		"1MM 2 a.c:3 func:f",
		"16E 2 a.c:3 func:f",
		"-9223372036854775809 2 a.c:3 func:f",
		"99999999999999999999 2 a.c:3 func:f",
		"nid0 1",
		"nid0 x y",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[256];

		snprintf(text, sizeof(text), "0 0 b.c:1 func:g\n\n%s\n\n0 0 b.c:2 func:h\n",
			 rows[i]);
		struct kmp_ledger *ledger = read_string(text);

		print_message("# row %zu\n", i);
		assert_int_equal(skipped(ledger), 1);
		assert_int_equal(kmp_ledger_losses(ledger)->first_line, 3);
		assert_int_equal(kmp_ledger_count(ledger, KMP_LIST_TAGS), 2);
		kmp_ledger_destroy(ledger);
	}
	struct kmp_ledger *ledger = read_text(kmp_allocinfo_read, "1 2 a\0.c:3 func:f\n", 18);

	assert_int_equal(skipped(ledger), 1);
	kmp_ledger_destroy(ledger);
}

static void an_unfinished_row_does_not_eat_the_next(void **state)
{
	struct kmp_ledger *ledger = read_string("5 1 a.c:1\n6 2 b.c:2 func:g\n7 3 c.c:3\n");

	expect_sums(ledger, (struct sums){ 1, 6, 2, 0, 0 });
	assert_int_equal(skipped(ledger), 2);
	assert_int_equal(kmp_ledger_losses(ledger)->first_line, 1);
	kmp_ledger_destroy(ledger);
}

static void per_node_rows_are_not_added(void **state)
{
	struct kmp_ledger *ledger = read_string(
		"allocinfo - version: 1.0\n"
		"  315456  9858 mm/dmapool.c:338 func:pool_alloc_page\n"
		"     nid0   94912  2966\n"
		"     nid1  220544  6892\n"
		"...\n"
		"#     <size>  <calls> <tag info>\n"
		"       0     0 mm/a.c:1 func:a\n");

	expect_sums(ledger, (struct sums){ 2, 315456, 9858, 0, 0 });
	assert_int_equal(skipped(ledger), 0);
	assert_int_equal(kmp_ledger_count(ledger, KMP_LIST_WARNINGS), 1);
	kmp_ledger_destroy(ledger);
}

static void warnings_tell_what_is_odd(void **state)
{
	static const struct {
		const char *text;
		const char *warning; /* how it begins; NULL: none */
	} cases[] = {
		{ "allocinfo - version: 2.0\n1 1 a.c:1 func:f\n", NULL },
		{ "allocinfo - version: 2.0\n1 1 a.c:1 func:f\nallocinfo - version: 2.0\n",
		  "the header is there 2 times" },
		{ "allocinfo - version: 3.1\n1 1 a.c:1 func:f\n", "version 3 of allocinfo" },
		{ "allocinfo - version: 1.0\n0 0 a.c:1 func:f\n", "all counters are 0" },
		{ "allocinfo - version: 1.0\n# a comment\n---\n", "there is no tag" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct kmp_ledger *ledger = read_string(cases[i].text);
		const char *warning = kmp_ledger_warning(ledger, 0);

		assert_int_equal(!warning, !cases[i].warning);
		if (warning)
			assert_int_equal(
				strncmp(warning, cases[i].warning, strlen(cases[i].warning)), 0);
		assert_int_equal(skipped(ledger), 0);
		kmp_ledger_destroy(ledger);
	}
}

static bool is_top(const char *text)
{
	struct kmp_ledger *ledger = read_string(text);
	bool top = kmp_ledger_facts(ledger)->top_only;

	kmp_ledger_destroy(ledger);
	return top;
}

static void only_what_was_sorted_and_cut_is_top(void **state)
{
	assert_true(is_top("1 1 a.c:1 func:a\n2 1 b.c:1 func:b\n"));
	assert_true(is_top("2 1 a.c:1 func:a\n2 1 b.c:1 func:b\n1 1 c.c:1 func:c\n"));
	assert_false(is_top("1 1 a.c:1 func:a\n2 1 b.c:1 func:b\n1 1 c.c:1 func:c\n"));
	assert_false(is_top("0 0 a.c:1 func:a\n1 1 b.c:1 func:b\n2 1 c.c:1 func:c\n"));
	assert_false(is_top("-5 1 a.c:1 func:a\n1 1 b.c:1 func:b\n2 1 c.c:1 func:c\n"));
	assert_false(is_top("allocinfo - version: 2.0\n1 1 a.c:1 func:a\n2 1 b.c:1 func:b\n"));
	assert_true(
		is_top("9 1 a.c:1 func:a\n8 1 b.c:1 func:b\n7 1 c.c:1 func:c\n"
		       "6 1 d.c:1 func:d\n5 1 e.c:1 func:e\nallocinfo - version: 2.0\n"));
	assert_true(is_top("[  1.0] 1 1 a.c:1 func:a\n[ 1.1] 0 0 b.c:1 func:b\n"));
	assert_false(is_top(""));
}

static bool looks_like(bool (*look)(const char *, size_t), const char *name)
{
	struct kmp_input *input;
	const char *head;
	char path[4096];
	size_t len;

	data_path(name, path);
	assert_null(kmp_input_open(path, &input));
	assert_null(kmp_input_head(input, &head, &len));
	bool answer = look(head, len);

	kmp_input_destroy(input);
	return answer;
}

static void content_tells_what_it_is(void **state)
{
	static const char *const tags[] = {
		"samples/30a-allocinfo-v6.15-ice-boot.txt",
		"samples/30c-allocinfo-v6.15-ice-6days-mailwrapped.txt",
		"samples/32-allocinfo-v6.15rc5-duplicate-keys.txt",
		"samples/33b-allocinfo-v2.0rfc-asterisk.txt",
		"samples/39-allocinfo-docs-ctagmod-numfmt.txt",
		"captures/linux-7.3/allocinfo.xz",
	};
	static const char *const others[] = {
		"samples/02-sorted-2.6.11-oot.txt",
		"samples/16a-show_stacks-v6.19.txt",
		"samples/22-DERIVED-raw-v6.19-hostile-comms.txt",
		"captures/linux-7.3/page_owner.stack.xz",
	};

	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++) {
		assert_true(looks_like(kmp_allocinfo_looks_like, tags[i]));
		assert_false(looks_like(kmp_oom_log_looks_like, tags[i]));
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		assert_false(looks_like(kmp_allocinfo_looks_like, others[i]));
		assert_false(looks_like(kmp_oom_log_looks_like, others[i]));
	}
	assert_true(looks_like(kmp_oom_log_looks_like, "samples/36-dmesg-show_mem-v6.19.5.txt"));
	assert_false(looks_like(kmp_allocinfo_looks_like, "samples/36-dmesg-show_mem-v6.19.5.txt"));
	assert_false(kmp_allocinfo_looks_like("", 0));
	assert_false(kmp_oom_log_looks_like("", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_have_their_values),
		cmocka_unit_test(wrapped_row_is_the_leak),
		cmocka_unit_test(further_words_are_kept_apart),
		cmocka_unit_test(rounded_sizes_are_binary_multiples),
		cmocka_unit_test(captures_have_the_sums_of_awk),
		cmocka_unit_test(rows_of_every_form),
		cmocka_unit_test(bad_rows_are_counted),
		cmocka_unit_test(an_unfinished_row_does_not_eat_the_next),
		cmocka_unit_test(per_node_rows_are_not_added),
		cmocka_unit_test(warnings_tell_what_is_odd),
		cmocka_unit_test(only_what_was_sorted_and_cut_is_top),
		cmocka_unit_test(content_tells_what_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
