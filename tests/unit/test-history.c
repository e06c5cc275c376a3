// SPDX-License-Identifier: GPL-2.0-only
/* Histories: each sample is found again, by number and by time; what is old is thinned out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store-files.h"
#include "store-fill.h"

enum { STACKS = 300, TAGS = 100, SAMPLES = 200 };

#define SECOND UINT64_C(1000000000)
#define START  (UINT64_C(1800000000) * SECOND)

/* What stack i has at a moment: most stand still, some are gone for a while, one grows. */
static uint64_t pages_of(unsigned i, unsigned moment)
{
	if (i % 7 == 3 && moment % 5 == 1)
		return 0;
	if (i == 11)
		return 100 + moment;
	return i * 37 % 5000 + (i % 20 == moment % 20 ? moment * 8 : 0);
}

static int64_t bytes_of(unsigned i, unsigned moment)
{
	return (int64_t)(i * 1000) - 50 + (i % 10 == moment % 10 ? (int64_t)moment * 192 : 0);
}

static void add_tags(struct kmp_ledger *ledger, unsigned moment)
{
	char function[32];

	for (unsigned i = 0; i < TAGS; i++) {
		struct kmp_tag tag = { .file = "mm/slub.c",
				       .function = function,
				       .module = i % 3 ? "" : "xfs",
				       .extra = "",
				       .line = i / 2,
				       .bytes = bytes_of(i, moment),
				       .calls = bytes_of(i, moment) / 192,
				       .accurate = true };

		snprintf(function, sizeof(function), "function_%u", i);
		assert_no_error(kmp_ledger_add_tag(ledger, &tag));
	}
}

static void add_sample(struct kmp_history_writer *writer, struct kmp_ledger *ledger,
		       unsigned moment, uint64_t time)
{
	struct kmp_sink sink = kmp_history_sink(writer);
	struct kmp_moment now = { .time = time,
				  .uptime = time - START,
				  .memory_total = 1 << 30,
				  .memory_free = KMP_UNKNOWN,
				  .memory_available = 1000 + moment,
				  .boot = "b1",
				  .host = "h1",
				  .kernel = "7.3.4" };

	kmp_ledger_clear(ledger);
	for (unsigned i = 0; i < STACKS; i++) {
		struct kmp_stack stack = { KMP_NONE, i + 1, true };
		struct kmp_page page = { .pfn = KMP_UNKNOWN,
					 .pages = pages_of(i, moment),
					 .task = KMP_NONE,
					 .gfp = KMP_NONE,
					 .flags = KMP_NONE,
					 .charge = KMP_NONE,
					 .type = KMP_NONE,
					 .form = KMP_FORM_HANDLE };

		if (!page.pages)
			continue;
		assert_no_error(kmp_ledger_add_stack(ledger, &stack, &page.stack));
		assert_no_error(sink.pages(sink.arg, ledger, &page, 1));
	}
	add_tags(ledger, moment);
	assert_no_error(kmp_history_add(writer, ledger, &now));
}

static void check_sample(struct kmp_history *history, size_t index, unsigned moment)
{
	struct kmp_ledger *ledger;
	uint64_t pages = 0, expected = 0;

	assert_no_error(kmp_ledger_create(&ledger));
	assert_no_error(
		kmp_history_read(history, index, KMP_READ_PAGES | KMP_READ_TAGS, ledger, NULL));
	for (size_t i = 0; i < kmp_ledger_count(ledger, KMP_LIST_PAGES); i++) {
		const struct kmp_page *page = &kmp_ledger_pages(ledger)[i];
		uint32_t handle = kmp_ledger_stack(ledger, page->stack)->handle;

		assert_int_equal(page->pages, pages_of(handle - 1, moment));
		pages += page->pages;
	}
	for (unsigned i = 0; i < STACKS; i++)
		expected += pages_of(i, moment);
	assert_int_equal(pages, expected);
	assert_int_equal(kmp_history_sample(history, index)->pages, expected);
	assert_int_equal(kmp_ledger_count(ledger, KMP_LIST_TAGS), TAGS);
	for (unsigned i = 0; i < TAGS; i++) {
		const struct kmp_tag *tag = &kmp_ledger_tags(ledger)[i];

		assert_int_equal(tag->bytes, bytes_of(i, moment));
		assert_int_equal(tag->calls, bytes_of(i, moment) / 192);
		assert_string_equal(tag->module, i % 3 ? "" : "xfs");
	}
	assert_string_equal(kmp_ledger_facts(ledger)->kernel, "7.3.4");
	kmp_ledger_destroy(ledger);
}

static struct kmp_history_writer *begin(const char *path, const char *keep,
					struct kmp_ledger **ledger)
{
	struct kmp_history_options options = { .keep = keep };
	struct kmp_history_writer *writer;

