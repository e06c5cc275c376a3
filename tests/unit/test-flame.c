// SPDX-License-Identifier: GPL-2.0-only
#include "view-samples.h"

#include "base/cleanup.h"
#include "format/flame.h"

static const struct kmp_view svg = { .format = KMP_FORMAT_SVG };

static char *svg_text(const struct kmp_groups *groups)
{
	struct kmp_error *err;
	char *text = view_text(groups, &svg, &err);

	assert_null(err);
	return text;
}

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	for (; (text = strstr(text, part)) != NULL; text += strlen(part))
		count++;
	return count;
}

static const char *name_of(const struct flame *flame, size_t box)
{
	return flame->names.strings.data[flame->boxes.data[box].name].text;
}

/* Two stacks share their outer frames; boxes stand largest first, each above its parent. */
static void stacks_merge_into_a_tree(void **state)
{
	static const char *const keys[] = { "stack" };
	static const char *const a[] = { "alloc+0x1/0x2", "small+0x1/0x2", "outer+0x1/0x2" };
	static const char *const b[] = { "large+0x1/0x2", "outer+0x1/0x9" };
	static const char *const c[] = { "alloc+0x9/0x9", "small+0x9/0x9", "outer+0x2/0x2" };
	static const struct kmp_value key[] = { STACK(a), STACK(b), STACK(c) };
	struct kmp_group rows[] = {
		{ .key = &key[0], .now = PAGES(1, 1), NO_TIME },
		{ .key = &key[1], .now = PAGES(1, 8), NO_TIME },
		{ .key = &key[2], .now = PAGES(1, 2), NO_TIME },
	};
	struct kmp_groups groups = { .keys = keys, .key_count = 1, .groups = rows, .count = 3 };
	struct flame flame cleanup(kmp_flame_deinit) = { 0 };
	static const struct {
		const char *name;
		uint32_t parent, depth;
		int64_t now, start;
	} expected[] = {
		{ "all", 0, 0, 11, 0 },	 { "outer", 0, 1, 11, 0 }, { "large", 1, 2, 8, 0 },
		{ "small", 1, 2, 3, 8 }, { "alloc", 3, 3, 3, 8 },
	};

	assert_null(kmp_flame_build(&flame, &groups, &svg));
	assert_int_equal(flame.boxes.len, COUNT(expected));
	assert_int_equal(flame.depth, 3);
	for (size_t i = 0; i < COUNT(expected); i++) {
		assert_string_equal(name_of(&flame, i), expected[i].name);
		assert_int_equal(flame.boxes.data[i].parent, expected[i].parent);
		assert_int_equal(flame.boxes.data[i].depth, expected[i].depth);
		assert_int_equal(flame.boxes.data[i].now, expected[i].now * 4096);
		assert_int_equal(flame.boxes.data[i].start, expected[i].start * 4096);
	}
}

static void names_cannot_act(void **state)
{
	static const char *const frames[] = { "]]></script><script>alert(1)</script>",
					      "x\" onload=\"alert(2)", "&amp;<b>'\\u003c" };
	static const struct kmp_value key[] = { TEXT("</metadata><!--\n\x1b\x80\xe2\x80\xae"),
						STACK(frames) };
	struct kmp_group row = { .key = key, .now = PAGES(1, 1), NO_TIME };
	struct kmp_groups groups = {
		.keys = comm_stack,
		.key_count = 2,
		.groups = &row,
		.count = 1,
		.facts = { .name = "</title><script>", .kind = "<b>", .kernel = "\"&" }
	};
	char *text = svg_text(&groups);

	assert_int_equal(count_of(text, "<script>"), 1);
	assert_int_equal(count_of(text, "</script>"), 1);
	assert_int_equal(count_of(text, "]]>"), 2); /* the style's and the script's */
	assert_null(strstr(text, "x\" onload"));
	assert_non_null(strstr(text, "x&quot; onload=&quot;alert(2)"));
	assert_null(strstr(text, "<b>"));
	assert_null(strstr(text, "<!--"));
	assert_non_null(strstr(text, "&amp;amp;&lt;b&gt;&#39;\\\\\\\\u003c")); /* in the list */
	for (const char *c = text; *c; c++)
		assert_true((unsigned char)*c >= 0x20 || *c == '\n' || *c == '\t');
	free(text);
}

