// SPDX-License-Identifier: GPL-2.0-only
/* Damaged and hostile histories end in an error, whoever reads them or would go on with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "store-files.h"
#include "store-fill.h"

enum { STACKS = 40, SAMPLES = 70 };

static void add_sample(struct kmp_history_writer *writer, struct kmp_ledger *ledger, unsigned i)
{
	struct kmp_sink sink = kmp_history_sink(writer);
	struct kmp_moment moment = { .time = (UINT64_C(1800000000) + i) * 1000000000,
				     .boot = "b",
				     .host = "h" };
	struct kmp_tag tag = { "a.c", "f", "", "", 3, 4096 + i, 7, true, false };

	kmp_ledger_clear(ledger);
	for (unsigned s = 0; s < STACKS; s++) {
		struct kmp_stack stack = { KMP_NONE, s + 1, true };
		struct kmp_page page = { .pages = 10 + s + (s % 5 == i % 5 ? i : 0),
					 .task = KMP_NONE,
					 .gfp = KMP_NONE,
					 .flags = KMP_NONE,
					 .charge = KMP_NONE,
					 .type = KMP_NONE };
		uint32_t frame;
		char text[32];
		int n = snprintf(text, sizeof(text), "f%u+0x1/0x2", s);

		assert_no_error(
			kmp_ledger_add_text(ledger, KMP_DICT_FRAME, text, (size_t)n, &frame));
		assert_no_error(kmp_ledger_add_trace(ledger, &frame, 1, &stack.trace));
		assert_no_error(kmp_ledger_add_stack(ledger, &stack, &page.stack));
		assert_no_error(sink.pages(sink.arg, ledger, &page, 1));
	}
	assert_no_error(kmp_ledger_add_tag(ledger, &tag));
	assert_no_error(kmp_ledger_warn(ledger, "a warning"));
	assert_no_error(kmp_history_add(writer, ledger, &moment));
}

/* A good file; the same each time, and made once. */
static void make(const char *path)
{
	static unsigned char *bytes;
	static size_t len;
	struct kmp_history_writer *writer;
	struct kmp_ledger *ledger;

	if (!bytes) {
		assert_no_error(kmp_ledger_create(&ledger));
		assert_no_error(kmp_history_create(path, NULL, &writer));
		for (unsigned i = 0; i < SAMPLES; i++)
			add_sample(writer, ledger, i);
		assert_no_error(kmp_history_end(writer));
		kmp_ledger_destroy(ledger);
		bytes = read_file(path, &len);
	}
	write_file(path, bytes, len);
}

/* An error has a text, which names the file. */
static bool is_good(struct kmp_error *err, const char *path)
{
	if (!err)
		return true;
	char *text = kmp_error_format(err);

	assert_non_null(text);
	assert_non_null(strstr(text, path));
	free(text);
	kmp_error_destroy(err);
	return false;
}

static bool read_sample(struct kmp_history *history, size_t index, const char *path)
{
	struct kmp_ledger *ledger;

	assert_no_error(kmp_ledger_create(&ledger));
	bool good = is_good(
		kmp_history_read(history, index, KMP_READ_PAGES | KMP_READ_TAGS, ledger, NULL),
		path);

	kmp_ledger_destroy(ledger);
	return good;
}

/* Is all of it good, to readers? */
static bool reads(const char *path)
{
	const struct kmp_trend_options options[] = { { 0 }, { .tags = true }, { .keys = "comm" } };
	struct kmp_history *history;
	struct kmp_trends *trends;
	bool good = true;

	if (!is_good(kmp_history_open(path, &history), path))
		return false;
	size_t count = kmp_history_count(history);

	for (size_t i = 0; i < count; i += 23)
		good &= read_sample(history, i, path);
	good &= read_sample(history, count - 1, path);
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		if (is_good(kmp_trends_find(history, &options[i], &trends), path))
			kmp_trends_destroy(trends);
		else
			good = false;
	}
	kmp_history_close(history);
	return good;
}

