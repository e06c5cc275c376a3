// SPDX-License-Identifier: GPL-2.0-only
/* The reader of a kernel log's list of allocations. */
#include "tags-read.h"

static void the_log_holds_the_top_ten(void **state)
{
	struct kmp_ledger *ledger =
		read_data(kmp_oom_log_read, "samples/36-dmesg-show_mem-v6.19.5.txt");
	struct sums sums = sums_of(ledger);

	assert_int_equal(sums.rows, 10);
	assert_int_equal(sums.approximate, 10);
	assert_int_equal(tag_of(ledger, "alloc_slab_page")->bytes, 40265318);
	assert_string_equal(tag_of(ledger, "vb2_vmalloc_alloc")->module, "videobuf2_vmalloc");
	assert_in_range(sums.bytes * 10 / (1 << 20), 1756, 1758);
	assert_true(kmp_ledger_facts(ledger)->top_only);
	assert_false(kmp_ledger_facts(ledger)->profiling_off);
	assert_int_equal(skipped(ledger), 0);
	kmp_ledger_destroy(ledger);
}

static const char log_text[] =
	"Nov 30 14:46:13 host kernel: Memory allocations:\n"
	"Nov 30 14:46:13 host kernel:     4.00 KiB        1 a.c:1 func:early\n"
	"[   12.5][    T1] uvcvideo: page allocation failure: order:4\n"
	"[   12.6][    T1] 65423 pages RAM\n"
	"<5>[   12.7][    T1] Memory allocations (profiling is currently turned off):\r\n"
	"<5>[   12.7][    T1]        512 B        2 b.c:2 func:late\r\n"
	"[   12.8] 12345 total pagecache pages\n"
	"2026-11-30T14:46:13+0000 host kernel: [   12.9] 16.0 EiB 3 c.c:3 func:below_zero\n"
	"[   13.0][    T2]     1.00 MiB      256 drivers/a/very/long/path.c:4\n"
	"[mod] func:wrapped\n"
	"[   13.1][    T2]     2.00 MiB      256 drivers/another/path.c:5\n"
	"[   13.2] Killed process 4711\n"
	"[   13.3] Memory allocations (profiling is currently turned on):\n"
	"[   13.4] Tasks state (memory values in pages):\n"
	"[   13.4] [      1]     0     1     1234     func\n";

static void the_last_report_of_a_log_counts(void **state)
{
	struct kmp_ledger *ledger = read_text(kmp_oom_log_read, log_text, sizeof(log_text) - 1);

	expect_sums(ledger, (struct sums){ 2, 512 + (1 << 20), 258, 0, 1 });
	assert_string_equal(tag_of(ledger, "wrapped")->module, "mod");
	assert_true(kmp_ledger_facts(ledger)->profiling_off);
	assert_int_equal(skipped(ledger), 2);
	assert_int_equal(kmp_ledger_losses(ledger)->first_line, 8);
	assert_int_equal(kmp_ledger_count(ledger, KMP_LIST_WARNINGS), 1);
	kmp_ledger_destroy(ledger);
}

static void a_log_without_report_is_an_error(void **state)
{
	static const char text[] = "[    1.0] Booting\n[    1.1] Memory: 12K\n";
	struct kmp_ledger *ledger;
	struct kmp_lines *lines;

	assert_null(kmp_ledger_create(&ledger));
	assert_null(kmp_lines_create_memory(text, sizeof(text) - 1, &lines));
	struct kmp_error *err = kmp_oom_log_read(lines, ledger);

	assert_non_null(err);
	assert_int_equal(err->kind, KMP_ERROR_INPUT);
	kmp_error_destroy(err);
	kmp_lines_destroy(lines);
	kmp_ledger_destroy(ledger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_log_holds_the_top_ten),
		cmocka_unit_test(the_last_report_of_a_log_counts),
		cmocka_unit_test(a_log_without_report_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
