// SPDX-License-Identifier: GPL-2.0-only
/* One record of every kernel's form, filled in by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "format/page_owner_write.h"

enum {
	PID_TS = KMP_FORM_MASK | KMP_FORM_PID | KMP_FORM_TS | KMP_FORM_TS_NS,
	FREE = PID_TS | KMP_FORM_FREE_TS,
	TASK = PID_TS | KMP_FORM_TGID | KMP_FORM_COMM,
	FRAMES = KMP_FORM_TRACE,
	HEX = KMP_FORM_PFN | KMP_FORM_PFN_HEX
};

static struct kmp_ledger *ledger;
static struct kmp_page page;
static struct kmp_task task;
static uint32_t frames[2];
static char *text;
static size_t len, cap;

static uint32_t dict(enum kmp_dict which, const char *string)
{
	uint32_t number;

	assert_null(kmp_ledger_add_text(ledger, which, string, strlen(string), &number));
	return number;
}

static void set_task(const char *comm)
{
	task = (struct kmp_task){ 26, 25, dict(KMP_DICT_COMM, comm) };
	assert_null(kmp_ledger_add_task(ledger, &task, &page.task));
}

static void set_charge(bool objcg, bool offline, bool old)
{
	struct kmp_charge charge = { dict(KMP_DICT_MEMCG, "a b"), objcg, offline, old };

	assert_null(kmp_ledger_add_charge(ledger, &charge, &page.charge));
}

static int set_up(void **state)
{
	struct kmp_stack stack = { .handle = 4294967295, .has_handle = true };

	assert_null(kmp_ledger_create(&ledger));
	frames[0] = dict(KMP_DICT_FRAME, "alloc_pages+0x15a/0xa30");
	frames[1] = dict(KMP_DICT_FRAME, "xfs_read+0x88/0x120 [xfs]");
	assert_null(kmp_ledger_add_trace(ledger, frames, 2, &stack.trace));
	page = (struct kmp_page){
		.pfn = 0x7ffd1,
		.block = 1023,
		.ts = 2379152059,
		.free_ts = 17,
		.records = 1,
		.pages = 8,
		.order = 3,
		.gfp = dict(KMP_DICT_GFP, "0xcc0(GFP_KERNEL)"),
		.flags = dict(KMP_DICT_FLAGS, "0x4(referenced|node=1|zone=0)"),
		.type = dict(KMP_DICT_TYPE, "Movable"),
		.block_type = dict(KMP_DICT_TYPE, "CMA"),
		.reason = KMP_NONE,
		.charge = KMP_NONE,
		.extra = KMP_NONE,
	};
	assert_null(kmp_ledger_add_stack(ledger, &stack, &page.stack));
	set_task("kworker/u10:0");
	return 0;
}

static int tear_down(void **state)
{
	kmp_ledger_destroy(ledger);
	free(text);
	text = NULL;
	len = cap = 0;
	return 0;
}

static void print(enum kmp_mode mode)
{
	len = 0;
	assert_null(kmp_page_print(ledger, &page, mode, &text, &len, &cap));
}

static void assert_printed(enum kmp_mode mode, uint32_t form, const char *expected)
{
	page.form = form;
	print(mode);
	assert_int_equal(len, strlen(expected));
	assert_memory_equal(text, expected, len);
}

static void a_record_of_linux_2_6(void **state)
{
	frames[0] = dict(KMP_DICT_FRAME, "generic_file_buffered_write+280");
	struct kmp_stack stack = { 0 };

	assert_null(kmp_ledger_set_address(ledger, frames[0], 0xc0132258));
	assert_null(kmp_ledger_add_trace(ledger, frames, 1, &stack.trace));
	assert_null(kmp_ledger_add_stack(ledger, &stack, &page.stack));
	assert_printed(KMP_MODE_AS_READ, FRAMES | KMP_FORM_ADDRESS,
		       "Page allocated via order 3\n"
		       "[0xc0132258] generic_file_buffered_write+280\n\n");
}

static void a_record_of_linux_3_19(void **state)
{
	uint32_t form = KMP_FORM_MASK | KMP_FORM_PFN | KMP_FORM_OLD_PFN | FRAMES | KMP_FORM_ADDRESS;

	page.gfp = dict(KMP_DICT_GFP, "0x280da");
	page.flags = dict(KMP_DICT_FLAGS, "   UDLA   B ");
	page.type = KMP_NONE;
	page.block_type = dict(KMP_DICT_TYPE, "2");
	page.pfn = 4096;
	assert_null(kmp_ledger_set_address(ledger, frames[0], 0xffffffff81164e9a));
	assert_null(kmp_ledger_set_address(ledger, frames[1], 0xffffffffa0427d72));
	assert_printed(KMP_MODE_AS_READ, form,
		       "Page allocated via order 3, mask 0x280da\n"
		       "PFN 4096 Block 1023 type 2          Flags    UDLA   B \n"
		       " [<ffffffff81164e9a>] alloc_pages+0x15a/0xa30\n"
		       " [<ffffffffa0427d72>] xfs_read+0x88/0x120 [xfs]\n\n");
	assert_printed(KMP_MODE_AS_READ, form | KMP_FORM_FALLBACK,
		       "Page allocated via order 3, mask 0x280da\n"
		       "PFN 4096 Block 1023 type 2 Fallback Flags    UDLA   B \n"
		       " [<ffffffff81164e9a>] alloc_pages+0x15a/0xa30\n"
		       " [<ffffffffa0427d72>] xfs_read+0x88/0x120 [xfs]\n\n");
}

static void the_end_mark_of_short_traces(void **state)
{
	assert_null(kmp_ledger_set_address(ledger, frames[0], 0xffffffff81164e9a));
	assert_null(kmp_ledger_set_address(ledger, frames[1], 0xffffffffa0427d72));
	assert_printed(KMP_MODE_AS_READ,
		       KMP_FORM_MASK | FRAMES | KMP_FORM_ADDRESS | KMP_FORM_END_MARK,
		       "Page allocated via order 3, mask 0xcc0(GFP_KERNEL)\n"
		       " [<ffffffff81164e9a>] alloc_pages+0x15a/0xa30\n"
		       " [<ffffffffa0427d72>] xfs_read+0x88/0x120 [xfs]\n"
		       " [<ffffffffffffffff>] 0xffffffffffffffff\n\n");
}

#define PFN_DECIMAL                                                                                \
	"PFN 524241 type Movable Block 1023 type CMA Flags 0x4(referenced|node=1|zone=0)\n"
#define PFN_HEX "PFN 0x7ffd1 type Movable Block 1023 type CMA Flags 0x4(referenced|node=1|zone=0)\n"
#define STACK	" alloc_pages+0x15a/0xa30\n xfs_read+0x88/0x120 [xfs]\n"

static void a_record_of_linux_4_6(void **state)
{
	assert_null(kmp_ledger_set_address(ledger, frames[0], 0xffffffff81164e9a));
	assert_null(kmp_ledger_set_address(ledger, frames[1], 0xc0000001));
	page.reason = dict(KMP_DICT_REASON, "compaction");
	assert_printed(KMP_MODE_AS_READ, KMP_FORM_MASK | KMP_FORM_PFN | FRAMES | KMP_FORM_ADDRESS,
		       "Page allocated via order 3, mask 0xcc0(GFP_KERNEL)\n" PFN_DECIMAL
		       " [<ffffffff81164e9a>] alloc_pages+0x15a/0xa30\n"
		       " [<c0000001>] xfs_read+0x88/0x120 [xfs]\n"
		       "Page has been migrated, last migrate reason: compaction\n\n");
}

static void records_of_linux_5(void **state)
{
	assert_printed(KMP_MODE_AS_READ, PID_TS | KMP_FORM_PFN | FRAMES,
		       "Page allocated via order 3, mask 0xcc0(GFP_KERNEL), pid 26, "
		       "ts 2379152059 ns\n" PFN_DECIMAL STACK "\n");
	assert_printed(KMP_MODE_AS_READ, (PID_TS & ~KMP_FORM_TS_NS) | KMP_FORM_PFN | FRAMES,
		       "Page allocated via order 3, mask 0xcc0(GFP_KERNEL), pid 26, "
		       "ts 2379152059\n" PFN_DECIMAL STACK "\n");
	assert_printed(KMP_MODE_AS_READ, FREE | KMP_FORM_PFN | FRAMES,
		       "Page allocated via order 3, mask 0xcc0(GFP_KERNEL), pid 26, "
		       "ts 2379152059 ns, free_ts 17 ns\n" PFN_DECIMAL STACK "\n");
	set_charge(true, false, false);
	assert_printed(KMP_MODE_AS_READ, FREE | TASK | KMP_FORM_PFN | FRAMES,
		       "Page allocated via order 3, mask 0xcc0(GFP_KERNEL), pid 26, tgid 25 "
		       "(kworker/u10:0), ts 2379152059 ns, free_ts 17 ns\n" PFN_DECIMAL STACK
		       "Charged (via objcg) to memcg a b\n\n");
}

static void records_of_linux_6(void **state)
{
	set_charge(false, true, false);
	assert_printed(KMP_MODE_AS_READ, FREE | TASK | HEX | FRAMES,
		       "Page allocated via order 3, mask 0xcc0(GFP_KERNEL), pid 26, tgid 25 "
		       "(kworker/u10:0), ts 2379152059 ns, free_ts 17 ns\n" PFN_HEX STACK
		       "Charged to offline memcg a b\n\n");
	page.charge = KMP_NONE;
	assert_printed(KMP_MODE_AS_READ, TASK | HEX | FRAMES | KMP_FORM_SLAB,
		       "Page allocated via order 3, mask 0xcc0(GFP_KERNEL), pid 26, tgid 25 "
		       "(kworker/u10:0), ts 2379152059 ns\n" PFN_HEX STACK "Slab cache page\n\n");
}

#define HEADER_7_3                                                                                 \
	"Page allocated via order 3, mask 0xcc0(GFP_KERNEL), pid 26, tgid 25 (kworker/u10:0), "    \
	"ts 2379152059 ns\n" PFN_HEX
#define MIGRATED "Page has been migrated, last migrate reason: damon\n"
#define HANDLE	 "handle: 4294967295\n"

static void modes_of_linux_7_3(void **state)
{
	page.reason = dict(KMP_DICT_REASON, "damon");
	assert_printed(KMP_MODE_AS_READ, TASK | HEX | FRAMES, HEADER_7_3 STACK MIGRATED "\n");
	assert_printed(KMP_MODE_AS_READ, TASK | HEX | KMP_FORM_HANDLE,
		       HEADER_7_3 HANDLE MIGRATED "\n");
	assert_printed(KMP_MODE_AS_READ, TASK | HEX | FRAMES | KMP_FORM_HANDLE,
		       HEADER_7_3 STACK HANDLE MIGRATED "\n");
}

static void another_mode_than_was_read(void **state)
{
	assert_printed(KMP_MODE_STACK, TASK | HEX | KMP_FORM_HANDLE, HEADER_7_3 STACK "\n");
	assert_printed(KMP_MODE_HANDLE, TASK | HEX | FRAMES, HEADER_7_3 HANDLE "\n");
	assert_printed(KMP_MODE_STACK_HANDLE, TASK | HEX | FRAMES, HEADER_7_3 STACK HANDLE "\n");
}

static void a_comm_holds_any_bytes(void **state)
{
	set_task("new\nline), ts 5");
	assert_printed(KMP_MODE_HANDLE, TASK | HEX,
		       "Page allocated via order 3, mask 0xcc0(GFP_KERNEL), pid 26, tgid 25 "
		       "(new\nline), ts 5), ts 2379152059 ns\n" PFN_HEX HANDLE "\n");
}

static void a_number_taken_out_by_page_owner_sort(void **state)
{
	page.ts = KMP_UNKNOWN;
	assert_printed(KMP_MODE_AS_READ, TASK | FRAMES,
		       "Page allocated via order 3, mask 0xcc0(GFP_KERNEL), pid 26, tgid 25 "
		       "(kworker/u10:0), ts  ns\n" STACK "\n");
}

static void vendor_lines_and_rfc_spellings(void **state)
{
	page.extra = dict(KMP_DICT_EXTRA, "PID 312\nFILE_PAGE x");
	set_charge(true, true, true);
	assert_printed(KMP_MODE_AS_READ, KMP_FORM_MASK | FRAMES,
		       "Page allocated via order 3, mask 0xcc0(GFP_KERNEL)\n" STACK
		       "Charged (via objcg) to offlined memcg a b\nPID 312\nFILE_PAGE x\n\n");
}

static void a_stack_that_is_not_told_is_missing(void **state)
{
	struct kmp_page_printer printer = { 0 };
	struct kmp_bytes out = { 0 };
	struct kmp_stack untraced = { .trace = KMP_NONE, .handle = 7, .has_handle = true };
	uint32_t trace = kmp_ledger_stack(ledger, page.stack)->trace;
	bool missing;

	assert_null(kmp_ledger_add_stack(ledger, &untraced, &page.stack));
	page.form = TASK | HEX | KMP_FORM_HANDLE;
	assert_null(
		kmp_page_printer_print(&printer, ledger, &page, KMP_MODE_STACK, &out, &missing));
	assert_true(missing);
	/* The handle is resolved later: what was printed before does not stick. */
	untraced.trace = trace;
	assert_null(kmp_ledger_add_stack(ledger, &untraced, &page.stack));
	assert_null(
		kmp_page_printer_print(&printer, ledger, &page, KMP_MODE_STACK, &out, &missing));
	assert_false(missing);
	page.stack = KMP_NONE;
	assert_null(
		kmp_page_printer_print(&printer, ledger, &page, KMP_MODE_HANDLE, &out, &missing));
	assert_true(missing);
	assert_null(
		kmp_page_printer_print(&printer, ledger, &page, KMP_MODE_AS_READ, &out, &missing));
	assert_true(missing);
	page.form = TASK | HEX;
	assert_null(
		kmp_page_printer_print(&printer, ledger, &page, KMP_MODE_AS_READ, &out, &missing));
	assert_false(missing);
	vec_deinit(&out);
	kmp_page_printer_deinit(&printer);
}

#define test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_record_of_linux_2_6),
		test(a_record_of_linux_3_19),
		test(the_end_mark_of_short_traces),
		test(a_record_of_linux_4_6),
		test(records_of_linux_5),
		test(records_of_linux_6),
		test(modes_of_linux_7_3),
		test(another_mode_than_was_read),
		test(a_comm_holds_any_bytes),
		test(a_number_taken_out_by_page_owner_sort),
		test(vendor_lines_and_rfc_spellings),
		test(a_stack_that_is_not_told_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
