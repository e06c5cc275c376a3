// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ledger/groups.h"

static const char *const names[] = { "module", "line" };

static struct kmp_value text(const char *bytes, size_t len)
{
	return (struct kmp_value){ .kind = KMP_VALUE_TEXT, .text = bytes, .len = len };
}

static struct kmp_value number(int64_t value)
{
	return (struct kmp_value){ .kind = KMP_VALUE_NUMBER, .number = value };
}

static struct kmp_value stack(const char *const *frames, size_t depth)
{
	return (struct kmp_value){ .kind = KMP_VALUE_STACK, .frames = frames, .depth = depth };
}

static void add_group(struct kmp_builder *builder, struct kmp_value a, struct kmp_value b,
		      int64_t bytes)
{
	struct kmp_value values[2] = { a, b };
	struct kmp_group *group;

	assert_null(kmp_builder_group(builder, values, &group));
	kmp_sums_add(&group->now, &(struct kmp_sums){ .bytes = bytes, .records = 1 });
}

static struct kmp_groups *sample(void)
{
	struct kmp_builder builder;
	struct kmp_groups *groups;

	assert_null(kmp_builder_init(&builder, KMP_UNIT_TAGS, names, 2));
	add_group(&builder, text("xfs", 3), number(7), 10);
	add_group(&builder, text("ext4", 4), number(7), 30);
	add_group(&builder, text("xfs", 3), number(7), 15);
	add_group(&builder, text("a\0b", 3), number(7), 30);
	add_group(&builder, text("a\0c", 3), number(7), -5);
	add_group(&builder, (struct kmp_value){ .kind = KMP_VALUE_NONE }, number(7), 30);
	assert_null(kmp_builder_finish(&builder, &groups));
	kmp_builder_deinit(&builder);
	return groups;
}

static void equal_keys_add_up_and_the_largest_is_first(void **state)
{
	struct kmp_groups *groups = sample();

	assert_int_equal(groups->count, 5);
	assert_int_equal(groups->total.bytes, 110);
	assert_int_equal(groups->total.records, 6);
	/* Three have 30: the key decides, and what is not told comes last. */
	assert_memory_equal(groups->groups[0].key[0].text, "a\0b", 4);
	assert_string_equal(groups->groups[1].key[0].text, "ext4");
	assert_int_equal(groups->groups[2].key[0].kind, KMP_VALUE_NONE);
	assert_int_equal(groups->groups[3].now.bytes, 25);
	assert_int_equal(groups->groups[4].now.bytes, -5);
	kmp_groups_destroy(groups);
}

static void sorting_takes_figures_keys_and_a_minus(void **state)
{
	struct kmp_groups *groups = sample();

	assert_null(kmp_groups_sort(groups, "-bytes"));
	assert_int_equal(groups->groups[0].now.bytes, -5);
	assert_null(kmp_groups_sort(groups, "calls"));
	assert_int_equal(groups->groups[0].now.records, 2);
	assert_null(kmp_groups_sort(groups, "module"));
	assert_memory_equal(groups->groups[0].key[0].text, "a\0b", 4);
	assert_null(kmp_groups_sort(groups, "-module"));
	assert_int_equal(groups->groups[0].key[0].kind, KMP_VALUE_NONE);
	kmp_groups_destroy(groups);
}

static void an_unknown_order_offers_the_nearest(void **state)
{
	struct kmp_groups *groups = sample();
	struct kmp_error *err = kmp_groups_sort(groups, "byte");

	assert_int_equal(err->kind, KMP_ERROR_USAGE);
	assert_non_null(strstr(err->message, "did you mean 'bytes'?"));
	kmp_error_destroy(err);
	err = kmp_groups_sort(groups, "delta");
	assert_int_equal(err->kind, KMP_ERROR_USAGE);
	kmp_error_destroy(err);
	kmp_groups_destroy(groups);
}

static void equal_traces_share_their_frames(void **state)
{
	const char *const first[] = { "f", "g" };
	const char *const again[] = { "f", "g" };
	const char *const other[] = { "f" };
	struct kmp_builder builder;
	struct kmp_groups *groups;

	assert_null(kmp_builder_init(&builder, KMP_UNIT_PAGES, names, 2));
	add_group(&builder, stack(first, 2), number(1), 3);
	add_group(&builder, stack(again, 2), number(2), 2);
	add_group(&builder, stack(other, 1), number(1), 1);
	assert_null(kmp_builder_finish(&builder, &groups));
	kmp_builder_deinit(&builder);
	assert_int_equal(groups->count, 3);
	assert_ptr_equal(groups->groups[0].key[0].frames, groups->groups[1].key[0].frames);
	assert_string_equal(groups->groups[1].key[0].frames[1], "g");
	assert_int_equal(groups->groups[2].key[0].depth, 1);
	kmp_groups_destroy(groups);
}

static void many_groups_are_found_again(void **state)
{
	struct kmp_builder builder;
	struct kmp_groups *groups;

	assert_null(kmp_builder_init(&builder, KMP_UNIT_PAGES, names, 2));
	for (int i = 0; i < 20000; i++)
		add_group(&builder, number(i % 100), number(i % 77), i);
	assert_null(kmp_builder_finish(&builder, &groups));
	kmp_builder_deinit(&builder);
	assert_int_equal(groups->count, 7700);
	assert_int_equal(groups->total.records, 20000);
	assert_int_equal(groups->total.bytes, 20000LL * 19999 / 2);
	kmp_groups_destroy(groups);
}

static void sums_stay_in_range(void **state)
{
	struct kmp_sums sums = { .bytes = INT64_MAX, .pages = INT64_MIN };

	kmp_sums_add(&sums, &(struct kmp_sums){ .bytes = 1, .pages = -1 });
	assert_int_equal(sums.bytes, INT64_MAX);
	assert_true(sums.pages == INT64_MIN);
	assert_int_equal(kmp_sums_delta(INT64_MAX, -1), INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_keys_add_up_and_the_largest_is_first),
		cmocka_unit_test(sorting_takes_figures_keys_and_a_minus),
		cmocka_unit_test(an_unknown_order_offers_the_nearest),
		cmocka_unit_test(equal_traces_share_their_frames),
		cmocka_unit_test(many_groups_are_found_again),
		cmocka_unit_test(sums_stay_in_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