static void it_needs_nothing_else(void **state)
{
	struct kmp_group rows[5];
	struct kmp_groups groups = sample_pages(rows);
	char *text = svg_text(&groups), *again = svg_text(&groups);

	/* Names of two XML vocabularies (one of them in the script too), and no address else. */
	assert_int_equal(count_of(text, "http://www.w3.org/2000/svg"), 2);
	assert_int_equal(count_of(text, "http://www.w3.org/1999/xhtml"), 1);
	assert_int_equal(count_of(text, "//www"), 3);
	assert_null(strstr(text, "https:"));
	assert_null(strstr(text, "@import"));
	assert_null(strstr(text, "url("));
	assert_null(strstr(text, "href"));
	assert_string_equal(text, again);
	free(text);
	free(again);
}

static void boxes_are_there_without_the_script(void **state)
{
	struct kmp_group rows[5];
	struct kmp_groups groups = sample_pages(rows);
	char *text = svg_text(&groups);

	assert_non_null(strstr(text, "<title>nginx: 2.3 MiB (60.0 %)</title>"));
	assert_non_null(strstr(text, ">xfs_buf_alloc [xfs]</text>"));
	assert_non_null(strstr(text, "3.9 MiB in 5 stacks · page_owner · Linux 7.3.4"));
	free(text);
}

static void a_difference_shows_before_too(void **state)
{
	static const char *const keys[] = { "stack" };
	static const char *const a[] = { "grown+0x1/0x2" }, *const b[] = { "gone+0x1/0x2" };
	static const struct kmp_value key[] = { STACK(a), STACK(b) };
	struct kmp_group rows[] = {
		{ .key = &key[0], .now = PAGES(1, 2), .before = PAGES(1, 1), NO_TIME },
		{ .key = &key[1], .before = PAGES(1, 8), NO_TIME },
	};
	struct kmp_groups groups = { .keys = keys,
				     .key_count = 1,
				     .groups = rows,
				     .count = 2,
				     .difference = true,
				     .total = PAGES(1, 2),
				     .total_before = PAGES(2, 9) };
	char *text = svg_text(&groups);

	assert_non_null(strstr(text, "grown: 8.0 KiB (100.0 %), before 4.0 KiB"));
	assert_non_null(strstr(text, "36.0 KiB before; as wide as the larger of both"));
	assert_non_null(strstr(text, ">grew</text>"));
	assert_non_null(strstr(text, "gone: 0 B (0.0 %), before 32.0 KiB"));
	assert_true(strstr(text, "gone:") < strstr(text, "grown:"));
	free(text);
}

static void tags_and_nothing(void **state)
{
	struct kmp_group rows[3];
	struct kmp_groups groups = sample_tags(rows);
	char *text = svg_text(&groups);

	assert_non_null(strstr(text, "<title>slub.c: 1.6 MiB (97.6 %)</title>"));
	assert_non_null(strstr(text, " · 1 without bytes to draw"));
	free(text);
	groups.count = 0;
	text = svg_text(&groups);
	assert_non_null(strstr(text, "<title>all: 0 B (0.0 %)</title>"));
	free(text);
}

static void hues_mean_something(void **state)
{
	enum flame_hue xfs = kmp_flame_hue_of_function("a [xfs]", 7);

	assert_int_equal(kmp_flame_hue_of_function("__alloc_pages_noprof", 20), HUE_ALLOCATOR);
	assert_int_equal(kmp_flame_hue_of_function("tcp_sendmsg", 11), HUE_NETWORK);
	assert_int_equal(kmp_flame_hue_of_function("___", 3), HUE_OTHER);
	assert_int_equal(kmp_flame_hue_of_function("", 0), HUE_OTHER);
	assert_int_equal(kmp_flame_hue_of_function("x [", 3), HUE_OTHER);
	assert_true(xfs >= HUE_MODULE && xfs < HUE_MODULE + HUE_MODULES);
	assert_int_equal(kmp_flame_hue_of_function("b [xfs 1a2b3c]", 14), xfs);
	assert_int_equal(kmp_flame_hue_of_directory("net", 3), HUE_NETWORK);
	assert_int_equal(kmp_flame_hue_of_directory("network", 7), HUE_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_merge_into_a_tree),
		cmocka_unit_test(names_cannot_act),
		cmocka_unit_test(it_needs_nothing_else),
		cmocka_unit_test(boxes_are_there_without_the_script),
		cmocka_unit_test(a_difference_shows_before_too),
		cmocka_unit_test(tags_and_nothing),
		cmocka_unit_test(hues_mean_something),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
