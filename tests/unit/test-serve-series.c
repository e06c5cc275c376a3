// SPDX-License-Identifier: GPL-2.0-only
/* Which groups `kmemprof serve` makes series of, sample after sample. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/serve/series.h"

enum { TOP = 50, STAY = 1000, COME = 100, SAMPLES = 500, IDS = STAY + COME * SAMPLES };

/* Of a sample each 30 s, the part that it has in a mean that fades over ten minutes. */
static const double weight = 0.0488;

static double chance(void)
{
	static uint64_t state = UINT64_C(88172645463325252);

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) / 9007199254740992.0;
}

static void add(struct serve_series *series, const char *name, size_t len, double bytes)
{
	struct kmp_value value = { KMP_VALUE_TEXT, .text = name, .len = len };
	size_t label = series->texts.len;

	assert_null(serve_series_label(series, "name", &value));
	assert_null(serve_series_row(series, label, (int64_t)bytes / 4096 * 4096, 1));
}

static void add_number(struct serve_series *series, int number, double bytes)
{
	char name[16];

	snprintf(name, sizeof(name), "%d", number);
	add(series, name, strlen(name), bytes);
}

static bool is_chosen(const struct serve_series *series, const char *labels)
{
	for (size_t i = 0; i < series->rows.len; i++) {
		const struct serve_row *row = &series->rows.data[i];

		if (row->chosen && !strcmp(series->texts.data + row->label, labels))
			return true;
	}
	return false;
}

/*
 * 1000 stacks that stay and hold by 30 % more or less in each sample, a tenth of them in every
 * other one; 100 more that nobody saw before and nobody sees again.
 */
static void make_sample(struct serve_series *series, int sample)
{
	serve_series_begin(series);
	for (int i = 0; i < STAY; i++) {
		if (i % 10 != 3 || chance() < 0.5)
			add_number(series, i, 1e8 / (i + 1) * (0.7 + 0.6 * chance()));
	}
	for (int i = 0; i < COME; i++)
		add_number(series, STAY + sample * COME + i, 2e5 * chance() * chance());
	assert_null(serve_series_choose(series, TOP, sample ? weight : 0));
}

static void few_series_in_all(void **state)
{
	static bool ever[IDS];
	struct serve_series series = { 0 };
	size_t all = 0;

	for (int sample = 0; sample < SAMPLES; sample++) {
		size_t now = 0;

		make_sample(&series, sample);
		for (size_t i = 0; i < series.rows.len; i++) {
			const struct serve_row *row = &series.rows.data[i];
			int id = atoi(series.texts.data + row->label + strlen("{name=\""));

			assert_in_range(id, 0, IDS - 1);
			now += row->chosen;
			all += row->chosen && !ever[id];
			ever[id] |= row->chosen;
		}
		assert_in_range(now, TOP, TOP * 5 / 2);
	}
	print_message("# %zu series in all, of %d stacks in %d samples\n", all, IDS, SAMPLES);
	assert_in_range(all, TOP, TOP * 5 / 2);
	serve_series_deinit(&series);
}

/* What grows is seen long before it is large. */
static void a_leak_is_chosen(void **state)
{
	struct serve_series series = { 0 };
	int sample = 0;
	double bytes = 0;

	do {
		serve_series_begin(&series);
		for (int i = 0; i < STAY; i++)
			add_number(&series, i, 1e8 / (i + 1) * (0.98 + 0.04 * chance()));
		bytes = 40960.0 * sample;
		add(&series, "leak", 4, bytes);
		assert_null(serve_series_choose(&series, TOP, sample ? weight : 0));
		assert_in_range(++sample, 0, 100);
	} while (!is_chosen(&series, "{name=\"leak\"}"));
	assert_true(bytes < 1e8 / TOP);
	serve_series_deinit(&series);
}

static void the_chosen_stay(void **state)
{
	struct serve_series series = { 0 };

	for (int sample = 0; sample < 3; sample++) {
		serve_series_begin(&series);
		add(&series, "a", 1, 8e6);
		add(&series, "b", 1, 7e6 + sample * 2e6);
		add(&series, "c", 1, sample < 2 ? 1e6 : 10e6);
		assert_null(serve_series_choose(&series, 1, 0));
		/* The first is chosen; who was, stays while he is second. */
		assert_int_equal(is_chosen(&series, "{name=\"a\"}"), sample < 2);
		assert_int_equal(is_chosen(&series, "{name=\"b\"}"), sample > 0);
		assert_false(is_chosen(&series, "{name=\"c\"}"));
	}
	serve_series_deinit(&series);
}

static void equal_labels_are_one(void **state)
{
	struct serve_series series = { 0 };

	serve_series_begin(&series);
	add(&series, "a", 1, 8192);
	add(&series, "b", 1, 4096);
	add(&series, "a", 1, 4096);
	assert_null(serve_series_choose(&series, 2, 0));
	assert_int_equal(series.rows.len, 2);
	assert_int_equal(series.rows.data[0].bytes + series.rows.data[1].bytes, 16384);
	assert_int_equal(series.rows.data[0].count + series.rows.data[1].count, 3);
	serve_series_deinit(&series);
}

static void labels_are_quoted(void **state)
{
	static const struct {
		const char *from;
		const char *to;
	} texts[] = {
		{ "plain", "plain" },
		{ "\"\\", "\\\"\\\\" },
		{ "a\nb", "a\\\\x0ab" },
		{ "\xff", "\\\\xff" },
		{ "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" },
		{ "\xc0\x80", "\\\\xc0\\\\x80" },	     /* too long a form */
		{ "\xed\xa0\x80", "\\\\xed\\\\xa0\\\\x80" }, /* half of a pair */
		{ "\xe2\x82", "\\\\xe2\\\\x82" },	     /* cut */
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct serve_series series = { 0 };
		char wanted[64];

		serve_series_begin(&series);
		add(&series, texts[i].from, strlen(texts[i].from), 4096);
		snprintf(wanted, sizeof(wanted), "{name=\"%s\"}", texts[i].to);
		assert_string_equal(series.texts.data, wanted);
		serve_series_deinit(&series);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_series_in_all), cmocka_unit_test(a_leak_is_chosen),
		cmocka_unit_test(the_chosen_stay),   cmocka_unit_test(equal_labels_are_one),
		cmocka_unit_test(labels_are_quoted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
