// SPDX-License-Identifier: GPL-2.0-only
/* Damaged and hostile ledger files end in an error; whatever stands in the way of writing one
 * leaves what was there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "store-files.h"
#include "store-fill.h"
#include "store/schema.h"

/* Does it load? Any error will do, but not a crash, and none without text. */
static bool loads(const char *path, uint32_t columns)
{
	struct filled f;
	struct kmp_error *err = load(&f, path, 0, columns);

	if (!err) {
		filled_deinit(&f);
		return true;
	}
	char *text = kmp_error_format(err);

	assert_non_null(text);
	assert_true(strstr(text, path) == text);
	free(text);
	kmp_error_destroy(err);
	return false;
}

/* A good file; the same each time, and made once. */
static void make(const char *path)
{
	static unsigned char *bytes;
	static size_t len;
	struct filled f;

	if (bytes) {
		write_file(path, bytes, len);
		return;
	}
	fill(&f, 21, 400);
	assert_no_error(save(&f, path, false));
	filled_deinit(&f);
	bytes = read_file(path, &len);
}

static void a_cut_file_is_an_error(void **state)
{
	const char *path = test_path("cut.kmp");
	size_t len;

	make(path);
	unsigned char *bytes = read_file(path, &len);

	for (size_t cut = 0; cut < len; cut += cut < 200 ? 1 : 97) {
		write_file(path, bytes, cut);
		assert_false(loads(path, KMP_COLUMN_ALL));
	}
	for (size_t cut = 512; cut < len; cut += 512) {
		/* As long as its header tells, all the same. */
		unsigned char count[4] = { 0, 0, (unsigned char)(cut / 512 >> 8),
					   (unsigned char)(cut / 512) };
		unsigned char head[512];

		memcpy(head, bytes, sizeof(head));
		memcpy(head + 28, count, sizeof(count));
		write_file(path, bytes, cut);
		int fd = open(path, O_WRONLY);

		assert_int_equal(pwrite(fd, head, sizeof(head), 0), sizeof(head));
		close(fd);
		assert_false(loads(path, KMP_COLUMN_ALL));
	}
	free(bytes);
}

static void flipped_bytes_do_no_harm(void **state)
{
	static const unsigned char masks[] = { 0x01, 0x80, 0xff };
	const char *path = test_path("flip.kmp");
	size_t len, good = 0, tried = 0;

	make(path);
	unsigned char *bytes = read_file(path, &len);

	for (size_t at = 0; at < len; at += at < 128 ? 1 : 131) {
		for (size_t i = 0; i < sizeof(masks); i++, tried++) {
			bytes[at] ^= masks[i];
			write_file(path, bytes, len);
			good += loads(path, i ? KMP_COLUMN_ALL : KMP_COLUMN_STACK);
			bytes[at] ^= masks[i];
		}
	}
	/* Some change a text or a number and nothing else. */
	assert_true(good < tried);
	free(bytes);
}

