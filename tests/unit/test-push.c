// SPDX-License-Identifier: GPL-2.0-only
/* What push is made of, without a server: rows, statements, URLs, samples and their files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "cli/fleet/ids.h"
#include "cli/fleet/sample.h"
#include "cli/fleet/target.h"

#define assert_no_error(err) assert_null(err)

static void rows_are_read_as_they_were_written(void **state)
{
	struct row_writer rows = { 0 };
	size_t len;

	assert_no_error(row_put_u8(&rows, 200));
	assert_no_error(row_put_u32(&rows, 0xdeadbeef));
	assert_no_error(row_put_u64(&rows, UINT64_MAX - 1));
	assert_no_error(row_put_i64(&rows, -5));
	assert_no_error(row_put_length(&rows, 300));
	assert_no_error(row_put_length(&rows, UINT64_MAX));
	assert_no_error(row_put_text(&rows, "a\0b", 3));
	struct row_reader reader = row_reader(rows.bytes.data, rows.bytes.len);

	assert_int_equal(row_u8(&reader), 200);
	assert_int_equal(row_u32(&reader), 0xdeadbeef);
	assert_true(row_u64(&reader) == UINT64_MAX - 1);
	assert_true(row_i64(&reader) == -5);
	assert_int_equal(row_length(&reader), 300);
	assert_true(row_length(&reader) == UINT64_MAX);
	assert_memory_equal(row_text(&reader, &len), "a\0b", 3);
	assert_int_equal(len, 3);
	assert_false(row_more(&reader));
	assert_false(reader.bad);
	assert_int_equal(row_u64(&reader), 0);
	assert_true(reader.bad);
	row_deinit(&rows);
}

static void a_length_beyond_the_end_is_bad(void **state)
{
	static const char *const bad[] = { "\x05xxxx",
					   "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x80" };
	size_t len;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct row_reader reader = row_reader(bad[i], strlen(bad[i]));

		row_text(&reader, &len);
		assert_true(reader.bad);
		assert_int_equal(len, 0);
	}
}

static void texts_in_statements_cannot_end_them(void **state)
{
	struct sql sql = { 0 };
	static const char wanted[] =
		"SELECT '\\x27; DROP \\x5c\\x00\\x0a\xc3\xa4' AS `a\\x60b` = 7";

	assert_no_error(sql_add(&sql, "SELECT "));
	assert_no_error(sql_quote(&sql, "'; DROP \\\0\n\xc3\xa4", 13));
	assert_no_error(sql_add(&sql, " AS "));
	assert_no_error(sql_name(&sql, "a`b"));
	assert_no_error(sql_add(&sql, " = %d", 7));
	assert_int_equal(sql.text.len, strlen(wanted));
	assert_memory_equal(sql.text.data, wanted, strlen(wanted));
	sql_deinit(&sql);
}

static void urls_are_taken_apart(void **state)
{
	static const struct {
		const char *url;
		const char *base; /* NULL: it is refused */
		const char *user;
		const char *name;
	} urls[] = {
		{ "clickhouse://h/d", "http://h:8123/", NULL, "h:8123/d" },
		{ "clickhouse://u.x-1@h.example:9/d_2", "http://h.example:9/", "u.x-1",
		  "h.example:9/d_2" },
		{ "http://[::1]:81/d", "http://[::1]:81/", NULL, "[::1]:81/d" },
		{ "https://[fe80::1]/d", "https://[fe80::1]:8443/", NULL, "[fe80::1]:8443/d" },
		{ "clickhouse://h", NULL, NULL, NULL },
		{ "clickhouse://h/", NULL, NULL, NULL },
		{ "clickhouse://h/a-b", NULL, NULL, NULL },
		{ "clickhouse://h/a/b", NULL, NULL, NULL },
		{ "clickhouse:///d", NULL, NULL, NULL },
		{ "clickhouse://h:/d", NULL, NULL, NULL },
		{ "clickhouse://h:1x/d", NULL, NULL, NULL },
		{ "clickhouse://u:p@h/d", NULL, NULL, NULL },
		{ "clickhouse://h x/d", NULL, NULL, NULL },
		{ "clickhouse://a@b@h/d", NULL, NULL, NULL },
		{ "ftp://h/d", NULL, NULL, NULL },
		{ "", NULL, NULL, NULL },
	};

	for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++) {
		struct target target;
		struct kmp_error *err = target_parse(urls[i].url, NULL, &target);

		assert_true(!err == (urls[i].base != NULL));
		if (err) {
			assert_int_equal(err->kind, KMP_ERROR_USAGE);
		} else {
			assert_string_equal(target.base, urls[i].base);
			assert_string_equal(target.name, urls[i].name);
			assert_string_equal(target.user ? target.user : "-",
					    urls[i].user ? urls[i].user : "-");
		}
		kmp_error_destroy(err);
		target_deinit(&target);
	}
}

