// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kmemprof/kmemprof.h"

static const char *const frames_a[] = { "a+0x1/0x2", "b+0x3/0x4 [m]" };
static const char *const frames_b[] = { "c+0x1/0x2" };
static const char *const frames_early[] = { "register_early_stack+0x28/0x43", "b+0x3/0x4" };
static const char *const keys[] = { "stack", "handle" };

#define STACK(f)                                                                                   \
	{                                                                                          \
		.kind = KMP_VALUE_STACK, .frames = (f), .depth = sizeof(f) / sizeof(*(f))          \
	}
#define HANDLE(n)                                                                                  \
	{                                                                                          \
		.kind = KMP_VALUE_NUMBER, .number = (n)                                            \
	}

static const struct kmp_value key_a[] = { STACK(frames_a), HANDLE(7) };
static const struct kmp_value key_b[] = { STACK(frames_b), HANDLE(4294967295) };
static const struct kmp_value key_early[] = { STACK(frames_early), HANDLE(1) };
static const struct kmp_value key_untraced[] = { { .kind = KMP_VALUE_STACK, .number = 9 },
						 HANDLE(9) };
static const struct kmp_value key_unhandled[] = { STACK(frames_a), { .kind = KMP_VALUE_NONE } };

static struct kmp_group make(const struct kmp_value *key, int64_t pages, uint64_t seen)
{
	return (struct kmp_group){ .key = key,
				   .now = { .pages = pages },
				   .ts_first = KMP_UNKNOWN,
				   .ts_last = KMP_UNKNOWN,
				   .seen = seen };
}

static struct kmp_error *write_groups(struct kmp_group *list, size_t count,
				      enum kmp_stacks_file file, uint64_t threshold, char **text)
{
	struct kmp_groups groups = { .keys = keys, .key_count = 2, .groups = list, .count = count };
	size_t len;
	FILE *out = open_memstream(text, &len);

	assert_non_null(out);
	struct kmp_error *err = kmp_stacks_write(&groups, file, threshold, out);

	fclose(out);
	return err;
}

static void assert_written(struct kmp_group *list, size_t count, enum kmp_stacks_file file,
			   uint64_t threshold, const char *expected)
{
	char *text;

	assert_null(write_groups(list, count, file, threshold, &text));
	assert_string_equal(text, expected);
	free(text);
}

static void the_order_of_the_input_is_kept(void **state)
{
	struct kmp_group list[] = { make(key_b, 50, 1), make(key_a, 3, 0) };

	assert_written(list, 2, KMP_SHOW_STACKS, 0,
		       " a+0x1/0x2\n b+0x3/0x4 [m]\nnr_base_pages: 3\n\n"
		       " c+0x1/0x2\nnr_base_pages: 50\n\n");
	assert_written(list, 2, KMP_SHOW_HANDLES, 0,
		       "handle: 7\nnr_base_pages: 3\n\nhandle: -1\nnr_base_pages: 50\n\n");
	assert_written(list, 2, KMP_SHOW_STACKS_HANDLES, 0,
		       " a+0x1/0x2\n b+0x3/0x4 [m]\nhandle: 7\n\n c+0x1/0x2\nhandle: -1\n\n");
}

static void newest_come_first(void **state)
{
	struct kmp_group list[] = { make(key_a, 3, 0), make(key_b, 50, 1) };

	list[0].ts_first = 5;
	list[1].ts_first = 6;
	assert_written(list, 2, KMP_SHOW_HANDLES, 0,
		       "handle: -1\nnr_base_pages: 50\n\nhandle: 7\nnr_base_pages: 3\n\n");
}

static void small_and_early_stacks_are_left_out(void **state)
{
	struct kmp_group list[] = { make(key_early, 500, 0), make(key_a, 3, 1), make(key_b, 4, 2) };

	assert_written(list, 3, KMP_SHOW_HANDLES, 4, "handle: -1\nnr_base_pages: 4\n\n");
	list[1].now.pages = 0;
	assert_written(list, 3, KMP_SHOW_HANDLES, 0, "handle: -1\nnr_base_pages: 4\n\n");
	/* This file knows no counts. */
	assert_written(list, 3, KMP_SHOW_STACKS_HANDLES, 4,
		       " a+0x1/0x2\n b+0x3/0x4 [m]\nhandle: 7\n\n c+0x1/0x2\nhandle: -1\n\n");
}

static void allocations_are_not_called_pages(void **state)
{
	struct kmp_group list[] = { make(key_b, 521, 0) };

	list[0].now.records = 521;
	list[0].approximate = true;
	assert_written(list, 1, KMP_SHOW_STACKS, 0, " c+0x1/0x2\nstack_count: 521\n\n");
}

static void what_is_not_told_is_named_by_the_other(void **state)
{
	struct kmp_group list[] = { make(key_untraced, 2, 0), make(key_unhandled, 3, 1),
				    make(key_b, 4, 2) };

	assert_written(list, 3, KMP_SHOW_STACKS, 0,
		       "handle: 9\nnr_base_pages: 2\n\n"
		       " a+0x1/0x2\n b+0x3/0x4 [m]\nnr_base_pages: 3\n\n"
		       " c+0x1/0x2\nnr_base_pages: 4\n\n");
	assert_written(list, 3, KMP_SHOW_HANDLES, 0,
		       "handle: 9\nnr_base_pages: 2\n\n"
		       " a+0x1/0x2\n b+0x3/0x4 [m]\nnr_base_pages: 3\n\n"
		       "handle: -1\nnr_base_pages: 4\n\n");
	assert_written(list, 3, KMP_SHOW_STACKS_HANDLES, 0, " c+0x1/0x2\nhandle: -1\n\n");
}

static void a_source_without_what_is_asked_for_is_refused(void **state)
{
	struct kmp_group list[] = { make(key_untraced, 2, 0), make(key_unhandled, 3, 1) };
	const struct {
		size_t first;
		enum kmp_stacks_file file;
	} cases[] = { { 0, KMP_SHOW_STACKS },
		      { 1, KMP_SHOW_HANDLES },
		      { 0, KMP_SHOW_STACKS_HANDLES },
		      { 1, KMP_SHOW_STACKS_HANDLES } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text;
		struct kmp_error *err =
			write_groups(&list[cases[i].first], 1, cases[i].file, 0, &text);

		assert_non_null(err);
		assert_int_equal(err->kind, KMP_ERROR_INPUT);
		assert_string_equal(text, "");
		kmp_error_destroy(err);
		free(text);
	}
}

static void writing_can_fail(void **state)
{
	struct kmp_group list[] = { make(key_a, 2, 0) };
	struct kmp_groups groups = { .keys = keys, .key_count = 2, .groups = list, .count = 1 };
	FILE *full = fopen("/dev/full", "w");

	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	struct kmp_error *err = kmp_stacks_write(&groups, KMP_SHOW_STACKS, 0, full);

	assert_non_null(err);
	assert_int_equal(err->kind, KMP_ERROR_SYSTEM);
	kmp_error_destroy(err);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_of_the_input_is_kept),
		cmocka_unit_test(newest_come_first),
		cmocka_unit_test(small_and_early_stacks_are_left_out),
		cmocka_unit_test(allocations_are_not_called_pages),
		cmocka_unit_test(what_is_not_told_is_named_by_the_other),
		cmocka_unit_test(a_source_without_what_is_asked_for_is_refused),
		cmocka_unit_test(writing_can_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