static void what_does_not_fit_is_an_error(void **state)
{
	static const char *const changes[] = {
		"UPDATE snapshot SET owners = 1000000000",
		"UPDATE snapshot SET owners = owners + 1",
		"UPDATE snapshot SET owners = -1",
		"UPDATE snapshot SET first_owner = -1",
		"UPDATE snapshot SET first_owner = 1 << 40",
		"UPDATE snapshot SET states = states + 1",
		"UPDATE snapshot SET tags = tags + 1",
		"UPDATE snapshot SET first_tag = 2",
		"UPDATE snapshot SET chunks = chunks + 1",
		"UPDATE snapshot SET chunks = 0",
		"UPDATE snapshot SET entries = entries + 1",
		"UPDATE snapshot SET stacks = 1 << 40",
		"UPDATE snapshot SET stacks = stacks + 1",
		"UPDATE snapshot SET stack_ids = x'00'",
		"UPDATE snapshot SET id = 1 << 40",
		"UPDATE snapshot SET id = -1",
		"DELETE FROM snapshot",
		"UPDATE chunk SET entries = 1 << 30",
		"UPDATE chunk SET entries = 0",
		"UPDATE chunk SET entries = entries - 1",
		"UPDATE chunk SET entries = entries + 1",
		"UPDATE chunk SET snapshot = 2",
		"UPDATE chunk SET block_shift = 64",
		"UPDATE chunk SET owner = zeroblob(10)",
		"UPDATE chunk SET state = x'ffffffff00'",
		"UPDATE chunk SET ts = randomblob(50)",
		"UPDATE chunk SET pfn = x'09' || substr(pfn, 2)",
		"UPDATE chunk SET pfn = substr(pfn, 1, length(pfn) - 1)",
		"UPDATE chunk SET pfn = pfn || x'00'",
		"UPDATE chunk SET records = pfn || pfn",
		"DELETE FROM chunk",
		"UPDATE owner SET \"order\" = 300",
		"UPDATE owner SET stack = 1 << 40",
		"UPDATE owner SET task = 0",
		"UPDATE owner SET gfp = -1",
		"DELETE FROM owner WHERE id = 3",
		"DELETE FROM state WHERE id = 3",
		"UPDATE stack SET frames = cast(x'ff' AS TEXT)",
		"UPDATE stack SET frames = cast(x'e08080' AS TEXT)",
		"UPDATE stack SET frames = cast(x'c3' AS TEXT)",
		"UPDATE stack SET frames = char(60000)",
		"UPDATE stack SET same = 9999, frames = NULL",
		"UPDATE stack SET same = id, frames = NULL",
		"UPDATE stack SET id = 1 << 40 WHERE id = (SELECT max(id) FROM stack)",
		"DELETE FROM stack WHERE id = 5",
		"DELETE FROM frame WHERE id = 1",
		"DELETE FROM task",
		"DELETE FROM charge",
		"DELETE FROM location",
		"DELETE FROM text WHERE kind = 'comm'",
		"DELETE FROM text WHERE kind = 'memcg'",
		"UPDATE text SET kind = 'x' WHERE kind = 'gfp'",
		"CREATE TABLE another(a)",
		"CREATE INDEX an_index ON task(pid)",
		"CREATE VIEW a_view AS SELECT 1",
		"CREATE TRIGGER t AFTER INSERT ON snapshot BEGIN DELETE FROM snapshot; END",
		"CREATE TABLE zones AS SELECT * FROM zone; DROP TABLE zone;"
		"CREATE VIEW zone AS SELECT 1 AS id, 2 AS snapshot, 3 AS node, 4 AS zone, 5 AS "
		"name",
		"ALTER TABLE task ADD COLUMN more INT",
		"ANALYZE",
		"PRAGMA user_version=2",
		"PRAGMA application_id=0",
		"PRAGMA journal_mode=WAL; UPDATE snapshot SET time = 1",
		"PRAGMA auto_vacuum=FULL; VACUUM",
		"PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = '' WHERE rowid = 11",
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		const char *path = test_path("change.kmp");

		make(path);
		assert_true(loads(path, KMP_COLUMN_ALL));
		change(path, changes[i]);
		if (loads(path, KMP_COLUMN_ALL))
			fail_msg("accepted after: %s", changes[i]);
	}
}

/* What a vacuum leaves is the same content, and still a ledger file. */
static void harmless_changes_are_accepted(void **state)
{
	const char *path = test_path("vacuum.kmp");

	make(path);
	change(path, "PRAGMA page_size=4096; VACUUM");
	assert_true(loads(path, KMP_COLUMN_ALL));
}

