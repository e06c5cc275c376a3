// SPDX-License-Identifier: GPL-2.0-only
/* Timelines: the largest owners of a history over its samples, evenly chosen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kmemprof/kmemprof.h"

enum { SAMPLES = 50, OWNERS = 20 };

#define SECOND UINT64_C(1000000000)
#define START  (UINT64_C(1800000000) * SECOND)

static char path[] = "/tmp/kmemprof-timeline-XXXXXX";

static void ok(struct kmp_error *err)
{
	if (!err)
		return;
	char *text = kmp_error_format(err);

	fail_msg("%s", text);
}

/* Owner 0 grows, owner 1 is gone but for one peak, the others stand still. */
static uint64_t pages_of(unsigned owner, unsigned sample)
{
	if (owner == 0)
		return sample;
	if (owner == 1)
		return sample == 20 ? 5000 : 0;
	return owner;
}

static uint32_t add_stack(struct kmp_ledger *ledger, unsigned owner)
{
	struct kmp_stack stack = { .handle = 0 };
	uint32_t frames[2], number;
	char frame[32];
	int len = snprintf(frame, sizeof(frame), "owner_%u+0x1/0x2", owner);

	ok(kmp_ledger_add_text(ledger, KMP_DICT_FRAME, "alloc_pages+0x1/0x2", 19, &frames[0]));
	ok(kmp_ledger_add_text(ledger, KMP_DICT_FRAME, frame, (size_t)len, &frames[1]));
	ok(kmp_ledger_add_trace(ledger, frames, 2, &stack.trace));
	ok(kmp_ledger_add_stack(ledger, &stack, &number));
	return number;
}

static uint32_t add_task(struct kmp_ledger *ledger, const char *name)
{
	struct kmp_task task = { .pid = -1, .tgid = -1 };
	uint32_t number;

	ok(kmp_ledger_add_text(ledger, KMP_DICT_COMM, name, strlen(name), &task.comm));
	ok(kmp_ledger_add_task(ledger, &task, &number));
	return number;
}

static void add_sample(struct kmp_history_writer *writer, unsigned sample)
{
	struct kmp_sink sink = kmp_history_sink(writer);
	struct kmp_moment moment = { .time = START + sample * 10 * SECOND,
				     .uptime = sample * 10 * SECOND,
				     .memory_total = KMP_UNKNOWN,
				     .memory_free = KMP_UNKNOWN,
				     .memory_available = KMP_UNKNOWN,
				     .boot = "boot" };
	struct kmp_ledger *ledger;

	ok(kmp_ledger_create(&ledger));
	uint32_t task = add_task(ledger, "a\nb");
	for (unsigned i = 0; i < OWNERS; i++) {
		struct kmp_page page = { .pfn = KMP_UNKNOWN,
					 .block = KMP_UNKNOWN,
					 .ts = KMP_UNKNOWN,
					 .free_ts = KMP_UNKNOWN,
					 .records = pages_of(i, sample),
					 .pages = pages_of(i, sample),
					 .stack = add_stack(ledger, i),
					 .task = task,
					 .gfp = KMP_NONE,
					 .flags = KMP_NONE,
					 .charge = KMP_NONE,
					 .type = KMP_NONE,
					 .block_type = KMP_NONE,
					 .reason = KMP_NONE,
					 .extra = KMP_NONE };

		if (page.pages)
			ok(sink.pages(sink.arg, ledger, &page, 1));
	}
	ok(kmp_history_add(writer, ledger, &moment));
	kmp_ledger_destroy(ledger);
}

static int make_history(void **state)
{
	struct kmp_history_writer *writer;
	struct kmp_history *history;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	ok(kmp_history_create(path, NULL, &writer));
	for (unsigned i = 0; i < SAMPLES; i++)
		add_sample(writer, i);
	ok(kmp_history_end(writer));
	ok(kmp_history_open(path, &history));
	*state = history;
	return 0;
}

static int drop_history(void **state)
{
	kmp_history_close(*state);
	unlink(path);
	return 0;
}

static struct kmp_timeline *timeline_of(void **state, struct kmp_timeline_options options)
{
	struct kmp_timeline *timeline;

	ok(kmp_timeline_create(*state, &options, &timeline));
	return timeline;
}

static void owners_by_their_peak(void **state)
{
	struct kmp_timeline *timeline =
		timeline_of(state, (struct kmp_timeline_options){
					   .key = "function", .last = SAMPLES - 1, .owners = 3 });

	assert_string_equal(timeline->key, "function");
	assert_int_equal(timeline->sample_count, SAMPLES);
	assert_int_equal(timeline->owner_count, 3);
	assert_string_equal(timeline->owners[0].value.text, "owner_1");
	assert_string_equal(timeline->owners[1].value.text, "owner_0");
	assert_string_equal(timeline->owners[2].value.text, "owner_19");
	for (unsigned i = 0; i < SAMPLES; i++) {
		int64_t total = 0;

		for (unsigned k = 0; k < OWNERS; k++)
			total += (int64_t)pages_of(k, i) * 4096;
		assert_int_equal(timeline->times[i], START + i * 10 * SECOND);
		assert_int_equal(timeline->owners[0].bytes[i], pages_of(1, i) * 4096);
		assert_int_equal(timeline->owners[1].bytes[i], pages_of(0, i) * 4096);
		assert_int_equal(timeline->total[i], total);
	}
	kmp_timeline_destroy(timeline);
}

static void samples_are_chosen_evenly(void **state)
{
	struct kmp_timeline *timeline = timeline_of(
		state, (struct kmp_timeline_options){ .key = "comm", .last = 40, .samples = 5 });
	static const unsigned chosen[] = { 0, 10, 20, 30, 40 };

	assert_int_equal(timeline->sample_count, 5);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(timeline->times[i], START + chosen[i] * 10 * SECOND);
	assert_int_equal(timeline->owner_count, 1);
	assert_int_equal(timeline->owners[0].value.len, 3);
	assert_memory_equal(timeline->owners[0].value.text, "a\nb", 3);
	assert_int_equal(timeline->owners[0].bytes[2], timeline->total[2]);
	kmp_timeline_destroy(timeline);
}

static void what_is_not_there_is_empty(void **state)
{
	struct kmp_timeline *timeline = timeline_of(
		state, (struct kmp_timeline_options){
			       .key = "function", .unit = KMP_UNIT_TAGS, .last = SAMPLES - 1 });

	assert_int_equal(timeline->sample_count, 0);
	assert_int_equal(timeline->owner_count, 0);
	kmp_timeline_destroy(timeline);
	kmp_timeline_destroy(NULL);
}

static void wrong_keys_are_told(void **state)
{
	static const char *const keys[] = { "stack", "comm,order", "taks", "tag" };

	for (size_t i = 0; i < 4; i++) {
		struct kmp_timeline_options options = { .key = keys[i], .last = SAMPLES - 1 };
		struct kmp_timeline *timeline;
		struct kmp_error *err = kmp_timeline_create(*state, &options, &timeline);

		assert_non_null(err);
		assert_int_equal(err->kind, KMP_ERROR_USAGE);
		kmp_error_destroy(err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(owners_by_their_peak),
		cmocka_unit_test(samples_are_chosen_evenly),
		cmocka_unit_test(what_is_not_there_is_empty),
		cmocka_unit_test(wrong_keys_are_told),
	};

	return cmocka_run_group_tests(tests, make_history, drop_history);
}
