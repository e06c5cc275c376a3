// SPDX-License-Identifier: GPL-2.0-only
/* What people posted, and the values that are right for it: tests/data/samples. */
#include "po-read.h"

static void sorted_4_2(void **state)
{
	struct kmp_ledger *l = read_data("samples/01-sorted-v4.2rc7-times-only.txt");
	static const uint64_t records[] = { 699487, 457823, 213933, 43843, 28075 };

	expect_totals(l, 5, 1443161, 1443161, 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(l->pages.data[i].records, records[i]);
	assert_int_equal(trace_of(l, 0).depth, 5); /* the end marker is no frame */
	assert_string_equal(text_of(l, KMP_DICT_FRAME, trace_of(l, 1).frames[4]),
			    "ttm_dma_populate+0x502/0x900 [ttm]");
	assert_int_equal(kmp_ledger_frame_address(l, trace_of(l, 0).frames[0]), 0xffffffff8116147e);
	assert_string_equal(text_of(l, KMP_DICT_GFP, l->pages.data[3].gfp), "0x0");
	kmp_ledger_destroy(l);
}

static void sorted_2_6(void **state)
{
	struct kmp_ledger *l = read_data("samples/02-sorted-2.6.11-oot.txt");

	expect_totals(l, 3, 336607, 336607, 3);
	assert_string_equal(text_of(l, KMP_DICT_FRAME, trace_of(l, 0).frames[0]),
			    "generic_file_buffered_write+280");
	kmp_ledger_destroy(l);
}

static void letters_2_6_25(void **state)
{
	struct kmp_ledger *l = read_data("samples/03-raw-2008-letterflags.txt");
	const struct kmp_page *p = l->pages.data;

	expect_totals(l, 1, 1, 1, 0);
	assert_int_equal(p->pfn, 30625);
	assert_int_equal(p->block, 7);
	assert_string_equal(text_of(l, KMP_DICT_TYPE, p->block_type), "2");
	assert_string_equal(text_of(l, KMP_DICT_FLAGS, p->flags), "     L");
	kmp_ledger_destroy(l);
}

static void migrated_4_6(void **state)
{
	struct kmp_ledger *l = read_data("samples/04-raw-v4.6-migrated-brackets.txt");
	const struct kmp_page *p = l->pages.data;

	expect_totals(l, 1, 1, 1, 1);
	assert_int_equal(trace_of(l, 0).depth, 8);
	assert_string_equal(text_of(l, KMP_DICT_FRAME, trace_of(l, 0).frames[0]),
			    "__alloc_pages_nodemask+0x15a/0xa30");
	assert_string_equal(text_of(l, KMP_DICT_REASON, p->reason), "compaction");
	assert_int_equal(p->pfn, 674308);
	assert_false(p->form & KMP_FORM_PFN_HEX);
	kmp_ledger_destroy(l);
}

static void unit_missing_5_11(void **state)
{
	struct kmp_ledger *l = read_data("samples/06-raw-v5.11-ts-no-unit-early-pages.txt");
	const struct kmp_page *p = l->pages.data;

	expect_totals(l, 3, 3, 6, 2);
	assert_int_equal(p[0].pages, 4);
	assert_int_equal(p[0].ts, 121463164);
	assert_true(p[0].form & KMP_FORM_DEPTH_LIMIT);
	assert_false(p[1].form & KMP_FORM_DEPTH_LIMIT);
	assert_int_equal(l->warnings.len, 1);
	assert_int_equal(p[1].stack, p[2].stack);
	kmp_ledger_destroy(l);
}

static void wrapped_header_5_16(void **state)
{
	struct kmp_ledger *l = read_data("samples/09-raw-v5.16-header-wrapped-collation.txt");

	expect_totals(l, 2, 2, 2, 1);
	assert_int_equal(task_of(l, 0)->pid, 73696);
	assert_int_equal(task_of(l, 1)->pid, 61806);
	assert_int_equal(trace_of(l, 0).depth, 5);
	assert_int_equal(l->pages.data[0].ts, 1578829190639010);
	assert_int_equal(l->pages.data[0].free_ts, 1576583851324450);
	kmp_ledger_destroy(l);
}

static void offlined_5_17(void **state)
{
	const char *name = "samples/10-raw-v5.17rfc-offlined-memcg-comm-no-tgid.txt";
	struct kmp_ledger *l = read_data(name);
	const struct kmp_charge *charge = kmp_ledger_charge(l, l->pages.data[0].charge);

	expect_totals(l, 1, 1, 1, 1);
	assert_int_equal(task_of(l, 0)->pid, 162970);
	assert_int_equal(task_of(l, 0)->tgid, -1);
	assert_string_equal(comm_of(l, 0), "podman");
	assert_string_equal(text_of(l, KMP_DICT_MEMCG, charge->memcg),
			    "libpod-conmon-15e4f9c758422306b73b2dd99f9d50a5ea53cbb16b4a13a2c2308a"
			    "4253cc0ec8.");
	assert_true(charge->offline);
	assert_true(charge->old_spelling);
	kmp_ledger_destroy(l);
}

static void cma_6_12(void **state)
{
	struct kmp_ledger *l = read_data("samples/12-raw-v6.12-android-cma-migrated.txt");
	const struct kmp_page *p = l->pages.data;

	expect_totals(l, 2, 2, 513, 2);
	assert_int_equal(p[0].pages, 512);
	assert_int_equal(p[0].pfn, 0x23d200);
	assert_string_equal(text_of(l, KMP_DICT_TYPE, p[0].type), "Unmovable");
	assert_string_equal(text_of(l, KMP_DICT_TYPE, p[0].block_type), "CMA");
	assert_int_equal(task_of(l, 1)->pid, 1198);
	assert_int_equal(task_of(l, 1)->tgid, 1194);
	assert_string_equal(text_of(l, KMP_DICT_REASON, p[1].reason), "compaction");
	kmp_ledger_destroy(l);
}

static void broken_lines_6_19(void **state)
{
	struct kmp_ledger *l = read_data("samples/13-raw-v6.19-blog-backslash-continued.txt");

	expect_totals(l, 1, 1, 1, 1);
	assert_int_equal(task_of(l, 0)->pid, 5640);
	assert_int_equal(task_of(l, 0)->tgid, 5640);
	assert_string_equal(comm_of(l, 0), "stress-ng-brk");
	assert_int_equal(l->pages.data[0].ts, 414987114269);
	assert_int_equal(l->pages.data[0].pfn, 0x114);
	assert_int_equal(trace_of(l, 0).depth, 16);
	kmp_ledger_destroy(l);
}

static void order_counts_4_19(void **state)
{
	struct kmp_ledger *l = read_data("samples/19-sorted-v4.19-order3-socket-25GB.txt");

	expect_totals(l, 1, 849698, 6797584, 1);
	assert_int_equal(sum_pages(l) * 4096, 27842904064);
	kmp_ledger_destroy(l);
}

static void allocator_label_6_8(void **state)
{
	struct kmp_ledger *l = read_data("samples/20a-sorted-v6.8-allocator-blank-ts.txt");

	expect_totals(l, 1, 3, 6, 1);
	assert_int_equal(l->pages.data[0].ts, KMP_UNKNOWN);
	assert_int_equal(l->pages.data[0].order, 1);
	assert_string_equal(kmp_ledger_text(l, KMP_DICT_FLAGS, l->pages.data[0].flags, NULL),
			    "slab");
	assert_false(l->pages.data[0].form & KMP_FORM_SLAB);
	assert_string_equal(comm_of(l, 0), "systemd-journal");
	assert_int_equal(task_of(l, 0)->tgid, 78);
	kmp_ledger_destroy(l);
}

static void dump_page_7_0(void **state)
{
	struct kmp_ledger *l = read_data("samples/21-dmesg-dump_page-parens-comm.txt");

	expect_totals(l, 1, 1, 8, 1);
	assert_string_equal(comm_of(l, 0), "(udev-worker)");
	assert_int_equal(task_of(l, 0)->pid, 5493);
	assert_int_equal(trace_of(l, 0).depth, 19); /* the free stack's four are not among them */
	assert_string_equal(text_of(l, KMP_DICT_TYPE, l->pages.data[0].type), "Unmovable");
	kmp_ledger_destroy(l);
}

static void hostile_names_6_19(void **state)
{
	struct kmp_ledger *l = read_data("samples/22-DERIVED-raw-v6.19-hostile-comms.txt");
	static const struct {
		const char *comm;
		uint64_t pages;
		int64_t pid, tgid;
	} want[] = {
		{ "(udev-worker)", 8, 5493, 5493 },
		{ "kworker/u8:10", 8, 6062, 6062 },
		{ "(sd-pam)", 1, 4503, 4503 },
		{ "Isolated Web Co", 1, 7001, 7000 },
		{ "tokio-runtime-w", 2, 7002, 7002 },
		{ "a), ts 9 ns", 1, 7003, 7003 },
		{ "order 9, x", 1, 7004, 7004 },
		{ "pid 1, tgid 2 ", 1, 7005, 7005 },
		{ "", 1, 7006, 7006 },
	};

	expect_totals(l, 9, 9, 24, 1);
	for (size_t i = 0; i < 9; i++) {
		assert_string_equal(comm_of(l, i), want[i].comm);
		assert_int_equal(l->pages.data[i].pages, want[i].pages);
		assert_int_equal(task_of(l, i)->pid, want[i].pid);
		assert_int_equal(task_of(l, i)->tgid, want[i].tgid);
	}
	assert_int_equal(l->pages.data[5].ts, 4);
	kmp_ledger_destroy(l);
}

static void fallback_3_19(void **state)
{
	struct kmp_ledger *l = read_data("samples/25-DERIVED-raw-v3.19-fallback.txt");
	const struct kmp_page *p = l->pages.data;

	expect_totals(l, 2, 2, 3, 2);
	assert_false(p[0].form & KMP_FORM_FALLBACK);
	assert_true(p[1].form & KMP_FORM_FALLBACK);
	assert_string_equal(text_of(l, KMP_DICT_FLAGS, p[0].flags), "   UDLA   B ");
	assert_string_equal(text_of(l, KMP_DICT_FLAGS, p[1].flags), "       S C  ");
	kmp_ledger_destroy(l);
}

static void vendor_lines_4_4(void **state)
{
	struct kmp_ledger *l = read_data("samples/26-DERIVED-raw-v4.4-vendor-mediatek.txt");
	const struct kmp_page *p = l->pages.data;

	expect_totals(l, 1, 1, 1, 1);
	assert_int_equal(task_of(l, 0)->pid, 312);
	assert_int_equal(p->pfn, 651264);
	assert_non_null(strstr(text_of(l, KMP_DICT_EXTRA, p->extra),
			       "[detail][count:1, mapping:          (null), mapcount:0 index:0]"));
	kmp_ledger_destroy(l);
}

static void handles_7_3(void **state)
{
	struct kmp_ledger *l = read_data("samples/27-DERIVED-raw-v7.3-mode-handle.txt");
	const struct kmp_page *p = l->pages.data;
	const struct kmp_charge *charge = kmp_ledger_charge(l, p[1].charge);

	expect_totals(l, 2, 2, 5, 0);
	assert_int_equal(p[0].stack, p[1].stack);
	assert_int_equal(kmp_ledger_stack(l, p[0].stack)->handle, 27000838);
	assert_string_equal(text_of(l, KMP_DICT_REASON, p[1].reason), "compaction");
	assert_string_equal(text_of(l, KMP_DICT_MEMCG, charge->memcg), "system.slice");
	assert_true(charge->objcg);
	assert_true(charge->offline);
	kmp_ledger_destroy(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorted_4_2),	       cmocka_unit_test(sorted_2_6),
		cmocka_unit_test(letters_2_6_25),      cmocka_unit_test(migrated_4_6),
		cmocka_unit_test(unit_missing_5_11),   cmocka_unit_test(wrapped_header_5_16),
		cmocka_unit_test(offlined_5_17),       cmocka_unit_test(cma_6_12),
		cmocka_unit_test(broken_lines_6_19),   cmocka_unit_test(order_counts_4_19),
		cmocka_unit_test(allocator_label_6_8), cmocka_unit_test(dump_page_7_0),
		cmocka_unit_test(hostile_names_6_19),  cmocka_unit_test(fallback_3_19),
		cmocka_unit_test(vendor_lines_4_4),    cmocka_unit_test(handles_7_3),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
