// SPDX-License-Identifier: GPL-2.0-only
/* Trends over a history: many samples become few points, series become groups, boots are apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "store-fill.h"

enum { SAMPLES = 500, STACKS = 6, COMMS = 2 };

#define START UINT64_C(1800000000)

/* Stack 1 of the second task leaks 3 pages a sample; the others stand, but for stack 2. */
static uint64_t pages_of(unsigned stack, unsigned comm, unsigned sample)
{
	if (stack == 1 && comm == 1)
		return 10 + 3 * sample;
	if (stack == 2)
		return 500 + (sample * 7 % 11) * 40;
	/* The last one is there at first, of the first task. */
	return stack == 5 ? (sample < 20 && !comm ? 900 : 0) : 1000 * stack + comm;
}

static void add_sample(struct kmp_history_writer *writer, struct kmp_ledger *ledger,
		       unsigned sample, const char *boot)
{
	static const char *const names[COMMS] = { "calm", "leaky" };
	struct kmp_sink sink = kmp_history_sink(writer);
	struct kmp_moment moment = { .time = (START + sample) * 1000000000,
				     .memory_available = KMP_UNKNOWN };

	snprintf(moment.boot, sizeof(moment.boot), "%s", boot);
	for (unsigned s = 0; s < STACKS; s++) {
		struct kmp_stack stack = { KMP_NONE, s + 1, true };
		uint32_t number;

		assert_no_error(kmp_ledger_add_stack(ledger, &stack, &number));
		for (unsigned c = 0; c < COMMS; c++) {
			struct kmp_page page = { .pages = pages_of(s, c, sample),
						 .stack = number,
						 .gfp = KMP_NONE,
						 .flags = KMP_NONE,
						 .charge = KMP_NONE,
						 .type = KMP_NONE };
			struct kmp_task task = { 100 + c, 100 + c, KMP_NONE };

			if (!page.pages)
				continue;
			assert_no_error(kmp_ledger_add_text(ledger, KMP_DICT_COMM, names[c],
							    strlen(names[c]), &task.comm));
			assert_no_error(kmp_ledger_add_task(ledger, &task, &page.task));
			assert_no_error(sink.pages(sink.arg, ledger, &page, 1));
		}
	}
	assert_no_error(kmp_history_add(writer, ledger, &moment));
}

static struct kmp_history *make(const char *path, unsigned reboot)
{
	struct kmp_history_writer *writer;
	struct kmp_history *history;
	struct kmp_ledger *ledger;

	assert_no_error(kmp_ledger_create(&ledger));
	assert_no_error(kmp_history_create(path, NULL, &writer));
	for (unsigned i = 0; i < SAMPLES; i++)
		add_sample(writer, ledger, i, i < reboot ? "one" : "two");
	assert_no_error(kmp_history_end(writer));
	kmp_ledger_destroy(ledger);
	assert_no_error(kmp_history_open(path, &history));
	return history;
}

static struct kmp_trends *find(struct kmp_history *history, const struct kmp_trend_options *options)
{
	struct kmp_trends *trends;

	assert_no_error(kmp_trends_find(history, options, &trends));
	return trends;
}

/* What a group has in a sample, and in the mean of those that a point stands for. */
static void check_points(const struct kmp_trends *trends, const struct kmp_trend *trend,
			 unsigned stack, unsigned first)
{
	unsigned sample = first;

	for (size_t p = 0; p < trends->point_count; p++) {
		double sum = 0, time = 0;
		unsigned count = 0;

		/* Bins are of equal time; each has its samples' mean. */
		while (sample < SAMPLES &&
		       (sample - first) * trends->point_count / (SAMPLES - first) <= p) {
			sum += (double)(pages_of(stack, 0, sample) + pages_of(stack, 1, sample)) *
			       4096;
			time += sample - first;
			sample++;
			count++;
		}
		assert_true(count > 0);
		assert_true(fabs(trend->points[p] - sum / count) < 1);
		assert_true(fabs(trends->times[p] - time / count) < 0.001);
	}
	assert_int_equal(sample, SAMPLES);
}

