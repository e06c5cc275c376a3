// SPDX-License-Identifier: GPL-2.0-only
/* Several snapshots written in one go: each is what it was, and what is the same is stored once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "store-files.h"
#include "store-fill.h"
#include "store/schema.h"

enum { STACKS = 3000, MOMENTS = 40 };

/* The counts by stack of one moment, as show_handles has them. */
static void add_moment(struct kmp_ledger *ledger, unsigned moment, struct filled *f)
{
	*f = (struct filled){ .ledger = ledger, .cap = STACKS + MOMENTS };
	f->pages = calloc(f->cap, sizeof(*f->pages));
	assert_non_null(f->pages);
	/* New stacks come first; some are gone for a while; few change. */
	for (unsigned i = STACKS + moment; i-- > 0;) {
		struct kmp_stack stack = { KMP_NONE, i + 1, true };
		struct kmp_page page = {
			.pfn = KMP_UNKNOWN,
			.block = KMP_UNKNOWN,
			.ts = KMP_UNKNOWN,
			.free_ts = KMP_UNKNOWN,
			.pages = i * 7 % 100000 + (i % 50 == moment % 50 ? moment : 0),
			.task = KMP_NONE,
			.gfp = KMP_NONE,
			.flags = KMP_NONE,
			.charge = KMP_NONE,
			.type = KMP_NONE,
			.block_type = KMP_NONE,
			.reason = KMP_NONE,
			.extra = KMP_NONE,
			.form = KMP_FORM_HANDLE,
		};

		if (i % 97 == 3 && moment % 3 == 1)
			continue;
		assert_no_error(kmp_ledger_add_stack(ledger, &stack, &page.stack));
		f->pages[f->count++] = page;
	}
}

static void put(struct kmp_store *store, const struct filled *f)
{
	struct kmp_sink sink = kmp_store_sink(store);

	assert_no_error(sink.pages(sink.arg, f->ledger, f->pages, f->count));
}

static int64_t size_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

static void each_moment_is_found_again(void **state)
{
	const char *path = test_path("a.kmp");
	struct filled moments[MOMENTS], one;
	struct kmp_ledger *ledger;
	struct kmp_store *store;

	assert_no_error(kmp_ledger_create(&ledger));
	assert_no_error(kmp_store_create(path, false, &store));
	for (unsigned i = 0; i < MOMENTS; i++) {
		add_moment(ledger, i, &moments[i]);
		put(store, &moments[i]);
		assert_no_error(kmp_store_next(store, ledger));
		assert_int_equal(access(path, F_OK), -1);
	}
	assert_no_error(kmp_store_commit(store, NULL));
	assert_int_equal(query(path, "SELECT count(*) FROM snapshot"), MOMENTS);
	assert_int_equal(query(path, "SELECT count(*) FROM owner"), STACKS + MOMENTS - 1);
	assert_int_equal(query(path, "SELECT count(*) FROM stack"), STACKS + MOMENTS - 1);
	for (unsigned i = 0; i < MOMENTS; i++) {
		assert_no_error(load(&one, path, i + 1, KMP_COLUMN_ALL));
		assert_same_pages(&moments[i], &one);
		filled_deinit(&one);
		assert_no_error(load(&one, path, i + 1, KMP_COLUMN_STACK));
		assert_same_sums(&moments[i], &one, KMP_COLUMN_STACK);
		filled_deinit(&one);
	}
	/* Many moments take little more than one. */
	assert_no_error(save(&moments[MOMENTS - 1], test_path("one.kmp"), false));
	assert_true(size_of(path) < 4 * size_of(test_path("one.kmp")));
	for (unsigned i = 0; i < MOMENTS; i++)
		free(moments[i].pages);
	kmp_ledger_destroy(ledger);
}

/* What has many records of an owner has rows of its own, as before. */
static void records_and_counts_alternate(void **state)
{
	const char *path = test_path("b.kmp");
	struct filled a, b, c, one;
	struct kmp_ledger *ledger;
	struct kmp_store *store;

	fill_style(&a, 5, 4000, FILL_KERNEL);
	fill_style(&b, 6, 300, FILL_WILD);
	assert_no_error(kmp_ledger_create(&ledger));
	add_moment(ledger, 3, &c);
	const struct filled *order[] = { &c, &c, &a, &a, &c, &b, &c, &c };
	enum { COUNT = sizeof(order) / sizeof(*order) };

	assert_no_error(save(&a, path, false));
	assert_no_error(kmp_store_create(path, true, &store));
	for (unsigned i = 0; i < COUNT; i++) {
		put(store, order[i]);
		if (i < COUNT - 1)
			assert_no_error(kmp_store_next(store, order[i]->ledger));
	}
	assert_no_error(kmp_store_commit(store, order[COUNT - 1]->ledger));
	for (unsigned i = 0; i <= COUNT; i++) {
		assert_no_error(load(&one, path, i + 1, KMP_COLUMN_ALL));
		assert_same(i ? order[i - 1] : &a, &one);
		filled_deinit(&one);
	}
	filled_deinit(&a);
	filled_deinit(&b);
	filled_deinit(&c);
}

