// SPDX-License-Identifier: GPL-2.0-only
/* Tags with counters per CPU, asked through descriptors as a program asks. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "tags-read.h"

enum { CPUS = 7 };

#define DIRECTORY "drivers/gpu/drm/amd/amdgpu/../display/dc/resource/dcn401/"

/* The first differ before their last 63 bytes only. */
static const struct kmp_tag samples[] = {
	{ .file = "a/" DIRECTORY "dcn401_resource.c",
	  .function = "one",
	  .module = "amdgpu",
	  .extra = "",
	  .line = 1,
	  .bytes = 100,
	  .calls = 1,
	  .accurate = true },
	{ .file = "b/" DIRECTORY "dcn401_resource.c",
	  .function = "two",
	  .module = "amdgpu",
	  .extra = "",
	  .line = 2,
	  .bytes = 200,
	  .calls = 2,
	  .accurate = true },
	{ .file = "./mm/../mm/slub.c",
	  .function = "three",
	  .module = "",
	  .extra = "",
	  .line = 3,
	  .bytes = -300,
	  .calls = -1,
	  .accurate = false },
	{ .file = "mm/slub.c",
	  .function = "three",
	  .module = "",
	  .extra = "",
	  .line = 3,
	  .accurate = true },
	{ .file = "mm/slub.c",
	  .function = "three",
	  .module = "",
	  .extra = "",
	  .line = 3,
	  .accurate = true },
};

enum { SAMPLES = sizeof(samples) / sizeof(*samples) };

static struct kmp_tags *make(unsigned cpus)
{
	struct kmp_tags *tags;

	assert_null(kmp_tags_create_empty(cpus, &tags));
	assert_null(kmp_tags_add(tags, samples, SAMPLES));
	return tags;
}

static struct kmp_tags_file *open_tags(struct kmp_tags *tags)
{
	struct kmp_tags_file *file;

	assert_null(kmp_tags_open(tags, &file));
	return file;
}

/* The lines of the tags that pass, one after the other, as in "1,2". */
static void expect_lines(struct kmp_tags_file *file, struct kmp_tag_filter filter, const char *want)
{
	char got[64] = "";
	size_t len = 0;
	struct kmp_tag tag;
	int result = kmp_tags_get_at(file, &filter, 0, &tag);

	while (!result && len < sizeof(got)) {
		len += (size_t)snprintf(got + len, sizeof(got) - len, "%s%" PRIu64, len ? "," : "",
					tag.line);
		result = kmp_tags_get_next(file, &tag);
	}
	assert_int_equal(result, -ENOENT);
	assert_string_equal(got, want);
}

static void counters_add_up_over_cpus(void **state)
{
	struct kmp_tags *tags = make(CPUS);
	struct kmp_tags_file *file = open_tags(tags);
	struct kmp_tag tag;

	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		kmp_tags_charge(tags, 1, cpu, (int64_t)(cpu + 1) * 1000, 3);
		kmp_tags_charge(tags, 3, cpu, -10, -1);
	}
	assert_int_equal(kmp_tags_get_at(file, NULL, 0, &tag), 0);
	assert_int_equal(tag.bytes, 100);
	assert_int_equal(kmp_tags_get_next(file, &tag), 0);
	assert_int_equal(tag.bytes, 200 + 28000);
	assert_int_equal(tag.calls, 2 + 21);
	assert_string_equal(tag.file, samples[1].file);
	assert_int_equal(kmp_tags_get_at(file, NULL, 3, &tag), 0);
	assert_int_equal(tag.bytes, -70);
	assert_int_equal(tag.calls, -7);
	kmp_tags_close(file);
	kmp_tags_destroy(tags);
}

/* Whichever CPUs count, and however few of many. */
static void any_cpus_add_up(void **state)
{
	static const unsigned cpus[] = { 1, 3, 8, 224, 511, 513, 1000, 65536 };
	uint64_t seed = 3;

	for (size_t i = 0; i < sizeof(cpus) / sizeof(*cpus); i++) {
		struct kmp_tags *tags = make(cpus[i]);
		struct kmp_tags_file *file = open_tags(tags);
		int64_t bytes = 0, calls = 0;
		struct kmp_tag tag;

		for (int round = 0; round < 300; round++) {
			seed = seed * 6364136223846793005 + 1442695040888963407;
			unsigned cpu = round ? (unsigned)(seed >> 40) % cpus[i] : cpus[i] - 1;
			int64_t more = (int64_t)(seed >> 50) - 8000;

			kmp_tags_charge(tags, 4, cpu, more, round);
			bytes += more;
			calls += round;
			assert_int_equal(kmp_tags_get_at(file, NULL, 4, &tag), 0);
			assert_int_equal(tag.bytes, bytes);
			assert_int_equal(tag.calls, calls);
		}
		assert_int_equal(kmp_tags_get_at(file, NULL, 3, &tag), 0);
		assert_int_equal(tag.bytes, 0);
		kmp_tags_close(file);
		kmp_tags_destroy(tags);
	}
}