static void ids_have_the_number_they_got_first(void **state)
{
	struct ids ids = { 0 };
	uint32_t number;
	bool added;

	assert_false(ids_has(&ids, 0));
	for (uint32_t i = 0; i < 5000; i++) {
		assert_no_error(ids_add(&ids, (uint64_t)i << 40, i, &number, &added));
		assert_true(added);
	}
	for (uint32_t i = 0; i < 5000; i++) {
		assert_no_error(ids_add(&ids, (uint64_t)i << 40, 7, &number, &added));
		assert_false(added);
		assert_int_equal(number, i);
	}
	assert_false(ids_has(&ids, 1));
	ids_deinit(&ids);
}

static void make_sample(struct push_sample *sample)
{
	struct row_writer labels = { 0 };

	assert_no_error(row_put_length(&labels, 1));
	assert_no_error(row_put_string(&labels, "role"));
	assert_no_error(row_put_string(&labels, "db"));
	assert_no_error(push_sample_name(sample, "host", "boot", "7.3", &labels));
	sample->at = 12345;
	sample->page_size = 4096;
	for (int i = 0; i < 20; i++) {
		struct push_figure figure = { (uint64_t)i, i * 100, -i, (uint8_t)(i % 3) };

		assert_no_error(grow_push(&sample->figures, figure));
	}
	assert_no_error(row_put_u64(&sample->names[SCHEMA_TASK], 2));
	assert_no_error(row_put_string(&sample->names[SCHEMA_TASK], "bash"));
	row_deinit(&labels);
}

static void a_sample_comes_back_from_its_file(void **state)
{
	struct push_sample *sample = calloc(1, sizeof(*sample)), *again;
	struct row_writer bytes = { 0 };

	make_sample(sample);
	assert_no_error(push_sample_encode(sample, &bytes));
	assert_no_error(push_sample_decode(bytes.bytes.data, bytes.bytes.len, &again));
	assert_true(again->session == push_session("host", "boot"));
	assert_string_equal(again->kernel, "7.3");
	assert_int_equal(again->at, 12345);
	assert_int_equal(again->figures.len, 20);
	assert_true(again->figures.data[19].count == -19);
	assert_int_equal(again->names[SCHEMA_TASK].bytes.len, 8 + 1 + 4);
	push_sample_destroy(again);
	push_sample_destroy(sample);
	row_deinit(&bytes);
}

static void a_file_that_was_cut_or_changed_is_refused(void **state)
{
	struct push_sample *sample = calloc(1, sizeof(*sample)), *again;
	struct row_writer bytes = { 0 };

	make_sample(sample);
	assert_no_error(push_sample_encode(sample, &bytes));
	for (size_t i = 0; i < bytes.bytes.len; i++) {
		/* As large as it is, so that a look behind it is seen. */
		char *copy = malloc(bytes.bytes.len);
		struct kmp_error *err;

		memcpy(copy, bytes.bytes.data, bytes.bytes.len);
		err = push_sample_decode(copy, i, &again);
		assert_non_null(err);
		kmp_error_destroy(err);
		copy[i] ^= 0x10;
		again = NULL;
		err = push_sample_decode(copy, bytes.bytes.len, &again);
		/* Some bits of a zstd frame mean nothing. */
		assert_true(err || again->at == 12345);
		kmp_error_destroy(err);
		push_sample_destroy(again);
		free(copy);
	}
	push_sample_destroy(sample);
	row_deinit(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_read_as_they_were_written),
		cmocka_unit_test(a_length_beyond_the_end_is_bad),
		cmocka_unit_test(texts_in_statements_cannot_end_them),
		cmocka_unit_test(urls_are_taken_apart),
		cmocka_unit_test(ids_have_the_number_they_got_first),
		cmocka_unit_test(a_sample_comes_back_from_its_file),
		cmocka_unit_test(a_file_that_was_cut_or_changed_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
