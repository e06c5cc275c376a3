// SPDX-License-Identifier: GPL-2.0-only
/* What the screen of `kmemprof watch` shows, without a screen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "cli/watch/table.h"
#include "cli/watch/text.h"

enum { GROUPS_MAX = 2000 };

static const uint64_t second = UINT64_C(1000000000);

/* Groups by task and pid, made by hand. */
struct made {
	struct kmp_groups groups;
	struct kmp_group list[GROUPS_MAX];
	struct kmp_value keys[GROUPS_MAX][2];
};

static void add(struct made *made, const char *comm, size_t len, int64_t pid, int64_t pages)
{
	static const char *const names[] = { "comm", "pid" };
	size_t i = made->groups.count++;

	made->keys[i][0] = (struct kmp_value){ .kind = KMP_VALUE_TEXT, .text = comm, .len = len };
	made->keys[i][1] = (struct kmp_value){ .kind = KMP_VALUE_NUMBER, .number = pid };
	made->list[i] = (struct kmp_group){ .key = made->keys[i],
					    .now = { .pages = pages, .bytes = pages * 4096 } };
	made->groups.keys = names;
	made->groups.key_count = 2;
	made->groups.groups = made->list;
	made->groups.total.pages += pages;
	made->groups.total.bytes += pages * 4096;
}

static struct made *begin(void)
{
	struct made *made = calloc(1, sizeof(*made));

	assert_non_null(made);
	return made;
}

static void take(struct watch_table *table, struct made *made, uint64_t at)
{
	assert_null(watch_table_add(table, &made->groups, at * second));
	assert_null(watch_table_arrange(table));
	free(made);
}

static const struct watch_row *shown(const struct watch_table *table, size_t i)
{
	assert_true(i < table->shown_count);
	return &table->rows[table->shown[i]];
}

static void test_changes(void **state)
{
	struct watch_table table = { 0 };
	struct made *made = begin();

	add(made, "old", 3, 1, 10);
	add(made, "grows", 5, 2, 5);
	take(&table, made, 100);
	assert_int_equal(shown(&table, 0)->start, 40960);
	assert_int_equal(watch_row_figure(&table, shown(&table, 0), WATCH_START), 0);
	assert_int_equal(watch_row_figure(&table, shown(&table, 0), WATCH_RATE), 0);

	made = begin();
	add(made, "grows", 5, 2, 25);
	add(made, "new", 3, 3, 1);
	take(&table, made, 110);
	assert_int_equal(table.shown_count, 3);
	assert_string_equal(shown(&table, 0)->name, "grows (2)");
	assert_int_equal(watch_row_figure(&table, shown(&table, 0), WATCH_START), 20 * 4096);
	assert_int_equal(watch_row_figure(&table, shown(&table, 0), WATCH_LAST), 20 * 4096);
	assert_int_equal(watch_row_figure(&table, shown(&table, 0), WATCH_RATE), 8192);
	assert_int_equal(watch_row_figure(&table, shown(&table, 0), WATCH_COUNT), 25);
	/* Who is new grew from nothing; who is gone shrank to it. */
	assert_int_equal(watch_row_figure(&table, shown(&table, 1), WATCH_START), 4096);
	assert_string_equal(shown(&table, 2)->name, "old (1)");
	assert_int_equal(watch_row_figure(&table, shown(&table, 2), WATCH_START), -40960);
	assert_int_equal(watch_total_figure(&table, WATCH_START), 11 * 4096);

	made = begin();
	add(made, "grows", 5, 2, 24);
	take(&table, made, 111);
	assert_int_equal(watch_row_figure(&table, shown(&table, 0), WATCH_LAST), -4096);
	assert_int_equal(watch_row_figure(&table, shown(&table, 0), WATCH_START), 19 * 4096);
	watch_table_deinit(&table);
}

static void test_order(void **state)
{
	struct watch_table table = { 0 };
	struct made *made = begin();

	add(made, "b", 1, 1, 5);
	add(made, "a", 1, 2, 5);
	add(made, "c", 1, 3, 9);
	take(&table, made, 1);
	assert_string_equal(shown(&table, 0)->name, "c (3)");
	assert_string_equal(shown(&table, 1)->name, "a (2)");
	table.reverse = true;
	assert_null(watch_table_arrange(&table));
	assert_string_equal(shown(&table, 2)->name, "c (3)");
	table.reverse = false;
	table.sort = WATCH_NAME;
	assert_null(watch_table_arrange(&table));
	assert_string_equal(shown(&table, 0)->name, "a (2)");
	assert_null(watch_table_find(&table, "(1"));
	assert_null(watch_table_arrange(&table));
	assert_int_equal(table.shown_count, 1);
	assert_string_equal(shown(&table, 0)->name, "b (1)");
	assert_null(watch_table_find(&table, ""));
	assert_null(watch_table_arrange(&table));
	assert_int_equal(table.shown_count, 3);
	watch_table_deinit(&table);
}

