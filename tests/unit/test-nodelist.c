// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/nodelist.h"

/* The list as a bit mask of nodes 0 to 63, or the errno below 0. */
static int64_t parse(const char *text)
{
	struct kmp_nodelist list = { 0 };
	int err = kmp_nodelist_parse(text, strlen(text), 64, &list);

	return err ? -err : (int64_t)list.bits[0];
}

static void lists_name_nodes(void **state)
{
	assert_int_equal(parse("0"), 1);
	assert_int_equal(parse("0,2-4,7"), 0x9d);
	assert_int_equal(parse("0-1,1"), 3);
	assert_int_equal(parse("1 3\t5"), 0x2a);
	assert_int_equal(parse("all"), -1);
	assert_int_equal(parse("ALL:1/2"), 0x5555555555555555);
	assert_int_equal(parse("62-N"), (int64_t)0xc000000000000000);
}

static void groups_take_the_first_of_each(void **state)
{
	assert_int_equal(parse("0-7:1/4"), 0x11);
	assert_int_equal(parse("0-1:1/2"), 1);
	assert_int_equal(parse("2-9:2/3"), 0x36c);
	assert_int_equal(parse("0-7:1/4,6"), 0x51);
	assert_int_equal(parse("0-7:4/4"), 0xff);
	assert_int_equal(parse("0-7:5/4"), -EINVAL);
	assert_int_equal(parse("0-7:0/4"), -EINVAL);
	assert_int_equal(parse("0-7:1/0"), -EINVAL);
	assert_int_equal(parse("0-7:1"), -EINVAL);
	assert_int_equal(parse("0:1/1"), -EINVAL);
}

static void empty_items_are_skipped(void **state)
{
	assert_int_equal(parse(",1"), 2);
	assert_int_equal(parse("1,"), 2);
	assert_int_equal(parse("1,,2"), 6);
	assert_int_equal(parse(""), -EINVAL);
	assert_int_equal(parse(","), -EINVAL);
	assert_int_equal(parse(" "), -EINVAL);
}

static void numbers_are_decimal(void **state)
{
	assert_int_equal(parse("01"), 2);
	assert_int_equal(parse("0x1"), -EINVAL);
	assert_int_equal(parse("a"), -EINVAL);
	assert_int_equal(parse("-1"), -EINVAL);
	assert_int_equal(parse("0-"), -EINVAL);
	assert_int_equal(parse("1-0"), -EINVAL);
	assert_int_equal(parse("64"), -ERANGE);
	assert_int_equal(parse("4294967295"), -EINVAL);
	assert_int_equal(parse("4294967296"), -EOVERFLOW);
	assert_int_equal(parse("99999999999"), -EOVERFLOW);
	assert_int_equal(parse("99999999999999999999999999"), -EOVERFLOW);
}

static void a_newline_or_nul_ends_the_text(void **state)
{
	struct kmp_nodelist list = { 0 };

	assert_int_equal(parse("1\n"), 2);
	assert_int_equal(parse("1\nx"), 2);
	assert_int_equal(parse("\n1"), 2);
	assert_int_equal(kmp_nodelist_parse("1\0x", 3, 64, &list), 0);
	assert_int_equal(list.bits[0], 2);
	assert_int_equal(kmp_nodelist_parse("12", 1, 64, &list), 0);
	assert_int_equal(list.bits[0], 2);
}

static void a_bad_list_changes_nothing(void **state)
{
	struct kmp_nodelist list = { .bits = { 5 } };

	assert_int_equal(kmp_nodelist_parse("1,x", 3, 64, &list), EINVAL);
	assert_int_equal(list.bits[0], 5);
}

static void nodes_are_looked_up(void **state)
{
	struct kmp_nodelist one = { 0 }, many = { 0 };

	assert_int_equal(kmp_nodelist_parse("1023", 4, KMP_NODES_MAX, &one), 0);
	assert_int_equal(kmp_nodelist_parse("64-1023", 7, KMP_NODES_MAX, &many), 0);
	assert_true(kmp_nodelist_has(&one, 1023));
	assert_false(kmp_nodelist_has(&one, 1022));
	assert_false(kmp_nodelist_has(&one, -1));
	assert_false(kmp_nodelist_has(&one, 1024));
	assert_true(kmp_nodelist_within(&one, &many));
	assert_false(kmp_nodelist_within(&many, &one));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_name_nodes),
		cmocka_unit_test(groups_take_the_first_of_each),
		cmocka_unit_test(empty_items_are_skipped),
		cmocka_unit_test(numbers_are_decimal),
		cmocka_unit_test(a_newline_or_nul_ends_the_text),
		cmocka_unit_test(a_bad_list_changes_nothing),
		cmocka_unit_test(nodes_are_looked_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
