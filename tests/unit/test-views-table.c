// SPDX-License-Identifier: GPL-2.0-only
#include "view-samples.h"

static void page_owners(void **state)
{
	struct kmp_group rows[5];
	struct kmp_groups groups = sample_pages(rows);

	expect_view(
		&groups, (struct kmp_view){ 0 },
		"dump.txt: page_owner, mode stack, Linux 7.3.4: 13 records, 1000 pages, 3.9 MiB\n"
		"\n"
		"     BYTES  PAGES    SHARE  RECORDS  COMM\n"
		"   2.3 MiB    600   60.0 %        6  nginx\n"
		"            post_alloc_hook+0x6a/0x91\n"
		"            xfs_buf_alloc+0x1/0x2 [xfs]\n"
		"            vfs_write+0xa/0xb\n"
		"\n"
		"   1.2 MiB    300   30.0 %        1  new\\n\"line\"  (a, note)\n"
		"            do_thing+0x1/0x2\n"
		"            vfs_write+0xc/0xd\n"
		"\n"
		"~240.0 KiB     60    6.0 %        2  caf\\xe9\n"
		"            handle 123 (its trace is not known)\n"
		"\n"
		" 120.0 KiB     30    3.0 %        3  héllo 日\n"
		"            - (no stack told)\n"
		"\n"
		"  40.0 KiB     10    1.0 %        1  -\n"
		"            handle 7 (its trace is not known)\n"
		"\n"
		"   3.9 MiB   1000  100.0 %       13  total\n");
}

static void a_limit_says_what_is_left_out(void **state)
{
	struct kmp_group rows[5];
	struct kmp_groups groups = sample_pages(rows);

	expect_view(&groups, (struct kmp_view){ .limit = 1, .exact = true },
		    "dump.txt: page_owner, mode stack, Linux 7.3.4: 13 records, 1000 pages, "
		    "4096000 bytes\n"
		    "\n"
		    "  BYTES  PAGES    SHARE  RECORDS  COMM\n"
		    "2457600    600   60.0 %        6  nginx\n"
		    "            post_alloc_hook+0x6a/0x91\n"
		    "            xfs_buf_alloc+0x1/0x2 [xfs]\n"
		    "            vfs_write+0xa/0xb\n"
		    "\n"
		    "… 4 more groups: 1638400 (40.0 %)\n"
		    "4096000   1000  100.0 %       13  total\n");
}

static const char *const several_keys[] = { "comm", "node" };

static void columns_align_by_what_is_seen(void **state)
{
	static const struct kmp_value key[][2] = {
		{ TEXT("\xe6\x97\xa5\xe6\x9c\xac"), NUMBER(0) },
		{ TEXT("plain"), NUMBER(1) },
		{ TEXT(""), NONE },
		{ TEXT("e\xcc\x81\x1b[31m\xe2\x80\xae\\"), NUMBER(1) },
	};
	struct kmp_group rows[4];
	struct kmp_groups groups = { .keys = several_keys,
				     .key_count = 2,
				     .groups = rows,
				     .count = 4,
				     .total = PAGES(4, 4),
				     .records_unknown = true,
				     .facts = { .name = "x" } };

	for (size_t i = 0; i < 4; i++)
		rows[i] = (struct kmp_group){ .key = key[i], .now = PAGES(1, 1), NO_TIME };
	expect_view(&groups, (struct kmp_view){ 0 },
		    "x: 4 pages, 16.0 KiB\n"
		    "\n"
		    "   BYTES  PAGES    SHARE  RECORDS  COMM               NODE\n"
		    " 4.0 KiB      1   25.0 %        -  日本               0\n"
		    " 4.0 KiB      1   25.0 %        -  plain              1\n"
		    " 4.0 KiB      1   25.0 %        -  \"\"                 -\n"
		    " 4.0 KiB      1   25.0 %        -  e\xcc\x81\\x1b[31m\\u202e\\\\  1\n"
		    "16.0 KiB      4  100.0 %        -  total\n");
}

static void a_narrow_terminal_cuts_texts_only(void **state)
{
	static const char *const frames[] = { "a_function_of_a_rather_long_name+0x123/0x456" };
	static const struct kmp_value key[] = { TEXT("somewhat long name of a task, as it may be"),
						STACK(frames) };
	struct kmp_group row = { .key = key, .now = PAGES(1, 1), NO_TIME };
	struct kmp_groups groups = { .keys = comm_stack,
				     .key_count = 2,
				     .groups = &row,
				     .count = 1,
				     .total = PAGES(1, 1),
				     .facts = { .name = "x" } };

	expect_view(&groups, (struct kmp_view){ .width = 60 },
		    "x: 1 record, 1 page, 4.0 KiB\n"
		    "\n"
		    "  BYTES  PAGES    SHARE  RECORDS  COMM\n"
		    "4.0 KiB      1  100.0 %        1  somewhat long name of a t…\n"
		    "            a_function_of_a_rather_long_name+0x123/0x456\n"
		    "\n"
		    "4.0 KiB      1  100.0 %        1  total\n");
}