static void test_series(void **state)
{
	struct watch_table table = { 0 };
	int levels[4];

	for (uint64_t i = 0; i < 3; i++) {
		struct made *made = begin();

		add(made, "x", 1, 1, (int64_t)i * 7);
		take(&table, made, i);
	}
	watch_row_levels(&table, shown(&table, 0), levels, 4);
	assert_int_equal(levels[0], -1);
	assert_int_equal(levels[1], 0);
	assert_int_equal(levels[2], 4);
	assert_int_equal(levels[3], 7);
	/* The ring has turned: only its last points count. */
	for (uint64_t i = 0; i < WATCH_POINTS; i++) {
		struct made *made = begin();

		add(made, "x", 1, 1, 100);
		take(&table, made, 10 + i);
	}
	watch_row_levels(&table, shown(&table, 0), levels, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(levels[i], 0);
	assert_int_equal(watch_row_figure(&table, shown(&table, 0), WATCH_START), 100 * 4096);
	watch_table_cut(&table);
	watch_row_levels(&table, shown(&table, 0), levels, 4);
	assert_int_equal(levels[3], -1);
	watch_table_deinit(&table);
}

/* Short-lived tasks leave no more rows behind than there is room for. */
static void test_churn(void **state)
{
	struct watch_table table = { 0 };

	for (int round = 0; round < 3 * WATCH_POINTS; round++) {
		struct made *made = begin();

		add(made, "stays", 5, 1, 3);
		for (int i = 0; i < 500; i++)
			add(made, "short", 5, 2 + round * 500 + i, 1);
		take(&table, made, (uint64_t)round);
		/* Those of the start, of the sample before, and of now. */
		assert_int_equal(table.shown_count, 1 + 500 * (round < 2 ? round + 1 : 3));
	}
	/* WATCH_POINTS rounds are remembered. */
	assert_true(table.count < 2 * 500 * (WATCH_POINTS + 2));
	assert_string_equal(shown(&table, 0)->name, "stays (1)");
	watch_table_clear(&table);
	struct made *made = begin();

	add(made, "stays", 5, 1, 3);
	take(&table, made, 0);
	assert_int_equal(table.count, 1);
	assert_int_equal(watch_row_figure(&table, shown(&table, 0), WATCH_START), 0);
	watch_table_deinit(&table);
}

static void check_visible(const char *bytes, size_t len, const char *expected)
{
	struct watch_text text = { 0 };

	assert_null(watch_text_put(&text, "", 0));
	assert_null(watch_text_visible(&text, bytes, len));
	assert_string_equal(text.data, expected);
	watch_text_deinit(&text);
}

#define VISIBLE(bytes, expected) check_visible(bytes, sizeof(bytes) - 1, expected)

static void test_visible(void **state)
{
	VISIBLE("nginx", "nginx");
	VISIBLE("", "");
	VISIBLE("a\nb\tc\\d", "a\\nb\\tc\\\\d");
	VISIBLE("\x1b[2J", "\\x1b[2J");
	VISIBLE("caf\xc3\xa9 \xe6\x97\xa5", "caf\xc3\xa9 \xe6\x97\xa5");
	VISIBLE("\xff\xc3", "\\xff\\xc3");
	VISIBLE("\xed\xa0\x80", "\\xed\\xa0\\x80");
	/* Right to left; a mark without a width of its own stays with what it marks. */
	VISIBLE("a\xe2\x80\xae"
		"b",
		"a\\u202eb");
	VISIBLE("e\xcc\x81", "e\xcc\x81");
	VISIBLE("a\0b", "a\\x00b");
}

static void test_fit(void **state)
{
	size_t used;

	assert_int_equal(watch_text_fit("abc", 5, &used), 3);
	assert_int_equal(used, 3);
	assert_int_equal(watch_text_fit("abcdef", 4, &used), 4);
	/* A character of two columns does not stand half at the edge. */
	assert_int_equal(watch_text_fit("a\xe6\x97\xa5\xe6\x9c\xac", 4, &used), 4);
	assert_int_equal(used, 3);
	assert_int_equal(watch_text_fit("e\xcc\x81x", 1, &used), 3);
	assert_int_equal(watch_text_fit("abc", 0, &used), 0);
}

static void test_figures(void **state)
{
	char buf[WATCH_FIGURE];

	assert_string_equal(watch_figure(buf, 0, true), "0");
	assert_string_equal(watch_figure(buf, 1023, false), "1023");
	assert_string_equal(watch_figure(buf, 1024, true), "+1.0K");
	assert_string_equal(watch_figure(buf, -1536, true), "-1.5K");
	assert_string_equal(watch_figure(buf, 1024 * 1024 - 1, false), "1.0M");
	assert_string_equal(watch_figure(buf, INT64_MAX, true), "+8.0E");
	assert_string_equal(watch_figure(buf, INT64_MIN, true), "-8.0E");
	assert_string_equal(watch_duration(buf, 3661 * second), "1:01:01");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_changes), cmocka_unit_test(test_order),
		cmocka_unit_test(test_series),	cmocka_unit_test(test_churn),
		cmocka_unit_test(test_visible), cmocka_unit_test(test_fit),
		cmocka_unit_test(test_figures),
	};

	if (!setlocale(LC_ALL, "C.UTF-8"))
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