	assert_no_error(kmp_ledger_create(ledger));
	assert_no_error(kmp_history_create(path, &options, &writer));
	return writer;
}

static void each_sample_is_found_again(void **state)
{
	const char *path = test_path("a.kmp");
	struct kmp_history_writer *writer;
	struct kmp_history *history = NULL;
	struct kmp_ledger *ledger;
	struct stat st;
	bool changed;

	writer = begin(path, NULL, &ledger);
	for (unsigned i = 0; i < SAMPLES; i++) {
		add_sample(writer, ledger, i, START + i * SECOND);
		/* It can be read while it is written. */
		if (i == 0)
			assert_no_error(kmp_history_open(path, &history));
		assert_no_error(kmp_history_refresh(history, &changed));
		assert_int_equal(changed, i != 0);
		assert_int_equal(kmp_history_count(history), i + 1);
		if (i % 9 == 0)
			check_sample(history, i, i);
	}
	check_sample(history, 70, 70);
	kmp_history_close(history);
	assert_no_error(kmp_history_end(writer));
	kmp_ledger_destroy(ledger);
	/* One file, private, whole. */
	assert_int_equal(files_in_test_directory(), 1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(st.st_size < 200000);
	assert_int_equal(query(path, "SELECT count(*) FROM sample"), SAMPLES);
	assert_int_equal(query(path, "SELECT count(*) FROM series"), STACKS + TAGS);
	assert_int_equal(query(path,
			       "SELECT value FROM latest WHERE series ="
			       " (SELECT s.id FROM series s JOIN stack k ON k.id = s.stack"
			       " WHERE k.handle = 12)"),
			 pages_of(11, SAMPLES - 1));
	assert_no_error(kmp_history_open(path, &history));
	for (unsigned i = 0; i < SAMPLES; i++)
		check_sample(history, i, i);
	kmp_history_close(history);
	unlink(path);
}

static size_t find(const struct kmp_history *history, const char *when)
{
	size_t index = SIZE_MAX;

	assert_no_error(kmp_history_find(history, when, &index));
	return index;
}

static void moments_are_found(void **state)
{
	static const char *const wrong[] = { "",     "0",    "11",  "-",    "-1x",
					     "--1s", "-91s", "@1",  "@x",   "2020-01-01",
					     "then", "1h",   "1e3", "25:00" };
	const char *path = test_path("b.kmp");
	struct kmp_history_writer *writer;
	struct kmp_history *history;
	struct kmp_ledger *ledger;
	char text[64];

	setenv("TZ", "UTC", 1);
	writer = begin(path, NULL, &ledger);
	for (unsigned i = 0; i < 10; i++)
		add_sample(writer, ledger, i, START + i * 10 * SECOND + SECOND / 2);
	assert_no_error(kmp_history_end(writer));
	kmp_ledger_destroy(ledger);
	assert_no_error(kmp_history_open(path, &history));
	assert_int_equal(find(history, "now"), 9);
	assert_int_equal(find(history, "first"), 0);
	assert_int_equal(find(history, "3"), 2);
	assert_int_equal(find(history, "-30s"), 6);
	assert_int_equal(find(history, "-31s"), 5);
	assert_int_equal(find(history, "-1m"), 3);
	assert_int_equal(find(history, "-1m0.5s"), 2);
	snprintf(text, sizeof(text), "@%llu", (unsigned long long)(START / SECOND + 40));
	assert_int_equal(find(history, text), 4);
	/* 1800000000 is 2027-01-15 08:00:00. */
	assert_int_equal(find(history, "2027-01-15T08:00:50"), 5);
	assert_int_equal(find(history, "2027-01-15 08:00:49"), 4);
	assert_int_equal(find(history, "2027-01-15T08:00:50Z"), 5);
	assert_int_equal(find(history, "08:01"), 6);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		size_t index;
		struct kmp_error *err = kmp_history_find(history, wrong[i], &index);

		if (!err)
			fail_msg("'%s' is no moment", wrong[i]);
		assert_int_equal(err->kind, KMP_ERROR_USAGE);
		kmp_error_destroy(err);
	}
	kmp_history_close(history);
	unlink(path);
}

