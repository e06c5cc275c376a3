// SPDX-License-Identifier: GPL-2.0-only
/* Trends: each course gets its verdict, with noise or without; an idle hour has no leak. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ledger/trend_judge.h"
#include "store-fill.h"

enum { POINTS = 64 };

#define MIB (1024.0 * 1024)

static uint64_t seed;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) / 9007199254740992.0;
}

static double normal(void)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += uniform();
	return sum - 6;
}

static struct kmp_judgement judge(const double *values, size_t n, const double *totals,
				  const double *available)
{
	static double scratch[KMP_POINTS_MAX * KMP_POINTS_MAX];
	double times[KMP_POINTS_MAX];
	struct kmp_course course = { .points = { times, values, n },
				     .min = values[0],
				     .max = values[0],
				     .least_growth = 65536,
				     .totals = totals,
				     .available = available,
				     .scratch = scratch };
	struct kmp_judgement judgement;

	for (size_t i = 0; i < n; i++) {
		times[i] = (double)i * 10;
		course.min = fmin(course.min, values[i]);
		course.max = fmax(course.max, values[i]);
	}
	kmp_course_judge(&course, &judgement);
	return judgement;
}

static void expect(const char *what, const struct kmp_judgement *j, enum kmp_verdict verdict)
{
	if (j->verdict != verdict)
		fail_msg("%s: %s (%s), tau %.2f, not %s", what, kmp_verdict_name(j->verdict),
			 j->reason, j->slope.tau, kmp_verdict_name(verdict));
}

/* ---- The statistics ---- */

static void medians_and_ranks_are_exact(void **state)
{
	seed = 7;
	for (size_t n = 1; n < 60; n++) {
		for (int kind = 0; kind < 4; kind++) {
			double v[60], copy[60];

			for (size_t i = 0; i < n; i++)
				v[i] = kind == 0   ? uniform()
				       : kind == 1 ? floor(uniform() * 3)
				       : kind == 2 ? (double)i
						   : (double)(n - i);
			for (size_t k = 0; k < n; k++) {
				size_t below = 0, equal = 0;

				memcpy(copy, v, sizeof(v));
				double found = kmp_select(copy, n, k);

				for (size_t i = 0; i < n; i++) {
					below += v[i] < found;
					equal += v[i] == found;
				}
				assert_true(below <= k && k < below + equal);
			}
		}
	}
	assert_true(kmp_median((double[]){ 4, 1, 3, 2 }, 4) == 2.5);
	assert_true(kmp_median((double[]){ 9, 1, 3 }, 3) == 3);
}

static void slopes_are_those_of_theil_and_sen(void **state)
{
	double times[20], values[20], scratch[300];
	struct kmp_points points = { times, values, 20 };
	struct kmp_slope slope;

	/* A line of slope 3, of which a fifth is nonsense. */
	for (int i = 0; i < 20; i++) {
		times[i] = i * 2 + (i % 3) * 0.5;
		values[i] = 100 + 3 * times[i];
	}
	kmp_slope_find(&points, scratch, &slope);
	assert_true(fabs(slope.slope - 3) < 1e-9 && fabs(slope.low - 3) < 1e-9);
	assert_true(slope.tau == 1 && slope.p < 1e-6);
	values[3] = 1e6;
	values[9] = -1e6;
	values[15] = 0;
	kmp_slope_find(&points, scratch, &slope);
	assert_true(fabs(slope.slope - 3) < 1e-9);
	assert_true(slope.low <= 3 && slope.high >= 3);
	for (int i = 0; i < 20; i++)
		values[i] = i % 2;
	kmp_slope_find(&points, scratch, &slope);
	assert_true(slope.slope == 0 && slope.p > 0.3);
}

/* ---- Verdicts ---- */

static void make_leak(double *v, size_t n, double first, double growth, double noise)
{
	for (size_t i = 0; i < n; i++)
		v[i] = first + growth * (double)i / (double)(n - 1) + growth * noise * normal();
}

