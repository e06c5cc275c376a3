// SPDX-License-Identifier: GPL-2.0-only
/* Ledger files: what goes in comes out, and appending shares what is the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <sys/wait.h>

#include "store-files.h"
#include "store-fill.h"
#include "store/schema.h"

static void everything_comes_out_as_it_went_in(void **state)
{
	static const unsigned counts[] = { 1, 3, 1000, 65536, 65537, 200000 };

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		struct filled a, b;

		fill(&a, i + 1, counts[i]);
		assert_no_error(save(&a, test_path("a.kmp"), false));
		assert_no_error(load(&b, test_path("a.kmp"), 0, KMP_COLUMN_ALL));
		assert_same(&a, &b);
		filled_deinit(&a);
		filled_deinit(&b);
	}
}

static void kinds_of_pages_that_the_kernel_prints(void **state)
{
	/* As a dump without owners' details, one of sums, and one of regular page blocks. */
	for (enum fill_style style = FILL_BARE; style <= FILL_KERNEL; style++) {
		struct filled a, b;

		fill_style(&a, 7, 5000, style);
		assert_no_error(save(&a, test_path("b.kmp"), false));
		assert_no_error(load(&b, test_path("b.kmp"), 0, KMP_COLUMN_ALL));
		assert_same(&a, &b);
		filled_deinit(&a);
		filled_deinit(&b);
	}
}

static void an_empty_ledger_can_be_stored(void **state)
{
	struct filled a = { 0 }, b;

	assert_no_error(kmp_ledger_create(&a.ledger));
	assert_no_error(save(&a, test_path("empty.kmp"), false));
	assert_no_error(load(&b, test_path("empty.kmp"), 0, KMP_COLUMN_ALL));
	assert_int_equal(b.count, 0);
	filled_deinit(&a);
	filled_deinit(&b);
}

/* Sums by the members in columns must be the same however little is asked for. */
static void any_selection_of_columns_adds_up(void **state)
{
	static const uint32_t selections[] = {
		0,
		KMP_COLUMN_STACK,
		KMP_COLUMN_TASK | KMP_COLUMN_ORDER,
		KMP_COLUMN_FORM | KMP_COLUMN_GFP | KMP_COLUMN_TYPE,
		KMP_COLUMN_FLAGS,
		KMP_COLUMN_CHARGE | KMP_COLUMN_STACK,
		KMP_COLUMN_PFN,
		KMP_COLUMN_TS | KMP_COLUMN_TASK,
		KMP_COLUMN_BLOCK | KMP_COLUMN_BLOCK_TYPE | KMP_COLUMN_EXTRA | KMP_COLUMN_REASON,
		KMP_COLUMN_FREE_TS,
	};
	struct filled a;

	fill_style(&a, 3, 70000, FILL_KERNEL);
	assert_no_error(save(&a, test_path("c.kmp"), false));
	for (size_t i = 0; i < sizeof(selections) / sizeof(*selections); i++) {
		struct filled b;

		assert_no_error(load(&b, test_path("c.kmp"), 0, selections[i]));
		assert_same_sums(&a, &b, selections[i]);
		filled_deinit(&b);
	}
	filled_deinit(&a);
}

static void appending_shares_what_is_the_same(void **state)
{
	const char *path = test_path("d.kmp");
	struct filled a, b, c;

	fill(&a, 11, 3000);
	fill(&b, 12, 2000);
	assert_no_error(save(&a, path, true));
	int64_t frames = query(path, "SELECT count(*) FROM frame");
	int64_t stacks = query(path, "SELECT count(*) FROM stack");

	assert_true(frames > 10 && stacks > 10);
	assert_no_error(save(&a, path, true));
	assert_int_equal(query(path, "SELECT count(*) FROM frame"), frames);
	assert_int_equal(query(path, "SELECT count(*) FROM stack"), stacks);
	assert_no_error(save(&b, path, true));
	assert_int_equal(query(path, "SELECT count(*) FROM snapshot"), 3);
	assert_int_equal(query(path, "SELECT count(*) - count(DISTINCT id) FROM stack"), 0);
	for (unsigned i = 0; i <= 3; i++) {
		assert_no_error(load(&c, path, i, KMP_COLUMN_ALL));
		assert_same(i == 1 || i == 2 ? &a : &b, &c);
		filled_deinit(&c);
	}
	struct kmp_error *err = load(&c, path, 4, KMP_COLUMN_ALL);

	assert_non_null(err);
	assert_int_equal(err->kind, KMP_ERROR_USAGE);
	kmp_error_destroy(err);
	filled_deinit(&a);
	filled_deinit(&b);
}