static void a_killed_writer_loses_nothing(void **state)
{
	const char *path = test_path("c.kmp");
	struct kmp_history_writer *writer;
	struct kmp_history *history;
	struct kmp_ledger *ledger;
	int status;

	for (unsigned round = 0; round < 3; round++) {
		pid_t child = fork();

		if (!child) {
			writer = begin(path, NULL, &ledger);
			for (unsigned i = round * 30; i < round * 30 + 30; i++)
				add_sample(writer, ledger, i, START + i * SECOND);
			raise(SIGKILL);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
		assert_no_error(kmp_history_open(path, &history));
		assert_int_equal(kmp_history_count(history), round * 30 + 30);
		for (unsigned i = 0; i < round * 30 + 30; i++)
			check_sample(history, i, i);
		kmp_history_close(history);
	}
	writer = begin(path, NULL, &ledger);
	add_sample(writer, ledger, 90, START + 90 * SECOND);
	/* One writer at a time. */
	struct kmp_history_writer *other;
	struct kmp_error *err = kmp_history_create(path, NULL, &other);

	assert_non_null(err);
	assert_int_equal(err->kind, KMP_ERROR_SYSTEM);
	kmp_error_destroy(err);
	assert_no_error(kmp_history_end(writer));
	kmp_ledger_destroy(ledger);
	assert_int_equal(files_in_test_directory(), 1);
	assert_int_equal(query(path, "SELECT count(*) FROM sample"), 91);
	assert_int_equal(query(path, "SELECT count(*) FROM stack"), STACKS);
	unlink(path);
}

/* How far apart the samples of these ages (s, before the last one) are at least and at most. */
static void check_spacing(const struct kmp_history *history, unsigned from, unsigned to,
			  unsigned step)
{
	size_t count = kmp_history_count(history);
	uint64_t last = kmp_history_sample(history, count - 1)->time, before = 0;
	unsigned seen = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t time = kmp_history_sample(history, i)->time;

		if (time + to * SECOND < last || time + from * SECOND > last)
			continue;
		if (seen++)
			assert_int_equal(time - before, step * SECOND);
		before = time;
	}
	assert_true(seen > 2);
}

static void what_is_old_is_thinned_out(void **state)
{
	const char *path = test_path("d.kmp");
	struct kmp_history_writer *writer;
	struct kmp_history_stats stats;
	struct kmp_history *history;
	struct kmp_ledger *ledger;

	writer = begin(path, "2m,10m@10s,40m@1m", &ledger);
	for (unsigned i = 0; i < 4000; i++) {
		if (i % 1000 == 999) {
			/* A new process goes on where this one ended. */
			assert_no_error(kmp_history_end(writer));
			kmp_ledger_destroy(ledger);
			writer = begin(path, "2m,10m@10s,40m@1m", &ledger);
		}
		add_sample(writer, ledger, i % 1000, START + i * SECOND);
	}
	kmp_history_stats(writer, &stats);
	assert_no_error(kmp_history_end(writer));
	kmp_ledger_destroy(ledger);
	assert_no_error(kmp_history_open(path, &history));
	size_t count = kmp_history_count(history);

	assert_int_equal(stats.samples, count);
	assert_in_range(count, 120 + 48 + 30, 120 + 2 * 64 + 48 + 2 * 7 + 30 + 2 * 64);
	/* Ages may be late by a block of samples. */
	check_spacing(history, 0, 115, 1);
	check_spacing(history, 120 + 130, 595, 10);
	check_spacing(history, 600 + 710, 2395, 60);
	assert_true(kmp_history_sample(history, count - 1)->time -
			    kmp_history_sample(history, 0)->time <
		    (2400 + 65 * 60 + 64) * SECOND);
	for (size_t i = 0; i < count; i++)
		check_sample(history, i,
			     (kmp_history_sample(history, i)->time - START) / SECOND % 1000);
	kmp_history_close(history);
	unlink(path);
}

static void wrong_rules_are_told(void **state)
{
	static const char *const wrong[] = { "",	"1h@",		 "x",
					     "1h@10s,", "1h@10s,30m@1m", "1h@1m,2h@1s",
					     "0s@1s",	"1h@10s 2h" };
	struct kmp_history_writer *writer;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct kmp_history_options options = { .keep = wrong[i] };
		struct kmp_error *err = kmp_history_create(test_path("e.kmp"), &options, &writer);

		if (!err)
			fail_msg("'%s' is no rule", wrong[i]);
		assert_int_equal(err->kind, KMP_ERROR_USAGE);
		kmp_error_destroy(err);
	}
	assert_int_equal(files_in_test_directory(), 0);
}