static void the_ends_of_texts_are_compared(void **state)
{
	struct kmp_tags *tags = make(1);
	struct kmp_tags_file *file = open_tags(tags);
	struct kmp_tag_filter filter = { .accurate = -1, .file = samples[0].file };

	expect_lines(file, filter, "1,2");
	filter.file = samples[0].file + 2;
	expect_lines(file, filter, "1,2");
	filter.file = "dcn401_resource.c";
	expect_lines(file, filter, "");
	filter.file = "mm/slub.c"; /* normalised, too */
	expect_lines(file, filter, "3,3,3");
	filter.file = "./mm/../mm/slub.c";
	expect_lines(file, filter, "3");
	filter = (struct kmp_tag_filter){ .accurate = -1, .module = "" };
	expect_lines(file, filter, "3,3,3");
	filter.module = "amdgpu";
	filter.function = "two";
	expect_lines(file, filter, "2");
	filter.line = 1;
	expect_lines(file, filter, "");
	kmp_tags_close(file);
	kmp_tags_destroy(tags);
}

static void sizes_have_a_sign(void **state)
{
	struct kmp_tags *tags = make(CPUS);
	struct kmp_tags_file *file = open_tags(tags);
	struct kmp_tag_filter filter = { .accurate = -1, .has_min_size = true, .min_size = 100 };
	struct kmp_tag tag;

	expect_lines(file, filter, "1,2");
	filter.min_size = -300;
	filter.has_max_size = true;
	filter.max_size = -1;
	expect_lines(file, filter, "3");
	filter.max_size = 100;
	filter.accurate = 1;
	expect_lines(file, filter, "1,3,3");
	filter.accurate = 0;
	expect_lines(file, filter, "3");
	filter.min_size = 101;
	assert_int_equal(kmp_tags_get_at(file, &filter, 0, &tag), -EINVAL);
	kmp_tags_close(file);
	kmp_tags_destroy(tags);
}

/* A module comes while somebody asks for its tags. */
static void new_tags_are_found(void **state)
{
	static const struct kmp_tag late = {
		.file = "fs/late.c", .function = "late", .module = "late", .extra = "", .line = 9
	};
	struct kmp_tag_filter filter = { .accurate = -1, .module = "late" };
	struct kmp_tags *tags = make(CPUS);
	struct kmp_tags_file *file = open_tags(tags);
	struct kmp_tag tag;

	assert_int_equal(kmp_tags_content_id(tags), 1);
	assert_int_equal(kmp_tags_get_at(file, &filter, 0, &tag), -ENOENT);
	assert_null(kmp_tags_add(tags, &late, 1));
	assert_int_equal(kmp_tags_content_id(tags), 2);
	assert_int_equal(kmp_tags_count(tags), SAMPLES + 1);
	assert_int_equal(kmp_tags_get_next(file, &tag), 0);
	assert_int_equal(tag.line, 9);
	assert_null(kmp_tags_add(tags, NULL, 0));
	assert_int_equal(kmp_tags_content_id(tags), 2);
	kmp_tags_close(file);
	kmp_tags_destroy(tags);
}

static void wrong_numbers_of_cpus_are_refused(void **state)
{
	struct kmp_tags *tags = NULL;
	static const unsigned wrong[] = { 0, 65537 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct kmp_error *err = kmp_tags_create_empty(wrong[i], &tags);

		assert_non_null(err);
		assert_int_equal(err->kind, KMP_ERROR_USAGE);
		kmp_error_destroy(err);
		assert_null(tags);
	}
}

enum { ROUNDS = 2000, WRITERS = 2 };

struct writer {
	struct kmp_tags *tags;
	unsigned cpu;
};

static void *count(void *arg)
{
	const struct writer *writer = arg;

	for (size_t i = 0; i < ROUNDS * (size_t)SAMPLES; i++)
		kmp_tags_charge(writer->tags, i % SAMPLES, writer->cpu, 16, 1);
	return NULL;
}