static void leaks_are_found_through_noise(void **state)
{
	double v[128];
	unsigned missed = 0;

	seed = 11;
	for (unsigned i = 0; i < 400; i++) {
		size_t n = i % 2 ? 64 : 20 + i % 100;
		double growth = MIB * (0.1 + 10 * uniform());

		make_leak(v, n, MIB * 10 * uniform(), growth, (i % 4) * 0.04);
		struct kmp_judgement j = judge(v, n, NULL, NULL);

		missed += j.verdict != KMP_VERDICT_LEAK;
		if (i % 4 == 0) {
			expect("a clean leak", &j, KMP_VERDICT_LEAK);
			double rate = growth / (double)(n - 1) / 10;

			assert_true(fabs(j.slope.slope / rate - 1) < 0.001);
		}
	}
	print_message("# %u of 400 leaks were missed\n", missed);
	assert_true(missed <= 12);
	/* In stairs; from the middle on; with an outlier. */
	for (size_t i = 0; i < POINTS; i++)
		v[i] = MIB * (double)(i / 6);
	struct kmp_judgement j = judge(v, POINTS, NULL, NULL);

	expect("stairs", &j, KMP_VERDICT_LEAK);
	for (size_t i = 0; i < POINTS; i++)
		v[i] = 3 * MIB + (i < 30 ? 0 : MIB * (double)(i - 30));
	j = judge(v, POINTS, NULL, NULL);
	expect("from the middle on", &j, KMP_VERDICT_LEAK);
	assert_in_range(j.since, 28, 32);
	v[50] = 900 * MIB;
	j = judge(v, POINTS, NULL, NULL);
	expect("with an outlier", &j, KMP_VERDICT_LEAK);
}

static void what_grows_otherwise_is_no_leak(void **state)
{
	double v[POINTS], totals[POINTS], available[POINTS];
	struct kmp_judgement j;

	seed = 5;
	/* It fills up and then stands. */
	for (size_t i = 0; i < POINTS; i++)
		v[i] = 50 * MIB * (1 - exp(-(double)i / 6));
	j = judge(v, POINTS, NULL, NULL);
	assert_int_not_equal(j.verdict, KMP_VERDICT_LEAK);
	/* It gives back. */
	for (size_t i = 0; i < POINTS; i++) {
		v[i] = MIB * (double)(i < 45 ? i : i - 30);
		available[i] = i >= 43 && i <= 47 ? 100 : 1000;
	}
	j = judge(v, POINTS, NULL, available);
	expect("a cache under pressure", &j, KMP_VERDICT_CHURN);
	assert_non_null(strstr(j.reason, "memory is short"));
	/* All else grows in the same way. */
	for (size_t i = 0; i < POINTS; i++) {
		v[i] = MIB * (10 + 0.2 * (double)i);
		totals[i] = 40 * v[i];
	}
	j = judge(v, POINTS, totals, NULL);
	expect("with all else", &j, KMP_VERDICT_CHURN);
	assert_non_null(strstr(j.reason, "load"));
	for (size_t i = 0; i < POINTS; i++)
		totals[i] = 400 * MIB + v[i];
	j = judge(v, POINTS, totals, NULL);
	expect("alone", &j, KMP_VERDICT_LEAK);
}