/* Tasks by name, orders, nodes; a handle whose trace comes later; a machine that is another. */
static void series_are_told_apart(void **state)
{
	const char *path = test_path("f.kmp");
	struct kmp_history_writer *writer;
	struct kmp_history *history;
	struct kmp_ledger *ledger, *read;
	uint32_t comm[2], flags[2], tasks[3], stack, frame, number;
	struct kmp_stack trace = { KMP_NONE, 5, true };

	writer = begin(path, NULL, &ledger);
	assert_no_error(kmp_ledger_add_text(ledger, KMP_DICT_COMM, "a", 1, &comm[0]));
	assert_no_error(kmp_ledger_add_text(ledger, KMP_DICT_COMM, "b\n", 2, &comm[1]));
	for (int i = 0; i < 3; i++)
		assert_no_error(kmp_ledger_add_task(ledger, &(struct kmp_task){ i, i, comm[i / 2] },
						    &tasks[i]));
	assert_no_error(
		kmp_ledger_add_text(ledger, KMP_DICT_FLAGS, "0x0(node=0|zone=1)", 18, &flags[0]));
	assert_no_error(
		kmp_ledger_add_text(ledger, KMP_DICT_FLAGS, "0x1(node=0|zone=2)", 18, &flags[1]));
	assert_no_error(kmp_ledger_add_stack(ledger, &trace, &stack));
	for (int sample = 0; sample < 2; sample++) {
		struct kmp_sink sink = kmp_history_sink(writer);

		for (unsigned i = 0; i < 12; i++) {
			struct kmp_page page = { .records = 1,
						 .pages = 1 << (i / 6),
						 .order = i / 6,
						 .stack = stack,
						 .task = tasks[i % 3],
						 .gfp = KMP_NONE,
						 .flags = flags[i % 2],
						 .charge = KMP_NONE,
						 .type = KMP_NONE };

			assert_no_error(sink.pages(sink.arg, ledger, &page, 1));
		}
		if (sample == 1) {
			assert_no_error(kmp_ledger_add_text(ledger, KMP_DICT_FRAME, "f+0x1/0x2", 9,
							    &frame));
			assert_no_error(kmp_ledger_add_trace(ledger, &frame, 1, &trace.trace));
			assert_no_error(kmp_ledger_add_stack(ledger, &trace, &number));
		}
		assert_no_error(kmp_history_add(writer, ledger, NULL));
	}
	assert_no_error(kmp_history_end(writer));
	/* Two names by two orders; one node; zones are not told apart. */
	assert_int_equal(query(path, "SELECT count(*) FROM series"), 4);
	assert_int_equal(query(path, "SELECT count(*) FROM task"), 2);
	assert_int_equal(query(path, "SELECT count(DISTINCT stack) FROM series"), 1);
	assert_no_error(kmp_history_open(path, &history));
	for (size_t sample = 0; sample < 2; sample++) {
		assert_no_error(kmp_ledger_create(&read));
		assert_no_error(kmp_history_read(history, sample, KMP_READ_PAGES, read, NULL));
		assert_int_equal(kmp_ledger_count(read, KMP_LIST_PAGES), 4);
		for (size_t i = 0; i < 4; i++) {
			const struct kmp_page *page = &kmp_ledger_pages(read)[i];

			assert_int_equal(page->pages, page->records << page->order);
			assert_int_equal(kmp_ledger_stack(read, page->stack)->trace, 0);
			assert_int_equal(kmp_ledger_place(read, page->flags).node, 0);
		}
		kmp_ledger_destroy(read);
	}
	kmp_history_close(history);
	kmp_ledger_destroy(ledger);
	unlink(path);
}

static void another_machine_is_refused(void **state)
{
	const char *path = test_path("g.kmp");
	struct kmp_moment moment = { .time = START, .host = "other" };
	struct kmp_history_writer *writer;
	struct kmp_ledger *ledger;

	writer = begin(path, NULL, &ledger);
	add_sample(writer, ledger, 0, START);
	assert_no_error(kmp_history_end(writer));
	assert_no_error(kmp_history_create(path, NULL, &writer));
	struct kmp_error *err = kmp_history_add(writer, ledger, &moment);

	assert_non_null(err);
	assert_int_equal(err->kind, KMP_ERROR_INPUT);
	kmp_error_destroy(err);
	assert_no_error(kmp_history_end(writer));
	kmp_ledger_destroy(ledger);
	assert_int_equal(query(path, "SELECT count(*) FROM sample"), 1);
	unlink(path);
}

static void what_is_no_history_stays(void **state)
{
	const char *path = test_path("h");
	struct kmp_history_writer *writer;
	struct kmp_history *history;
	int fd = open(path, O_WRONLY | O_CREAT, 0644);

	assert_int_equal(write(fd, "text\n", 5), 5);
	close(fd);
	struct kmp_error *err = kmp_history_create(path, NULL, &writer);

	assert_non_null(err);
	assert_int_equal(err->kind, KMP_ERROR_INPUT);
	kmp_error_destroy(err);
	err = kmp_history_open(path, &history);
	assert_non_null(err);
	kmp_error_destroy(err);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_sample_is_found_again),
		cmocka_unit_test(moments_are_found),
		cmocka_unit_test(a_killed_writer_loses_nothing),
		cmocka_unit_test(what_is_old_is_thinned_out),
		cmocka_unit_test(wrong_rules_are_told),
		cmocka_unit_test(series_are_told_apart),
		cmocka_unit_test(another_machine_is_refused),
		cmocka_unit_test(what_is_no_history_stays),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