static void a_handle_of_another_snapshot_is_not_taken(void **state)
{
	const char *path = test_path("e.kmp");
	struct filled a = { 0 }, b = { 0 }, c;
	struct kmp_page page = { .records = 1, .pages = 1, .task = KMP_NONE };
	uint32_t frame, trace, stack;

	assert_no_error(kmp_ledger_create(&a.ledger));
	assert_no_error(kmp_ledger_create(&b.ledger));
	assert_no_error(kmp_ledger_add_text(a.ledger, KMP_DICT_FRAME, "f+0x1/0x2", 9, &frame));
	assert_no_error(kmp_ledger_add_trace(a.ledger, &frame, 1, &trace));
	assert_no_error(
		kmp_ledger_add_stack(a.ledger, &(struct kmp_stack){ trace, 7, true }, &stack));
	assert_no_error(
		kmp_ledger_add_stack(b.ledger, &(struct kmp_stack){ KMP_NONE, 7, true }, &stack));
	page.gfp = page.flags = page.charge = page.type = page.block_type = KMP_NONE;
	page.reason = page.extra = KMP_NONE;
	a.pages = b.pages = &page;
	a.count = b.count = 1;
	assert_no_error(save(&a, path, true));
	assert_no_error(save(&b, path, true));
	assert_no_error(load(&c, path, 1, KMP_COLUMN_ALL));
	assert_int_equal(kmp_ledger_stack(c.ledger, c.pages[0].stack)->trace, 0);
	filled_deinit(&c);
	assert_no_error(load(&c, path, 2, KMP_COLUMN_ALL));
	assert_int_equal(kmp_ledger_stack(c.ledger, c.pages[0].stack)->trace, KMP_NONE);
	assert_int_equal(kmp_ledger_stack(c.ledger, c.pages[0].stack)->handle, 7);
	filled_deinit(&c);
	a.pages = b.pages = NULL;
	filled_deinit(&a);
	filled_deinit(&b);
}

static void the_file_is_private_closed_and_without_free_pages(void **state)
{
	const char *path = test_path("f.kmp");
	struct filled a;
	struct stat st;

	fill(&a, 5, 5000);
	assert_no_error(save(&a, path, false));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(query(path, "PRAGMA application_id"), STORE_APPLICATION_ID);
	assert_int_equal(query(path, "PRAGMA user_version"), STORE_VERSION);
	assert_int_equal(query(path, "PRAGMA freelist_count"), 0);
	assert_int_equal(query(path, "SELECT 'ok' = (SELECT * FROM pragma_integrity_check)"), 1);
	assert_int_equal(query(path, "SELECT 'delete' = (SELECT * FROM pragma_journal_mode)"), 1);
	assert_int_equal(files_in_test_directory(), 1);
	filled_deinit(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(everything_comes_out_as_it_went_in, make_directory,
						remove_directory),
		cmocka_unit_test_setup_teardown(kinds_of_pages_that_the_kernel_prints,
						make_directory, remove_directory),
		cmocka_unit_test_setup_teardown(an_empty_ledger_can_be_stored, make_directory,
						remove_directory),
		cmocka_unit_test_setup_teardown(any_selection_of_columns_adds_up, make_directory,
						remove_directory),
		cmocka_unit_test_setup_teardown(appending_shares_what_is_the_same, make_directory,
						remove_directory),
		cmocka_unit_test_setup_teardown(a_handle_of_another_snapshot_is_not_taken,
						make_directory, remove_directory),
		cmocka_unit_test_setup_teardown(the_file_is_private_closed_and_without_free_pages,
						make_directory, remove_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
