// SPDX-License-Identifier: GPL-2.0-only
/* Ledger files answer questions in SQL: those of docs/ledger-file.md, and by the view of stacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <sqlite3.h>

#include "store-fill.h"

static sqlite3 *open_db(const char *path)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	return db;
}

static char *read_document(void)
{
	char path[4096];
	char *text = calloc(1, 1 << 20);

	assert_non_null(getenv("DATA"));
	snprintf(path, sizeof(path), "%s/../../docs/ledger-file.md", getenv("DATA"));
	FILE *f = fopen(path, "r");

	assert_true(f && text);
	assert_true(fread(text, 1, (1 << 20) - 1, f) > 1000);
	fclose(f);
	return text;
}

/* How many rows a query gives; the sum of its column `pages` goes to *pages. */
static int rows(sqlite3 *db, const char *sql, int64_t *pages)
{
	sqlite3_stmt *stmt;
	int count = 0, rc;

	*pages = 0;
	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		count++;
		for (int i = 0; i < sqlite3_column_count(stmt); i++) {
			if (!strcmp(sqlite3_column_name(stmt, i), "pages"))
				*pages += sqlite3_column_int64(stmt, i);
		}
	}
	assert_int_equal(rc, SQLITE_DONE);
	sqlite3_finalize(stmt);
	return count;
}

/* Each query of the document from a heading on gives rows, to the next heading of its kind. */
static void ask_all(sqlite3 *db, const char *heading, int64_t total, int least)
{
	char *text = read_document();
	char *from = strstr(text, heading);
	char *next = from ? strstr(from + 1, "\n# ") : NULL;
	int64_t pages;
	int queries = 0;

	assert_non_null(from);
	if (next)
		*next = '\0';
	for (char *at = from; (at = strstr(at, "```sql\n")); queries++) {
		char *sql = at + strlen("```sql\n");
		char *end = strstr(sql, "```");

		assert_non_null(end);
		*end = '\0';
		at = end + 1;
		if (!rows(db, sql, &pages))
			fail_msg("no answer to: %s", sql);
		/* Of one snapshot or of both; by frames, a page counts more than once. */
		assert_true(pages >= 0 && (pages <= 2 * total || strstr(sql, "function")));
	}
	assert_true(queries >= least);
	free(text);
}

static void the_documents_queries_give_answers(void **state)
{
	const char *path = test_path("a.kmp");
	int64_t total;
	struct filled f;

	fill_style(&f, 4, 2000, FILL_KERNEL);
	assert_no_error(save(&f, path, false));
	assert_no_error(save(&f, path, true));
	sqlite3 *db = open_db(path);

	assert_int_equal(rows(db, "SELECT pages FROM snapshot WHERE id = 2", &total), 1);
	ask_all(db, "# The ledger file", total, 5);
	sqlite3_close(db);
	filled_deinit(&f);
}

static void so_do_those_of_histories(void **state)
{
	const char *path = test_path("h.kmp");
	struct kmp_history_writer *writer;
	int64_t total;
	struct filled f;

	fill_style(&f, 4, 2000, FILL_KERNEL);
	assert_no_error(kmp_history_create(path, NULL, &writer));
	for (size_t count = f.count / 2; count <= f.count; count += f.count / 2) {
		struct kmp_sink sink = kmp_history_sink(writer);

		assert_no_error(sink.pages(sink.arg, f.ledger, f.pages, count));
		assert_no_error(kmp_history_add(writer, f.ledger, NULL));
	}
	assert_no_error(kmp_history_end(writer));
	sqlite3 *db = open_db(path);

	assert_int_equal(rows(db, "SELECT pages FROM sample WHERE id = 2", &total), 1);
	ask_all(db, "\n# The history", total, 4);
	sqlite3_close(db);
	filled_deinit(&f);
}

static void sums_of_owners_are_those_of_the_pages(void **state)
{
	uint64_t by_order[64] = { 0 };
	struct filled f;
	sqlite3_stmt *stmt;

	fill_style(&f, 5, 3000, FILL_SUMS);
	for (size_t i = 0; i < f.count; i++)
		by_order[f.pages[i].order] += f.pages[i].pages;
	assert_no_error(save(&f, test_path("a.kmp"), false));
	sqlite3 *db = open_db(test_path("a.kmp"));

	assert_int_equal(sqlite3_prepare_v2(db,
					    "SELECT \"order\", sum(pages) FROM owner GROUP BY 1",
					    -1, &stmt, NULL),
			 SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		uint64_t *left = &by_order[sqlite3_column_int(stmt, 0)];

		*left -= (uint64_t)sqlite3_column_int64(stmt, 1);
	}
	sqlite3_finalize(stmt);
	for (int i = 0; i < 64; i++)
		assert_int_equal(by_order[i], 0);
	sqlite3_close(db);
	filled_deinit(&f);
}

/* So many frames that their ids pass the characters that are none. */
static struct kmp_ledger *ledger_of_many_frames(uint32_t count)
{
	struct kmp_ledger *ledger;
	char text[32];

	assert_no_error(kmp_ledger_create(&ledger));
	for (uint32_t i = 0; i < count; i++) {
		struct kmp_stack stack = { .trace = KMP_NONE };
		uint32_t number, frames[2];
		int n = snprintf(text, sizeof(text), "f%u", i);

		assert_no_error(
			kmp_ledger_add_text(ledger, KMP_DICT_FRAME, text, (size_t)n, &frames[0]));
		frames[1] = i / 2;
		assert_no_error(kmp_ledger_add_trace(ledger, frames, 2, &stack.trace));
		assert_no_error(kmp_ledger_add_stack(ledger, &stack, &number));
	}
	return ledger;
}

static void the_view_of_stacks_knows_each_frame(void **state)
{
	enum { COUNT = 66000 };
	struct filled f = { .ledger = ledger_of_many_frames(COUNT) }, g;
	sqlite3_stmt *stmt;
	int64_t seen = 0;

	assert_no_error(save(&f, test_path("a.kmp"), false));
	sqlite3 *db = open_db(test_path("a.kmp"));

	/* A stack's id is its number + 1 in a new file. */
	assert_int_equal(
		sqlite3_prepare_v2(db,
				   "SELECT stack, depth, function FROM stack_frame JOIN frame"
				   " ON id = frame",
				   -1, &stmt, NULL),
		SQLITE_OK);
	for (; sqlite3_step(stmt) == SQLITE_ROW; seen++) {
		char expected[32];
		uint32_t stack = (uint32_t)sqlite3_column_int64(stmt, 0) - 1;

		snprintf(expected, sizeof(expected), "f%u",
			 sqlite3_column_int(stmt, 1) == 1 ? stack : stack / 2);
		assert_string_equal(sqlite3_column_text(stmt, 2), expected);
	}
	assert_int_equal(seen, 2 * COUNT);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	assert_no_error(load(&g, test_path("a.kmp"), 0, KMP_COLUMN_ALL));
	assert_same(&f, &g);
	filled_deinit(&f);
	filled_deinit(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_documents_queries_give_answers, make_directory,
						remove_directory),
		cmocka_unit_test_setup_teardown(so_do_those_of_histories, make_directory,
						remove_directory),
		cmocka_unit_test_setup_teardown(sums_of_owners_are_those_of_the_pages,
						make_directory, remove_directory),
		cmocka_unit_test_setup_teardown(the_view_of_stacks_knows_each_frame, make_directory,
						remove_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
