// SPDX-License-Identifier: GPL-2.0-only
/* The profile for pprof, read by a decoder of the test's own. */
#include <inttypes.h>

#include "view-samples.h"

#include "format/frame_parts.h"
#include "profile-read.h"

enum { TYPES = 1, SAMPLES, MAPPINGS, LOCATIONS, FUNCTIONS, STRINGS };

static const struct kmp_view pprof = { .format = KMP_FORMAT_PPROF };

static struct wire profile_of(const struct kmp_groups *groups)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_null(kmp_groups_write(groups, out, &pprof));
	fclose(out);
	struct wire profile = profile_unpack(text, len);
	free(text);
	assert_true(profile_says(profile, 0, ""));
	return profile;
}

static void expect_types(struct wire profile, const char *const (*types)[2], size_t count)
{
	struct wire type = { 0 };

	assert_int_equal(wire_count(profile, TYPES), count);
	for (size_t i = 0; i < count; i++) {
		assert_true(wire_at(profile, TYPES, i, &type));
		assert_true(profile_says(profile, wire_get(type, 1), types[i][0]));
		assert_true(profile_says(profile, wire_get(type, 2), types[i][1]));
	}
	assert_true(profile_says(profile, wire_get(profile, 14), "bytes"));
}

static void expect_values(struct wire profile, size_t number, const int64_t *values, size_t count)
{
	struct wire sample = { 0 };
	uint64_t list[8];

	assert_true(wire_at(profile, SAMPLES, number, &sample));
	assert_int_equal(wire_list(sample, 2, list, COUNT(list)), count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal((int64_t)list[i], values[i]);
}

/* Function, file, line and mapping of a location of a sample, 0 the innermost. */
static void expect_frame(struct wire profile, size_t number, size_t depth, const char *name,
			 const char *file, uint64_t line, const char *mapping)
{
	struct wire sample = { 0 }, lines = { 0 };
	uint64_t list[64];

	assert_true(wire_at(profile, SAMPLES, number, &sample));
	assert_true(depth < wire_list(sample, 1, list, COUNT(list)));
	struct wire location = profile_find(profile, LOCATIONS, list[depth]);
	assert_true(wire_at(location, 4, 0, &lines));
	assert_int_equal(wire_get(lines, 2), line);
	struct wire function = profile_find(profile, FUNCTIONS, wire_get(lines, 1));
	assert_true(profile_says(profile, wire_get(function, 2), name));
	assert_true(profile_says(profile, wire_get(function, 3), name));
	assert_true(profile_says(profile, wire_get(function, 4), file));
	struct wire module = profile_find(profile, MAPPINGS, wire_get(location, 2));
	assert_true(profile_says(profile, wire_get(module, 5), mapping));
	assert_int_equal(wire_get(module, 7), 1);
}

static bool has_label(struct wire profile, size_t number, const char *key, const char *value)
{
	struct wire sample = { 0 }, label = { 0 };

	assert_true(wire_at(profile, SAMPLES, number, &sample));
	for (size_t i = 0; wire_at(sample, 3, i, &label); i++) {
		if (profile_says(profile, wire_get(label, 1), key))
			return profile_says(profile, wire_get(label, 2), value);
	}
	return false;
}

static void page_owners_have_stacks_and_labels(void **state)
{
	static const char *const types[][2] = { { "allocations", "count" },
						{ "pages", "count" },
						{ "bytes", "bytes" } };
	struct kmp_group rows[5];
	struct kmp_groups groups = sample_pages(rows);
	struct wire profile = profile_of(&groups);

	expect_types(profile, types, 3);
	assert_int_equal(wire_count(profile, SAMPLES), 5);
	expect_values(profile, 0, (const int64_t[]){ 6, 600, 600 * 4096 }, 3);
	expect_frame(profile, 0, 0, "post_alloc_hook", "", 0, "[kernel]");
	expect_frame(profile, 0, 1, "xfs_buf_alloc", "", 0, "[xfs]");
	expect_frame(profile, 0, 2, "vfs_write", "", 0, "[kernel]");
	assert_true(has_label(profile, 0, "comm", "nginx"));
	assert_true(has_label(profile, 1, "comm", "new\\n\"line\""));
	assert_true(has_label(profile, 2, "comm", "caf\\xe9"));
	expect_frame(profile, 2, 0, "handle 123", "", 0, "[kernel]");
	assert_true(has_label(profile, 3, "comm", "h\xc3\xa9llo \xe6\x97\xa5"));
	expect_frame(profile, 3, 0, "(stack not told)", "", 0, "[kernel]");
	assert_false(has_label(profile, 4, "comm", ""));
	assert_true(profile_says(profile, wire_get(profile, 7), "post_alloc_hook"));
}

/* vfs_write stands in two stacks, at two offsets: one function, one location. */
static void what_is_the_same_is_there_once(void **state)
{
	struct kmp_group rows[5];
	struct kmp_groups groups = sample_pages(rows);
	struct wire profile = profile_of(&groups), string = { 0 };
	size_t found = 0;

	for (size_t i = 0; wire_at(profile, STRINGS, i, &string); i++)
		found += string.end - string.at == 9 && !memcmp(string.at, "vfs_write", 9);
	assert_int_equal(found, 1);
	assert_int_equal(wire_count(profile, FUNCTIONS), 7);
	assert_int_equal(wire_count(profile, LOCATIONS), 7);
}

static void without_records_there_are_two_types(void **state)
{
	static const char *const types[][2] = { { "pages", "count" }, { "bytes", "bytes" } };
	struct kmp_group rows[5];
	struct kmp_groups groups = sample_pages(rows);

	groups.records_unknown = true;
	struct wire profile = profile_of(&groups);
	expect_types(profile, types, 2);
	expect_values(profile, 0, (const int64_t[]){ 600, 600 * 4096 }, 2);
}

static void tags_have_files_and_lines(void **state)
{
	static const char *const types[][2] = { { "calls", "count" }, { "bytes", "bytes" } };
	struct kmp_group rows[3];
	struct kmp_groups groups = sample_tags(rows);
	struct wire profile = profile_of(&groups);

	expect_types(profile, types, 2);
	expect_frame(profile, 0, 0, "alloc_slab_page", "mm/slub.c", 3059, "[kernel]");
	expect_frame(profile, 1, 0, "ice_alloc_mapped_page", "drivers/net/ice/ice_txrx.c", 681,
		     "[ice]");
	expect_values(profile, 2, (const int64_t[]){ -1, -192 }, 2);
	assert_int_equal(wire_get(profile, 7), 0);
}

/* What was is below zero and marked as the base; what was cut is left out and told. */
static void a_difference_has_a_base(void **state)
{
	static const char *const keys[] = { "stack" };
	static const struct kmp_value key[] = { STACK(frames_inner), STACK(frames_other),
						HANDLE(3) };
	struct kmp_group rows[] = {
		{ .key = &key[0], .now = PAGES(1, 10), .before = PAGES(2, 30), NO_TIME },
		{ .key = &key[1], .before = PAGES(4, 4), NO_TIME },
		{ .key = &key[2], .now = PAGES(1, 1), .unknown = true, NO_TIME },
	};
	struct kmp_groups groups = { .keys = keys,
				     .key_count = 1,
				     .groups = rows,
				     .count = 3,
				     .difference = true,
				     .facts = FACTS,
				     .facts_before = FACTS };

	groups.facts.time = 1000;
	groups.facts_before.time = 900;
	struct wire profile = profile_of(&groups);
	uint64_t comments[8];
	bool told = false;

	assert_int_equal(wire_count(profile, SAMPLES), 3);
	expect_values(profile, 0, (const int64_t[]){ 1, 10, 40960 }, 3);
	assert_false(has_label(profile, 0, "pprof::base", "true"));
	expect_values(profile, 1, (const int64_t[]){ -2, -30, -122880 }, 3);
	assert_true(has_label(profile, 1, "pprof::base", "true"));
	expect_values(profile, 2, (const int64_t[]){ -4, -4, -16384 }, 3);
	assert_int_equal(wire_get(profile, 9), 1000000000000);
	assert_int_equal(wire_get(profile, 10), 100000000000);
	size_t count = wire_list(profile, 13, comments, COUNT(comments));
	for (size_t i = 0; i < count; i++)
		told |= profile_says(profile, comments[i], "1 groups left out: one side was cut");
	assert_true(told);
}

static void page_owners_without_stacks_are_refused(void **state)
{
	struct kmp_group rows[4];
	struct kmp_groups groups = sample_difference(rows);

	expect_usage(&groups, KMP_FORMAT_PPROF);
}

static void expect_parts(const char *frame, const char *name, const char *module, const char *file,
			 uint64_t line)
{
	struct frame_parts parts;

	kmp_frame_parts(frame, &parts);
	assert_int_equal(parts.name_len, strlen(name));
	assert_memory_equal(parts.name, name, parts.name_len);
	assert_int_equal(parts.module_len, strlen(module));
	assert_memory_equal(parts.module ? parts.module : "", module, parts.module_len);
	assert_int_equal(parts.file_len, strlen(file));
	assert_memory_equal(parts.file ? parts.file : "", file, parts.file_len);
	assert_int_equal(parts.line, line);
}

static void frames_are_taken_apart(void **state)
{
	expect_parts("vfs_write+0x10c/0x17a", "vfs_write", "", "", 0);
	expect_parts("xfs_buf_alloc+0x1/0x2 [xfs]", "xfs_buf_alloc", "xfs", "", 0);
	expect_parts("vfs_write (fs/read_write.c:685)", "vfs_write", "", "fs/read_write.c", 685);
	expect_parts("xfs_a (fs/xfs/xfs_a.c:7 (discriminator 3)) xfs", "xfs_a", "xfs",
		     "fs/xfs/xfs_a.c", 7);
	expect_parts("do_it (include/a.h:1 mm/b.c:22) [m]", "do_it", "m", "mm/b.c", 22);
	expect_parts("name (no place)", "name (no place)", "", "", 0);
	expect_parts(" (a.c:1)", " (a.c:1)", "", "", 0);
	expect_parts("a (:1)", "a (:1)", "", "", 0);
	expect_parts("a (b:)", "a (b:)", "", "", 0);
	expect_parts("a )(b:1", "a )(b:1", "", "", 0);
	expect_parts("(null)", "(null)", "", "", 0);
	expect_parts("0xffffffff81000000", "0xffffffff81000000", "", "", 0);
	expect_parts("a+0xz/0x1", "a+0xz/0x1", "", "", 0);
	expect_parts("", "", "", "", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_owners_have_stacks_and_labels),
		cmocka_unit_test(what_is_the_same_is_there_once),
		cmocka_unit_test(without_records_there_are_two_types),
		cmocka_unit_test(tags_have_files_and_lines),
		cmocka_unit_test(a_difference_has_a_base),
		cmocka_unit_test(page_owners_without_stacks_are_refused),
		cmocka_unit_test(frames_are_taken_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
