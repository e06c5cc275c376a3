// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ledger/ledger.h"

static void same_values_get_the_same_number(void **state)
{
	struct kmp_ledger *ledger;
	uint32_t a, b, c;

	assert_null(kmp_ledger_create(&ledger));
	assert_null(kmp_ledger_add_text(ledger, KMP_DICT_FRAME, "f+0x1/0x2", 9, &a));
	assert_null(kmp_ledger_add_text(ledger, KMP_DICT_FRAME, "g+0x1/0x2", 9, &b));
	assert_null(kmp_ledger_add_text(ledger, KMP_DICT_FRAME, "f+0x1/0x2", 9, &c));
	assert_int_equal(a, c);
	assert_int_not_equal(a, b);
	kmp_ledger_destroy(ledger);
}

static void a_handle_takes_its_trace_later(void **state)
{
	struct kmp_ledger *ledger;
	uint32_t frame, trace, early, late;

	assert_null(kmp_ledger_create(&ledger));
	assert_null(kmp_ledger_add_stack(ledger, &(struct kmp_stack){ KMP_NONE, 7, true }, &early));
	assert_null(kmp_ledger_add_text(ledger, KMP_DICT_FRAME, "f+0x1/0x2", 9, &frame));
	assert_null(kmp_ledger_add_trace(ledger, &frame, 1, &trace));
	assert_null(kmp_ledger_add_stack(ledger, &(struct kmp_stack){ trace, 7, true }, &late));
	assert_int_equal(early, late);
	assert_int_equal(kmp_ledger_stack(ledger, early)->trace, trace);
	kmp_ledger_destroy(ledger);
}

static void a_trace_finds_its_handle(void **state)
{
	struct kmp_ledger *ledger;
	uint32_t frame, trace, untold, both, found;

	assert_null(kmp_ledger_create(&ledger));
	assert_null(kmp_ledger_add_text(ledger, KMP_DICT_FRAME, "f+0x1/0x2", 9, &frame));
	assert_null(kmp_ledger_add_trace(ledger, &frame, 1, &trace));
	assert_null(kmp_ledger_add_stack(ledger, &(struct kmp_stack){ trace, 0, false }, &untold));
	assert_false(kmp_ledger_stack(ledger, untold)->has_handle);
	assert_null(kmp_ledger_add_stack(ledger, &(struct kmp_stack){ trace, 7, true }, &both));
	assert_null(kmp_ledger_add_stack(ledger, &(struct kmp_stack){ trace, 0, false }, &found));
	assert_int_equal(found, both);
	assert_int_not_equal(found, untold);
	kmp_ledger_destroy(ledger);
}

static void many_entries_are_found_again(void **state)
{
	struct kmp_ledger *ledger;
	uint32_t id;

	assert_null(kmp_ledger_create(&ledger));
	for (int round = 0; round < 2; round++) {
		for (int64_t pid = 0; pid < 10000; pid++) {
			assert_null(kmp_ledger_add_task(
				ledger, &(struct kmp_task){ pid, pid / 2, KMP_NONE }, &id));
			assert_int_equal(id, pid);
		}
	}
	kmp_ledger_destroy(ledger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_values_get_the_same_number),
		cmocka_unit_test(a_handle_takes_its_trace_later),
		cmocka_unit_test(a_trace_finds_its_handle),
		cmocka_unit_test(many_entries_are_found_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
