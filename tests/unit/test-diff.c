// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ledger/groups.h"
#include "sample-ledger.h"

static struct kmp_groups *random_groups(uint64_t seed, const char *keys)
{
	struct kmp_grouping *grouping;
	struct kmp_groups *groups;
	struct sample sample;

	sample_create(&sample, seed);
	assert_null(kmp_grouping_create(sample.ledger, keys, NULL, &grouping));
	struct kmp_sink sink = kmp_grouping_sink(grouping);

	for (size_t i = 0; i < 200; i++) {
		struct kmp_page page = sample_page(&sample);

		assert_null(sink.pages(sink.arg, sample.ledger, &page, 1));
	}
	assert_null(kmp_ledger_warn(sample.ledger, "seed %d", (int)seed));
	assert_null(kmp_ledger_warn(sample.ledger, "the same on both sides"));
	kmp_ledger_add_losses(sample.ledger, 0, 1);
	assert_null(kmp_grouping_finish(grouping, &groups));
	/* Groups need the ledger no more. */
	kmp_ledger_destroy(sample.ledger);
	return groups;
}

static void the_deltas_add_up_to_the_difference_of_totals(void **state)
{
	static const char *const keys[] = { "stack", "comm,order", "stack,node,gfp", "zone",
					    "memcg" };

	for (size_t k = 0; k < 5; k++) {
		struct kmp_groups *before = random_groups(1, keys[k]);
		struct kmp_groups *after = random_groups(2 + k, keys[k]);
		struct kmp_groups *diff;
		int64_t pages = 0;

		assert_null(kmp_groups_diff(before, after, &diff));
		for (size_t i = 0; i < diff->count; i++) {
			pages += diff->groups[i].now.pages - diff->groups[i].before.pages;
			assert_false(diff->groups[i].unknown);
		}
		assert_int_equal(pages, after->total.pages - before->total.pages);
		assert_int_equal(diff->total.pages, after->total.pages);
		assert_int_equal(diff->total_before.bytes, before->total.bytes);
		for (size_t i = 1; i < diff->count; i++)
			assert_true(diff->groups[i - 1].now.bytes -
					    diff->groups[i - 1].before.bytes >=
				    diff->groups[i].now.bytes - diff->groups[i].before.bytes);
		assert_int_equal(diff->losses.cut, 2);
		assert_int_equal(diff->warning_count, 3);
		kmp_groups_destroy(before);
		kmp_groups_destroy(after);
		kmp_groups_destroy(diff);
	}
}

static void nothing_changed_is_no_growth(void **state)
{
	struct kmp_groups *same = random_groups(7, "stack,comm");
	struct kmp_groups *diff;

	assert_null(kmp_groups_diff(same, same, &diff));
	assert_int_equal(diff->count, same->count);
	for (size_t i = 0; i < diff->count; i++)
		assert_int_equal(diff->groups[i].now.pages, diff->groups[i].before.pages);
	kmp_groups_destroy(same);
	kmp_groups_destroy(diff);
}

struct tag {
	const char *name;
	int64_t bytes;
};

static struct kmp_groups *tag_groups(const struct tag *tags, size_t count, bool top_only)
{
	static const char *const names[] = { "tag" };
	struct kmp_builder builder;
	struct kmp_groups *groups;

	assert_null(kmp_builder_init(&builder, KMP_UNIT_TAGS, names, 1));
	for (size_t i = 0; i < count; i++) {
		struct kmp_value value = { .kind = KMP_VALUE_TEXT,
					   .text = tags[i].name,
					   .len = strlen(tags[i].name) };
		struct kmp_group *group;

		assert_null(kmp_builder_group(&builder, &value, &group));
		kmp_sums_add(&group->now,
			     &(struct kmp_sums){ .bytes = tags[i].bytes, .records = 1 });
	}
	kmp_builder_result(&builder)->facts.top_only = top_only;
	assert_null(kmp_builder_finish(&builder, &groups));
	kmp_builder_deinit(&builder);
	return groups;
}

static const struct kmp_group *find(const struct kmp_groups *groups, const char *name)
{
	for (size_t i = 0; i < groups->count; i++) {
		if (!strcmp(groups->groups[i].key[0].text, name))
			return &groups->groups[i];
	}
	return NULL;
}