static void tags(void **state)
{
	struct kmp_group rows[3];
	struct kmp_groups groups = sample_tags(rows);

	expect_view(&groups, (struct kmp_view){ 0 },
		    "allocinfo: allocinfo: 3 locations, 109 calls, 1.6 MiB\n"
		    "\n"
		    "   BYTES  CALLS       AVG  LOCATION\n"
		    " 1.6 MiB    100  16.0 KiB  mm/slub.c:3059 alloc_slab_page\n"
		    "40.0 KiB     10   4.0 KiB  drivers/net/ice/ice_txrx.c:681 [ice]"
		    " ice_alloc_mapped_page  (inaccurate)  (rounded)\n"
		    "  -192 B     -1         -  fs/dcache.c:12 d_alloc\n"
		    " 1.6 MiB    109  15.0 KiB  total\n"
		    "1 of 3 locations inaccurate\n");
}

static void tags_by_module(void **state)
{
	static const char *const keys[] = { "module" };
	static const struct kmp_value key[] = { TEXT(""), TEXT("ice") };
	struct kmp_group rows[] = {
		{ .key = &key[0], .now = { 99, 0, 3072, 0, 2 }, NO_TIME },
		{ .key = &key[1], .now = { 1, 0, 1024, 0, 1 }, NO_TIME },
	};
	struct kmp_groups groups = { .unit = KMP_UNIT_TAGS,
				     .keys = keys,
				     .key_count = 1,
				     .groups = rows,
				     .count = 2,
				     .total = { 100, 0, 4096, 0, 3 },
				     .facts = { .name = "a", .profiling_off = true } };

	expect_view(&groups, (struct kmp_view){ .limit = 1 },
		    "a: 3 locations, 100 calls, 4.0 KiB\n"
		    "\n"
		    "  BYTES    SHARE  CALLS   AVG  PLACES  MODULE\n"
		    "3.0 KiB   75.0 %     99  31 B       2  (built-in)\n"
		    "… 1 more module: 1.0 KiB (25.0 %)\n"
		    "4.0 KiB  100.0 %    100  40 B       3  total\n"
		    "allocation profiling was off: the figures stood still\n");
}

static void a_difference(void **state)
{
	struct kmp_group rows[4];
	struct kmp_groups groups = sample_difference(rows);

	expect_view(&groups, (struct kmp_view){ 0 },
		    "before: old.txt: page_owner: 13 records, 1042 pages, 4.1 MiB\n"
		    "now:    dump.txt: page_owner, mode stack, Linux 7.3.4: 23 records, 556 pages,"
		    " 2.2 MiB\n"
		    "\n"
		    "    DELTA       NOW    BEFORE  PAGES  RECORDS  ORDER\n"
		    "+40.0 KiB  80.0 KiB  40.0 KiB    +10      +10  0\n"
		    "      0 B  32.0 KiB  32.0 KiB      0        0  3\n"
		    " -2.0 MiB   2.0 MiB   4.0 MiB   -512       -1  9\n"
		    "        ?  64.0 KiB         ?      ?        ?  4\n"
		    " -1.9 MiB   2.2 MiB   4.1 MiB   -486      +10  total\n");
}

static void losses_and_warnings_are_told(void **state)
{
	static const char *const warnings[] = { "odd\nline" };
	struct kmp_groups groups = { .keys = order_key,
				     .key_count = 1,
				     .facts = { .name = "" },
				     .losses = { 12, 3, 1, 8123, "order missing" },
				     .warnings = warnings,
				     .warning_count = 1 };

	expect_view(&groups, (struct kmp_view){ 0 },
		    "(unnamed source): 0 records, 0 pages, 0 B\n"
		    "\n"
		    "BYTES  PAGES  SHARE  RECORDS  ORDER\n"
		    "  0 B      0      -        0  total\n"
		    "12 records skipped, first at line 8123: order missing\n"
		    "3 dropped before they could be counted\n"
		    "1 cut by the end of the file, counted as far as known\n"
		    "warning: odd\\nline\n");
}

static void colour_is_asked_for(void **state)
{
	struct kmp_group rows[5];
	struct kmp_groups groups = sample_difference(rows);
	struct kmp_view view = { .colour = true };
	struct kmp_error *err;
	char *text = view_text(&groups, &view, &err);

	assert_non_null(strstr(text, "\033[31m+40.0 KiB\033[0m"));
	assert_non_null(strstr(text, "\033[32m-2.0 MiB\033[0m"));
	free(text);
	view.colour = false;
	text = view_text(&groups, &view, &err);
	assert_null(strchr(text, '\033'));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_owners),
		cmocka_unit_test(a_limit_says_what_is_left_out),
		cmocka_unit_test(columns_align_by_what_is_seen),
		cmocka_unit_test(a_narrow_terminal_cuts_texts_only),
		cmocka_unit_test(tags),
		cmocka_unit_test(tags_by_module),
		cmocka_unit_test(a_difference),
		cmocka_unit_test(losses_and_warnings_are_told),
		cmocka_unit_test(colour_is_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