static void a_column_that_explodes_is_an_error(void **state)
{
	const char *path = test_path("bomb.kmp");
	size_t size = 64 << 20;
	void *zeros = calloc(1, size);
	size_t bound = ZSTD_compressBound(size);
	unsigned char *bomb = malloc(bound + 5);
	sqlite3_stmt *stmt;
	sqlite3 *db;

	assert_true(zeros && bomb);
	size_t len = ZSTD_compress(bomb + 5, bound, zeros, size, 1);

	assert_false(ZSTD_isError(len));
	bomb[0] = 0;
	for (int i = 0; i < 4; i++)
		bomb[1 + i] = (unsigned char)(len >> (8 * i));
	make(path);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "UPDATE chunk SET pfn = ?", -1, &stmt, NULL),
			 SQLITE_OK);
	sqlite3_bind_blob(stmt, 1, bomb, (int)len + 5, SQLITE_STATIC);
	assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	assert_false(loads(path, KMP_COLUMN_ALL));
	free(zeros);
	free(bomb);
}

/* A journal that someone laid beside the file is not rolled back into it. */
static void what_lies_beside_the_file_is_not_looked_at(void **state)
{
	const char *path = test_path("beside.kmp");
	char text[1024];

	memset(text, 'x', sizeof(text));
	make(path);
	write_file(test_path("beside.kmp-journal"), text, sizeof(text));
	write_file(test_path("beside.kmp-wal"), text, sizeof(text));
	assert_true(loads(path, KMP_COLUMN_ALL));
	assert_int_equal(files_in_test_directory(), 3);
}

static void names_that_mean_something_to_sqlite_are_names(void **state)
{
	static const char *const names[] = { "a?mode=memory.kmp", "a%20b.kmp", "a#b.kmp",
					     "file:x.kmp",	  ":memory:",  "caf\xc3\xa9 \x01" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		make(test_path(names[i]));
		assert_true(loads(test_path(names[i]), KMP_COLUMN_ALL));
		assert_int_equal(files_in_test_directory(), i + 1);
	}
}

static void appending_to_a_damaged_file_leaves_it(void **state)
{
	static const char *const changes[] = {
		"DELETE FROM frame WHERE id = 1",
		"UPDATE text SET kind = 'x' WHERE kind = 'gfp'",
		"UPDATE stack SET same = 9999, frames = NULL WHERE id = 7",
		"CREATE TRIGGER t AFTER INSERT ON snapshot BEGIN DELETE FROM snapshot; END",
		"UPDATE owner SET id = 1 << 40 WHERE id = 1",
		"PRAGMA application_id=0",
	};
	const char *path = test_path("damaged.kmp");
	struct filled f;

	fill(&f, 1, 10);
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		size_t before, after;

		make(path);
		change(path, changes[i]);
		unsigned char *a = read_file(path, &before);
		struct kmp_error *err = save(&f, path, true);

		assert_non_null(err);
		assert_int_equal(err->kind, KMP_ERROR_INPUT);
		kmp_error_destroy(err);
		unsigned char *b = read_file(path, &after);

		assert_true(before == after && !memcmp(a, b, before));
		assert_int_equal(files_in_test_directory(), 1);
		free(a);
		free(b);
	}
	filled_deinit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_cut_file_is_an_error, make_directory,
						remove_directory),
		cmocka_unit_test_setup_teardown(flipped_bytes_do_no_harm, make_directory,
						remove_directory),
		cmocka_unit_test_setup_teardown(what_does_not_fit_is_an_error, make_directory,
						remove_directory),
		cmocka_unit_test_setup_teardown(harmless_changes_are_accepted, make_directory,
						remove_directory),
		cmocka_unit_test_setup_teardown(a_column_that_explodes_is_an_error, make_directory,
						remove_directory),
		cmocka_unit_test_setup_teardown(what_lies_beside_the_file_is_not_looked_at,
						make_directory, remove_directory),
		cmocka_unit_test_setup_teardown(names_that_mean_something_to_sqlite_are_names,
						make_directory, remove_directory),
		cmocka_unit_test_setup_teardown(appending_to_a_damaged_file_leaves_it,
						make_directory, remove_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