static void what_a_cut_side_lacks_is_unknown(void **state)
{
	static const struct tag boot[] = { { "ice", 1105125376 },
					   { "dma", 71524352 },
					   { "thp", 975175680 } };
	static const struct tag later[] = { { "ice", 3341238272 },
					    { "shmem", 106229760 },
					    { "thp", 838860800 } };
	struct kmp_groups *a = tag_groups(boot, 3, true), *b = tag_groups(later, 3, true);
	struct kmp_groups *diff;

	assert_null(kmp_groups_diff(a, b, &diff));
	assert_int_equal(diff->count, 4);
	assert_string_equal(diff->groups[0].key[0].text, "ice");
	assert_int_equal(kmp_sums_delta(diff->groups[0].now.bytes, diff->groups[0].before.bytes),
			 2236112896);
	assert_string_equal(diff->groups[1].key[0].text, "thp");
	assert_true(find(diff, "dma")->unknown);
	assert_true(find(diff, "shmem")->unknown);
	assert_false(find(diff, "thp")->unknown);
	kmp_groups_destroy(diff);
	kmp_groups_destroy(b);
	/* A whole later side does tell that dma went; the cut earlier one says nothing of shmem. */
	b = tag_groups(later, 3, false);
	assert_null(kmp_groups_diff(a, b, &diff));
	assert_false(find(diff, "dma")->unknown);
	assert_true(find(diff, "shmem")->unknown);
	kmp_groups_destroy(diff);
	kmp_groups_destroy(a);
	kmp_groups_destroy(b);
}

static void change_is_growth_or_shrinkage(void **state)
{
	static const struct tag boot[] = {
		{ "same", 5 }, { "gone", 9 }, { "less", 30 }, { "more", 1 }
	};
	static const struct tag later[] = { { "same", 5 }, { "less", 10 }, { "more", 11 } };
	static const char *const want[] = { "less", "more", "gone", "same" };
	struct kmp_groups *a = tag_groups(boot, 4, false), *b = tag_groups(later, 3, true);
	struct kmp_groups *diff;

	assert_null(kmp_groups_diff(a, b, &diff));
	assert_null(kmp_groups_sort(diff, "change"));
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(diff->groups[i].key[0].text, want[i]);
	assert_true(diff->groups[2].unknown);
	kmp_groups_destroy(diff);
	kmp_groups_destroy(a);
	kmp_groups_destroy(b);
}

static void zeros_are_left_out(void **state)
{
	static const struct tag tags[] = { { "used", 1 } };
	static const struct tag empty[] = { { "never", 0 } };
	struct kmp_groups *a = tag_groups(tags, 1, false), *b = tag_groups(empty, 1, false);
	struct kmp_groups *diff;

	a->groups[0].now.records = 0;
	b->groups[0].now.records = 0;
	assert_null(kmp_groups_diff(a, b, &diff));
	assert_int_equal(diff->count, 1);
	assert_string_equal(diff->groups[0].key[0].text, "used");
	kmp_groups_destroy(diff);
	kmp_groups_destroy(a);
	kmp_groups_destroy(b);
}

static void unlike_groups_are_refused(void **state)
{
	static const struct tag tags[] = { { "used", 1 } };
	struct kmp_groups *groups[] = { random_groups(1, "stack"), random_groups(1, "comm"),
					random_groups(1, "stack,comm"),
					tag_groups(tags, 1, false) };
	struct kmp_groups *diff = NULL;

	for (size_t i = 1; i < 4; i++) {
		struct kmp_error *err = kmp_groups_diff(groups[0], groups[i], &diff);

		assert_non_null(err);
		assert_int_equal(err->kind, KMP_ERROR_USAGE);
		kmp_error_destroy(err);
	}
	assert_null(diff);
	for (size_t i = 0; i < 4; i++)
		kmp_groups_destroy(groups[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_deltas_add_up_to_the_difference_of_totals),
		cmocka_unit_test(nothing_changed_is_no_growth),
		cmocka_unit_test(what_a_cut_side_lacks_is_unknown),
		cmocka_unit_test(change_is_growth_or_shrinkage),
		cmocka_unit_test(zeros_are_left_out),
		cmocka_unit_test(unlike_groups_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
