// SPDX-License-Identifier: GPL-2.0-only
#include "view-samples.h"

#include <math.h>
#include <unistd.h>

static void the_writer(void **state)
{
	struct kmp_json json;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	kmp_json_init(&json, out);
	kmp_json_open(&json, NULL, '{');
	kmp_json_text(&json, "a\"b", "\x01\t\n\\\"\x7f\xc3\xa9", 8);
	kmp_json_open(&json, "empty", '[');
	kmp_json_close(&json, ']');
	kmp_json_open(&json, "list", '[');
	kmp_json_text(&json, NULL, NULL, 0);
	kmp_json_real(&json, NULL, -0.00005);
	kmp_json_real(&json, NULL, 12.34567);
	kmp_json_real(&json, NULL, NAN);
	kmp_json_real(&json, NULL, INFINITY);
	kmp_json_close(&json, ']');
	kmp_json_number(&json, "least", INT64_MIN);
	kmp_json_bool(&json, "yes", true);
	assert_false(json.latin1);
	kmp_json_text(&json, "bytes", "\xff\0x\xc3", 4);
	assert_true(json.latin1);
	kmp_json_close(&json, '}');
	fclose(out);
	assert_string_equal(text,
			    "{\n"
			    "  \"a\\\"b\": \"\\u0001\\t\\n\\\\\\\"\\u007fé\",\n"
			    "  \"empty\": [],\n"
			    "  \"list\": [\n"
			    "    null,\n"
			    "    -0.0001,\n"
			    "    12.3457,\n"
			    "    null,\n"
			    "    null\n"
			    "  ],\n"
			    "  \"least\": -9223372036854775808,\n"
			    "  \"yes\": true,\n"
			    "  \"bytes\": \"\\u00ff\\u0000x\\u00c3\"\n"
			    "}\n");
	free(text);
}

static void what_is_not_utf8_is_escaped(void **state)
{
	static const char *const bad[] = { "\x80",	   "\xc0\xaf",
					   "\xed\xa0\x80", "\xf4\x90\x80\x80",
					   "\xe6\x97",	   "a\xff" };

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct kmp_json json;
		char text[100] = "";
		FILE *out = fmemopen(text, sizeof(text), "w");

		kmp_json_init(&json, out);
		kmp_json_text(&json, NULL, bad[i], strlen(bad[i]));
		fclose(out);
		assert_true(json.latin1);
		for (const char *c = text; *c; c++)
			assert_true((unsigned char)*c < 0x80);
	}
}

/* Run jq on what the view prints; it fails unless the expression is true. */
static void expect_jq(const struct kmp_groups *groups, struct kmp_view view, const char *expression)
{
	char name[] = "/tmp/kmemprof-json-XXXXXX", *command = NULL;
	int fd = mkstemp(name);
	FILE *out = fdopen(fd, "w");

	assert_non_null(out);
	view.format = KMP_FORMAT_JSON;
	assert_null(kmp_groups_write(groups, out, &view));
	fclose(out);
	assert_true(asprintf(&command, "jq -e '%s' %s >/dev/null", expression, name) > 0);
	int status = system(command);
	if (status)
		print_error("not true: %s\n", expression);
	assert_int_equal(status, 0);
	free(command);
	unlink(name);
}

static void page_owners(void **state)
{
	struct kmp_group rows[5];
	struct kmp_groups groups = sample_pages(rows);

	expect_jq(&groups, (struct kmp_view){ .verb = "report" },
		  ".verb == \"report\" and .source == {name: \"dump.txt\", kind: \"page_owner\","
		  " mode: \"stack\", kernel: \"7.3.4\"}"
		  " and .totals == {records: 13, pages: 1000, bytes: 4096000, skipped: 0,"
		  " dropped: 0, cut: 0}"
		  " and .groups[0] == {key: {comm: \"nginx\", stack:"
		  " [\"post_alloc_hook+0x6a/0x91\", \"xfs_buf_alloc+0x1/0x2 [xfs]\","
		  " \"vfs_write+0xa/0xb\"]}, records: 6, pages: 600, bytes: 2457600,"
		  " share: 0.6, ts_first: 5, ts_last: 90}"
		  " and (.groups | length) == 5 and ([.groups[].pages] | add) == .totals.pages"
		  " and .groups[1].note == \"a, note\""
		  " and .groups[1].key.comm == \"new\\n\\\"line\\\"\""
		  " and .groups[2] == {key: {comm: \"caf\\u00e9\", stack: {handle: 123}},"
		  " records: 2, pages: 60, bytes: 245760, share: 0.06, approximate: true,"
		  " latin1: true}"
		  " and .groups[3].key == {comm: \"h\\u00e9llo \\u65e5\", stack: null}"
		  " and .groups[3].latin1 == null and .groups[4].key.comm == null"
		  " and .warnings == [] and (has(\"left_out\") | not)");
	expect_jq(&groups, (struct kmp_view){ .limit = 2 },
		  ".verb == null and (.groups | length) == 2"
		  " and .left_out == {groups: 3, records: 6, pages: 100, bytes: 409600}");
}