static void many_samples_become_few_points(void **state)
{
	struct kmp_history *history = make(test_path("a.kmp"), 0);
	struct kmp_trends *trends = find(history, &(struct kmp_trend_options){ .points = 50 });

	assert_int_equal(trends->samples, SAMPLES);
	assert_int_equal(trends->point_count, 50);
	assert_int_equal(trends->left_out, 0);
	assert_int_equal(trends->count, STACKS);
	assert_int_equal(trends->first_time, START * 1000000000);
	for (size_t i = 0; i < trends->count; i++) {
		const struct kmp_trend *t = &trends->trends[i];
		unsigned stack = (unsigned)t->group->key[0].number - 1;

		check_points(trends, t, stack, 0);
		assert_int_equal(t->group->before.pages,
				 pages_of(stack, 0, 0) + pages_of(stack, 1, 0));
		assert_int_equal(t->group->now.pages,
				 pages_of(stack, 0, SAMPLES - 1) + pages_of(stack, 1, SAMPLES - 1));
		assert_int_equal(t->verdict == KMP_VERDICT_LEAK, stack == 1);
	}
	/* The leak first, at its rate. */
	assert_int_equal(trends->trends[0].group->key[0].number, 2);
	assert_true(fabs(trends->trends[0].slope / (3 * 4096) - 1) < 0.001);
	assert_true(trends->trends[0].max ==
		    (pages_of(1, 0, SAMPLES - 1) + pages_of(1, 1, SAMPLES - 1)) * 4096.0);
	kmp_trends_destroy(trends);
	kmp_history_close(history);
}

static void groups_and_filters_are_those_of_reports(void **state)
{
	struct kmp_history *history = make(test_path("b.kmp"), 0);
	struct kmp_trends *trends = find(history, &(struct kmp_trend_options){ .keys = "comm" });
	struct kmp_filter *filter;

	assert_int_equal(trends->count, COMMS);
	assert_string_equal(trends->trends[0].group->key[0].text, "leaky");
	assert_int_equal(trends->trends[0].verdict, KMP_VERDICT_LEAK);
	assert_int_equal(trends->trends[1].verdict == KMP_VERDICT_LEAK, 0);
	kmp_trends_destroy(trends);
	assert_no_error(kmp_filter_compile("comm==calm", &filter));
	trends = find(history, &(struct kmp_trend_options){ .filter = filter });
	assert_int_equal(trends->count, STACKS - 1);
	for (size_t i = 0; i < trends->count; i++)
		assert_int_not_equal(trends->trends[i].verdict, KMP_VERDICT_LEAK);
	kmp_trends_destroy(trends);
	kmp_filter_destroy(filter);
	kmp_history_close(history);
}

static void boots_are_apart(void **state)
{
	struct kmp_history *history = make(test_path("c.kmp"), 180);
	struct kmp_trends *trends = find(history, NULL);

	assert_int_equal(trends->samples, SAMPLES - 180);
	assert_int_equal(trends->left_out, 180);
	/* What was gone by then is none of them. */
	assert_int_equal(trends->count, STACKS - 1);
	check_points(trends, &trends->trends[0], 1, 180);
	kmp_trends_destroy(trends);
	/* The first boot alone. */
	trends = find(history, &(struct kmp_trend_options){ .first = 10, .count = 100 });
	assert_int_equal(trends->samples, 100);
	assert_int_equal(trends->left_out, 0);
	assert_int_equal(trends->trends[0].group->before.pages,
			 pages_of(1, 0, 10) + pages_of(1, 1, 10));
	kmp_trends_destroy(trends);
	kmp_history_close(history);
}

static void what_is_not_there_is_told(void **state)
{
	const struct kmp_trend_options wrong[] = { { .keys = "size" },
						   { .keys = "comm,comm" },
						   { .tags = true },
						   { .tags = true, .keys = "comm" },
						   { .first = SAMPLES } };
	struct kmp_history *history = make(test_path("d.kmp"), 0);
	struct kmp_trends *trends;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct kmp_error *err = kmp_trends_find(history, &wrong[i], &trends);

		assert_non_null(err);
		assert_int_equal(err->kind, KMP_ERROR_USAGE);
		kmp_error_destroy(err);
	}
	kmp_history_close(history);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(many_samples_become_few_points, make_directory,
						remove_directory),
		cmocka_unit_test_setup_teardown(groups_and_filters_are_those_of_reports,
						make_directory, remove_directory),
		cmocka_unit_test_setup_teardown(boots_are_apart, make_directory, remove_directory),
		cmocka_unit_test_setup_teardown(what_is_not_there_is_told, make_directory,
						remove_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