static void each_course_has_its_verdict(void **state)
{
	double v[POINTS];
	struct kmp_judgement j;

	seed = 3;
	for (unsigned round = 0; round < 50; round++) {
		double noise = round % 5 * 0.004 * MIB;

		for (size_t i = 0; i < POINTS; i++)
			v[i] = 4 * MIB + noise * normal();
		j = judge(v, POINTS, NULL, NULL);
		expect("flat", &j, KMP_VERDICT_FLAT);
		for (size_t i = 0; i < POINTS; i++)
			v[i] = 4 * MIB + (i / 3 == 5 + round / 5 ? 8 * MIB : 0) + noise * normal();
		j = judge(v, POINTS, NULL, NULL);
		expect("spike", &j, KMP_VERDICT_SPIKE);
		for (size_t i = 0; i < POINTS; i++)
			v[i] = 4 * MIB + (i > 12 + round / 2 ? 3 * MIB : 0) + noise * normal();
		j = judge(v, POINTS, NULL, NULL);
		expect("step", &j, KMP_VERDICT_STEP);
		assert_in_range(j.since, 12 + round / 2 - 1, 12 + round / 2 + 2);
		for (size_t i = 0; i < POINTS; i++)
			v[i] = 4 * MIB + MIB * sin((double)(i + round) / 4) + noise * normal();
		j = judge(v, POINTS, NULL, NULL);
		expect("churn", &j, KMP_VERDICT_CHURN);
		for (size_t i = 0; i < POINTS; i++)
			v[i] = 4 * MIB + MIB * (double)((i + round) % 20) / 5 + noise * normal();
		j = judge(v, POINTS, NULL, NULL);
		expect("saw", &j, KMP_VERDICT_CHURN);
	}
	j = judge((double[]){ 0, MIB, 2 * MIB, 3 * MIB }, 4, NULL, NULL);
	expect("too few", &j, KMP_VERDICT_FLAT);
	assert_non_null(strstr(j.reason, "too few"));
}

/* Figures of a machine that does its work: they wander, return to their level, rise and fall. */
static void make_idle(double *v, unsigned kind)
{
	double level = MIB * exp(4 * uniform() - 2), x = 0;
	double keep = 0.5 + 0.45 * uniform(), period = 4 + 30 * uniform(), phase = 7 * uniform();
	double size = level * (0.02 + 0.5 * uniform());

	for (size_t i = 0; i < POINTS; i++) {
		x = keep * x + normal();
		double wave = sin((double)i * 6.2832 / period + phase);

		switch (kind % 6) {
		case 0:
			v[i] = level + size * normal() * 0.3;
			break;
		case 1:
			v[i] = level + size * x * 0.3;
			break;
		case 2:
			v[i] = level + size * wave + size * 0.1 * normal();
			break;
		case 3:
			v[i] = level + size * x * 0.2 + (uniform() < 0.03 ? 5 * size : 0);
			break;
		case 4:
			v[i] = floor((level + size * fmod((double)i, period)) / 4096) * 4096;
			break;
		default:
			v[i] = level + (i > period ? size : 0) + size * 0.05 * normal();
		}
	}
}

static void an_idle_hour_has_no_leak(void **state)
{
	double v[POINTS];
	unsigned leaks = 0;

	seed = 20261130;
	for (unsigned i = 0; i < 12000; i++) {
		make_idle(v, i);
		struct kmp_judgement j = judge(v, POINTS, NULL, NULL);

		if (j.verdict == KMP_VERDICT_LEAK) {
			leaks++;
			print_message("# kind %u: %s, tau %.2f\n", i % 6, j.reason, j.slope.tau);
		}
	}
	assert_int_equal(leaks, 0);
	/* What wanders freely for ever cannot be told from a leak each time, but nearly. */
	for (unsigned i = 0; i < 4000; i++) {
		v[0] = 100 * MIB;
		for (size_t k = 1; k < POINTS; k++)
			v[k] = v[k - 1] + MIB * normal();
		leaks += judge(v, POINTS, NULL, NULL).verdict == KMP_VERDICT_LEAK;
	}
	print_message("# %u of 4000 free walks are called leaks\n", leaks);
	assert_true(leaks <= 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(medians_and_ranks_are_exact),
		cmocka_unit_test(slopes_are_those_of_theil_and_sen),
		cmocka_unit_test(leaks_are_found_through_noise),
		cmocka_unit_test(what_grows_otherwise_is_no_leak),
		cmocka_unit_test(each_course_has_its_verdict),
		cmocka_unit_test(an_idle_hour_has_no_leak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