static void a_handle_that_gets_its_stack_later(void **state)
{
	const char *path = test_path("c.kmp");
	struct filled first, second, one;
	struct kmp_ledger *ledger;
	struct kmp_store *store;
	uint32_t frame, trace, stack;

	assert_no_error(kmp_ledger_create(&ledger));
	assert_no_error(kmp_store_create(path, false, &store));
	add_moment(ledger, 0, &first);
	put(store, &first);
	assert_no_error(kmp_store_next(store, ledger));
	assert_no_error(kmp_ledger_add_text(ledger, KMP_DICT_FRAME, "f+0x1/0x2", 9, &frame));
	assert_no_error(kmp_ledger_add_trace(ledger, &frame, 1, &trace));
	assert_no_error(
		kmp_ledger_add_stack(ledger, &(struct kmp_stack){ trace, 8, true }, &stack));
	add_moment(ledger, 1, &second);
	put(store, &second);
	assert_no_error(kmp_store_commit(store, ledger));
	assert_no_error(load(&one, path, 1, KMP_COLUMN_ALL));
	stack = kmp_ledger_find_handle(one.ledger, 8);
	assert_int_equal(kmp_ledger_stack(one.ledger, stack)->trace, KMP_NONE);
	filled_deinit(&one);
	assert_no_error(load(&one, path, 2, KMP_COLUMN_ALL));
	assert_same(&second, &one);
	filled_deinit(&one);
	free(first.pages);
	filled_deinit(&second);
}

/* Packed as a whole: read, appended to, and refused when damaged. */
static void packed_files(void **state)
{
	const char *path = test_path("e.kmp");
	struct filled a, one;
	struct kmp_ledger *ledger;
	struct kmp_store *store;

	assert_no_error(kmp_ledger_create(&ledger));
	add_moment(ledger, 1, &a);
	for (int i = 0; i < 2; i++) {
		assert_no_error(kmp_store_create(path, i, &store));
		if (!i)
			kmp_store_pack(store);
		put(store, &a);
		assert_no_error(kmp_store_commit(store, ledger));
		assert_true(kmp_store_probe(path));
		assert_no_error(load(&one, path, i + 1, KMP_COLUMN_ALL));
		assert_same(&a, &one);
		filled_deinit(&one);
	}
	assert_no_error(save(&a, test_path("plain.kmp"), false));
	assert_true(size_of(path) < size_of(test_path("plain.kmp")));
	filled_deinit(&a);

	FILE *f = fopen(path, "r+e");
	char bytes[1 << 16];

	assert_non_null(f);
	size_t len = fread(bytes, 1, sizeof(bytes), f);

	/* Any byte changed, any end cut off. */
	for (size_t at = 4; at < len; at += len / 200 + 1) {
		char old = bytes[at];

		for (int cut = 0; cut < 2; cut++) {
			bytes[at] ^= cut ? 0 : 0x55;
			rewind(f);
			assert_int_equal(ftruncate(fileno(f), 0), 0);
			assert_int_equal(fwrite(bytes, 1, cut ? at : len, f), cut ? at : len);
			assert_int_equal(fflush(f), 0);
			struct kmp_error *err = load(&one, path, 0, KMP_COLUMN_ALL);

			assert_non_null(err);
			kmp_error_destroy(err);
			bytes[at] = old;
		}
	}
	fclose(f);
}

static void nothing_to_keep(void **state)
{
	struct kmp_store *store;
	struct kmp_error *err;

	assert_no_error(kmp_store_create(test_path("d.kmp"), false, &store));
	err = kmp_store_commit(store, NULL);
	assert_non_null(err);
	assert_int_equal(err->kind, KMP_ERROR_USAGE);
	kmp_error_destroy(err);
	assert_int_equal(files_in_test_directory(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_directory, remove_directory)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_moment_is_found_again),
		TEST(records_and_counts_alternate),
		TEST(a_handle_that_gets_its_stack_later),
		TEST(packed_files),
		TEST(nothing_to_keep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