static void counting_goes_on_while_others_read(void **state)
{
	struct kmp_tags *tags = make(CPUS);
	struct kmp_tags_file *file = open_tags(tags);
	struct writer writers[WRITERS];
	pthread_t threads[WRITERS];
	struct kmp_tag tag;
	int64_t last = 0;
	char text[4096];

	for (unsigned i = 0; i < WRITERS; i++) {
		writers[i] = (struct writer){ tags, i };
		assert_int_equal(pthread_create(&threads[i], NULL, count, &writers[i]), 0);
	}
	for (int i = 0; i < 200; i++) {
		assert_int_equal(kmp_tags_get_at(file, NULL, 4, &tag), 0);
		assert_true(tag.bytes >= last);
		last = tag.bytes;
		assert_in_range(kmp_tags_read(file, text, sizeof(text), 0), 400, 800);
	}
	for (unsigned i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(kmp_tags_get_at(file, NULL, 4, &tag), 0);
	assert_int_equal(tag.bytes, (int64_t)ROUNDS * WRITERS * 16);
	assert_int_equal(tag.calls, ROUNDS * WRITERS);
	kmp_tags_close(file);
	kmp_tags_destroy(tags);
}

enum { TURNS = 3000, IN_A_TURN = 3 };

/* A thread counts, another checks what the sum is then, a third adds up all the time. */
struct turns {
	struct kmp_tags *tags;
	atomic_int counted;
	atomic_int checked;
};

static void *count_in_turns(void *arg)
{
	struct turns *turns = arg;

	for (int turn = 1; turn <= TURNS; turn++) {
		for (int i = 0; i < IN_A_TURN; i++)
			kmp_tags_charge(turns->tags, 4, (unsigned)turn % CPUS, 16, 1);
		turns->counted = turn;
		while (turns->checked < turn)
			sched_yield();
	}
	return NULL;
}

static void *add_up_all_the_time(void *arg)
{
	struct turns *turns = arg;
	struct kmp_tags_file *file = open_tags(turns->tags);
	struct kmp_tag tag;

	while (turns->checked < TURNS)
		kmp_tags_get_at(file, NULL, 4, &tag);
	kmp_tags_close(file);
	return NULL;
}

static void what_is_counted_is_seen_at_once(void **state)
{
	struct turns turns = { .tags = make(CPUS) };
	struct kmp_tags_file *file = open_tags(turns.tags);
	pthread_t counting, adding;
	struct kmp_tag tag = { 0 };
	int behind = 0;

	assert_int_equal(pthread_create(&counting, NULL, count_in_turns, &turns), 0);
	assert_int_equal(pthread_create(&adding, NULL, add_up_all_the_time, &turns), 0);
	for (int turn = 1; turn <= TURNS; turn++) {
		while (turns.counted < turn)
			kmp_tags_get_at(file, NULL, 4, &tag);
		kmp_tags_get_at(file, NULL, 4, &tag);
		behind += tag.calls != turn * IN_A_TURN || tag.bytes != tag.calls * 16;
		turns.checked = turn;
	}
	pthread_join(counting, NULL);
	pthread_join(adding, NULL);
	assert_int_equal(behind, 0);
	kmp_tags_close(file);
	kmp_tags_destroy(turns.tags);
}

static void *add(void *arg)
{
	struct kmp_error *err = NULL;

	for (int i = 0; i < 100 && !err; i++)
		err = kmp_tags_add(arg, samples, SAMPLES);
	return err;
}

static void tags_come_while_others_read(void **state)
{
	struct kmp_tags *tags = make(CPUS);
	struct kmp_tags_file *file = open_tags(tags);
	struct kmp_tag_filter filter = { .accurate = -1, .function = "three" };
	size_t found = 0;
	pthread_t thread;
	struct kmp_tag tag;
	void *err;

	assert_int_equal(pthread_create(&thread, NULL, add, tags), 0);
	for (int i = 0; i < 50; i++) {
		size_t now = 0;

		for (int r = kmp_tags_get_at(file, &filter, 0, &tag); !r;
		     r = kmp_tags_get_next(file, &tag))
			now++;
		assert_true(now >= found);
		found = now;
	}
	pthread_join(thread, &err);
	assert_null(err);
	assert_int_equal(kmp_tags_count(tags), 101 * SAMPLES);
	assert_int_equal(kmp_tags_content_id(tags), 101);
	kmp_tags_close(file);
	kmp_tags_destroy(tags);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_add_up_over_cpus),
		cmocka_unit_test(any_cpus_add_up),
		cmocka_unit_test(the_ends_of_texts_are_compared),
		cmocka_unit_test(sizes_have_a_sign),
		cmocka_unit_test(new_tags_are_found),
		cmocka_unit_test(wrong_numbers_of_cpus_are_refused),
		cmocka_unit_test(counting_goes_on_while_others_read),
		cmocka_unit_test(what_is_counted_is_seen_at_once),
		cmocka_unit_test(tags_come_while_others_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