/* In an object that says latin1, every text is written byte by byte: one rule to read it back. */
static void latin1_holds_for_the_whole_object(void **state)
{
	static const char *const frames[] = { "h\xc3\xa9llo", "bad\xff" };
	static const struct kmp_value key[] = { TEXT("\xc3\xa9"), STACK(frames) };
	struct kmp_group row = { .key = key, .now = PAGES(1, 1), NO_TIME };
	static const char *const warnings[] = { "file '\xe9'", "\xc3\xa9" };
	struct kmp_groups groups = {
		.keys = comm_stack,
		.key_count = 2,
		.groups = &row,
		.count = 1,
		.total = PAGES(1, 1),
		.records_unknown = true,
		.facts = { .name = "\xe9", .profiling_off = true },
		.losses = { .skipped = 2, .first_line = 9, .first_reason = "why" },
		.warnings = warnings,
		.warning_count = 2
	};

	expect_jq(&groups, (struct kmp_view){ 0 },
		  ".groups[0].key == {comm: \"\\u00c3\\u00a9\", stack: [\"h\\u00c3\\u00a9llo\","
		  " \"bad\\u00ff\"]} and .groups[0].latin1 == true and .groups[0].records == null"
		  " and .totals.records == null and .source.latin1 == true"
		  " and .source.profiling_off == true and .source.kernel == null"
		  " and .totals.skipped == 2 and .totals.skipped_first_line == 9"
		  " and .totals.skipped_first_reason == \"why\""
		  " and .warnings == [\"file \\u0027\\u00e9\\u0027\", \"\\u00c3\\u00a9\"]"
		  " and .latin1 == true");
}

static void tags(void **state)
{
	struct kmp_group rows[3];
	struct kmp_groups groups = sample_tags(rows);
	static const char *const keys[] = { "module" };

	expect_jq(&groups, (struct kmp_view){ .verb = "tags" },
		  "(has(\"groups\") | not) and (.tags | length) == 3"
		  " and .totals == {bytes: 1679168, calls: 109, locations: 3, inaccurate: 1,"
		  " skipped: 0, dropped: 0, cut: 0}"
		  " and .tags[1] == {file: \"drivers/net/ice/ice_txrx.c\", line: 681,"
		  " module: \"ice\", function: \"ice_alloc_mapped_page\", bytes: 40960,"
		  " calls: 10, accurate: false, note: \"rounded\"}"
		  " and .tags[2].bytes == -192 and .tags[2].module == \"\"");
	groups.keys = keys;
	groups.key_count = 1;
	for (size_t i = 0; i < 3; i++)
		rows[i].key += 2;
	expect_jq(&groups, (struct kmp_view){ 0 },
		  "(has(\"tags\") | not) and .groups[1] == {key: {module: \"ice\"},"
		  " bytes: 40960, calls: 10, locations: 1, inaccurate: 1, share: 0.0244,"
		  " note: \"rounded\"}");
	groups.difference = true;
	expect_jq(&groups, (struct kmp_view){ 0 },
		  ".groups[0] == {key: {module: \"\"}, calls: 100, calls_before: 0,"
		  " bytes: 1638400, bytes_before: 0, delta: 1638400}");
}

static void a_difference(void **state)
{
	struct kmp_group rows[4];
	struct kmp_groups groups = sample_difference(rows);

	expect_jq(&groups, (struct kmp_view){ .verb = "diff" },
		  ".from == {source: {name: \"old.txt\", kind: \"page_owner\", mode: null,"
		  " kernel: null}, records: 13, pages: 1042, bytes: 4268032}"
		  " and .to.pages == 556 and .to.source == .source"
		  " and .groups[2] == {key: {order: 9}, records: 1, records_before: 2, pages: 512,"
		  " pages_before: 1024, bytes: 2097152, bytes_before: 4194304, delta: -512,"
		  " delta_bytes: -2097152}"
		  " and .groups[3] == {key: {order: 4}, records: 1, records_before: null,"
		  " pages: 16, pages_before: null, bytes: 65536, bytes_before: null, delta: null,"
		  " delta_bytes: null, unknown: true}");
}

static void nothing(void **state)
{
	struct kmp_groups groups = { .keys = order_key, .key_count = 1 };

	expect_jq(&groups, (struct kmp_view){ 0 },
		  ".groups == [] and .totals.pages == 0 and .source.name == null");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_writer),  cmocka_unit_test(what_is_not_utf8_is_escaped),
		cmocka_unit_test(page_owners), cmocka_unit_test(latin1_holds_for_the_whole_object),
		cmocka_unit_test(tags),	       cmocka_unit_test(a_difference),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