/* Can it be gone on with? */
static bool goes_on(const char *path)
{
	struct kmp_history_options options = { .keep = "10s@1s,1h@5s" };
	struct kmp_history_writer *writer;
	struct kmp_moment moment = { .time = UINT64_C(1800003000) * 1000000000, .host = "h" };
	struct kmp_ledger *ledger;

	assert_no_error(kmp_ledger_create(&ledger));
	bool good = is_good(kmp_history_create(path, &options, &writer), path);

	if (good) {
		good = is_good(kmp_history_add(writer, ledger, &moment), path);
		good &= is_good(kmp_history_end(writer), path);
	}
	kmp_ledger_destroy(ledger);
	return good;
}

static void a_good_file_is_good(void **state)
{
	const char *path = test_path("a.kmp");

	make(path);
	assert_true(reads(path));
	assert_true(goes_on(path));
	assert_true(reads(path));
}

static void cut_files_do_no_harm(void **state)
{
	const char *path = test_path("a.kmp");
	size_t len;

	make(path);
	unsigned char *bytes = read_file(path, &len);

	for (size_t cut = 0; cut < len; cut += cut < 1024 ? 100 : 1024) {
		write_file(path, bytes, cut);
		assert_false(reads(path));
		assert_false(goes_on(path));
	}
	free(bytes);
}

static void flipped_bytes_do_no_harm(void **state)
{
	static const unsigned char masks[] = { 0x01, 0x80, 0xff };
	const char *path = test_path("a.kmp");
	size_t len, good = 0, tried = 0;

	make(path);
	unsigned char *bytes = read_file(path, &len);

	for (size_t at = 0; at < len; at += at < 100 ? 3 : 211) {
		for (size_t i = 0; i < sizeof(masks); i++, tried++) {
			bytes[at] ^= masks[i];
			write_file(path, bytes, len);
			good += reads(path);
			if (at % 5 == i)
				goes_on(path);
			bytes[at] ^= masks[i];
		}
	}
	assert_true(good < tried);
	free(bytes);
}

static void rows_that_lie_are_found(void **state)
{
	static const char *const lies[] = {
		"DELETE FROM sample",
		"UPDATE sample SET session = 9 WHERE id = 70",
		"UPDATE sample SET session = 0 WHERE id = 70",
		"UPDATE sample SET block = 71 WHERE id = 70",
		"UPDATE sample SET block = -1 WHERE id = 70",
		"UPDATE sample SET block = 3 WHERE id = 70",
		"UPDATE change SET data = x'0011' WHERE sample = 65",
		"UPDATE change SET data = zeroblob(90) WHERE sample = 65",
		"DELETE FROM series WHERE id = 4",
		"DELETE FROM series WHERE id > 20",
		"UPDATE series SET id = 1000 WHERE id = 41",
		"UPDATE series SET stack = 99999 WHERE stack IS NOT NULL",
		"UPDATE series SET location = 99 WHERE location IS NOT NULL",
		"DELETE FROM stack WHERE id = 3",
		"UPDATE stack SET frames = char(9999) WHERE id = 3",
		"DELETE FROM session",
		"CREATE TABLE more(x)",
		"CREATE TRIGGER t AFTER INSERT ON sample BEGIN DELETE FROM sample; END",
	};
	const char *path = test_path("a.kmp");

	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		make(path);
		change(path, lies[i]);
		if (reads(path))
			fail_msg("not noticed: %s", lies[i]);
		goes_on(path);
	}
	/* Figures of any size are figures. */
	make(path);
	change(path,
	       "UPDATE sample SET time = 9223372036854775807, time_ns = -1, pages = -5,"
	       " available = -1, uptime = -1 WHERE id % 7 = 3;"
	       "UPDATE session SET page_size = 4294967295, nodes = -9, memory = -1");
	reads(path);
	goes_on(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_good_file_is_good, make_directory,
						remove_directory),
		cmocka_unit_test_setup_teardown(cut_files_do_no_harm, make_directory,
						remove_directory),
		cmocka_unit_test_setup_teardown(flipped_bytes_do_no_harm, make_directory,
						remove_directory),
		cmocka_unit_test_setup_teardown(rows_that_lie_are_found, make_directory,
						remove_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
