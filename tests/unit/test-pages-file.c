// SPDX-License-Identifier: GPL-2.0-only
/* page_owner over pages in memory: what the 7.3 kernel printed comes out again, by any filter. */
#include <errno.h>
#include <sys/types.h>

#include "po-read.h"

static const char capture[] = "captures/linux-7.3/page_owner.stack_handle.xz";

struct fixture {
	struct kmp_ledger *ledger;
	struct kmp_pages *pages;
	char *text; /* what the kernel printed */
	size_t len;
};

static struct fixture *fix;

static int set_up(void **state)
{
	const struct kmp_source_options options = { .threads = 1 };
	struct kmp_input *input;

	fix = calloc(1, sizeof(*fix));
	fix->text = load_data(capture, &fix->len);
	assert_null(kmp_ledger_create(&fix->ledger));
	assert_null(kmp_pages_create(fix->ledger, &fix->pages));
	struct kmp_sink sink = kmp_pages_sink(fix->pages);

	assert_null(kmp_input_create_memory(fix->text, fix->len, &input));
	assert_null(kmp_po_read(input, fix->ledger, &sink, &options));
	kmp_input_destroy(input);
	assert_null(kmp_pages_finish(fix->pages));
	return 0;
}

static int tear_down(void **state)
{
	kmp_pages_destroy(fix->pages);
	kmp_ledger_destroy(fix->ledger);
	free(fix->text);
	free(fix);
	return 0;
}

static struct kmp_pages_file *open_file(const char *filter)
{
	struct kmp_pages_file *file;

	assert_null(kmp_pages_open(fix->pages, &file));
	if (filter)
		assert_int_equal(kmp_pages_write(file, filter, strlen(filter)), strlen(filter));
	return file;
}

/* All that a filter gives, read in pieces of this size. */
static char *read_all(const char *filter, size_t piece, size_t *len)
{
	struct kmp_pages_file *file = open_file(filter);
	char *text = malloc(fix->len + piece);
	uint64_t pfn = 0;
	int64_t got;

	*len = 0;
	while ((got = kmp_pages_read(file, &pfn, text + *len, piece)) > 0)
		*len += (size_t)got;
	assert_int_equal(got, 0);
	kmp_pages_close(file);
	return text;
}

/* The kernel's text without some lines and without the records of some nodes. */
static char *expected(bool frames, bool handles, const char *node, size_t *len)
{
	char *want = malloc(fix->len);
	const char *end = fix->text + fix->len;

	*len = 0;
	for (const char *record = fix->text; record < end;) {
		const char *stop =
			(const char *)memmem(record, (size_t)(end - record), "\n\n", 2) + 2;
		bool wanted = !node || memmem(record, (size_t)(stop - record), node, strlen(node));

		while (record < stop) {
			const char *next =
				(const char *)memchr(record, '\n', (size_t)(end - record)) + 1;
			bool is_handle = !memcmp(record, "handle: ", 8);

			if (wanted && (*record != ' ' || frames) && (!is_handle || handles)) {
				memcpy(want + *len, record, (size_t)(next - record));
				*len += (size_t)(next - record);
			}
			record = next;
		}
	}
	return want;
}

static void every_filter_prints_what_the_kernel_would(void **state)
{
	static const struct {
		const char *filter;
		bool frames, handles;
		const char *node;
	} cases[] = {
		{ NULL, true, false, NULL },
		{ "mode=stack_handle", true, true, NULL },
		{ "mode=handle", false, true, NULL },
		{ "mode=handle nid=1", false, true, "node=1|" },
		{ "nid=0", true, false, "node=0|" },
		{ "mode=stack_handle\nnid=0-1\n", true, true, NULL },
	};
	static const size_t pieces[] = { 2000, 4096, 131072, 1 << 20 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t want_len, len;
		char *want = expected(cases[i].frames, cases[i].handles, cases[i].node, &want_len);

		for (size_t n = 0; n < sizeof(pieces) / sizeof(*pieces); n++) {
			char *text = read_all(cases[i].filter, pieces[n], &len);

			assert_int_equal(len, want_len);
			assert_memory_equal(text, want, len);
			free(text);
		}
		free(want);
	}
}

static void writes_are_answered_as_by_the_kernel(void **state)
{
	static const struct {
		const char *text;
		size_t len; /* 0: strlen() */
		int64_t answer;
	} cases[] = {
		{ "mode=stack", 0, 10 },
		{ "mode=handle", 0, 11 },
		{ "mode=stack_handle", 0, 17 },
		{ "mode=handle\n", 0, 12 },
		{ " mode=handle  nid=1\n", 0, 20 },
		{ "nid=1\nmode=handle\n", 0, 18 },
		{ "mode=HANDLE", 0, -EINVAL },
		{ "mode=", 0, -EINVAL },
		{ "mode=stac", 0, -EINVAL },
		{ "mode=handle mode=stack", 0, 22 },
		{ "nid=0", 0, 5 },
		{ "nid=1", 0, 5 },
		{ "nid=0,1", 0, 7 },
		{ "nid=0-1", 0, 7 },
		{ "nid=0-1,1", 0, 9 },
		{ "nid=", 0, -EINVAL },
		{ "nid=2", 0, -EINVAL },
		{ "nid=1-0", 0, -EINVAL },
		{ "nid=-1", 0, -EINVAL },
		{ "nid=0-", 0, -EINVAL },
		{ "nid=a", 0, -EINVAL },
		{ "nid=all", 0, -EINVAL },
		{ "nid=0-1:1/2", 0, 11 },
		{ "nid=N", 0, -EINVAL },
		{ "nid=0x1", 0, -EINVAL },
		{ "nid=01", 0, 6 },
		{ "nid= 1", 0, -EINVAL },
		{ "foo", 0, -EINVAL },
		{ "mode=handle foo", 0, -EINVAL },
		{ "nid=1 nid=0", 0, 11 },
		{ " ", 0, 1 },
		{ "\n\n", 0, 2 },
		{ "mode=handle,nid=1", 0, -EINVAL },
		{ "nid=,1", 0, 6 },
		{ "nid=1,", 0, 6 },
		{ "nid=99999999999", 0, -EOVERFLOW },
		{ "mode=handle\0nid=1", 17, 17 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct kmp_pages_file *file = open_file(NULL);
		size_t len = cases[i].len ? cases[i].len : strlen(cases[i].text);

		assert_int_equal(kmp_pages_write(file, cases[i].text, len), cases[i].answer);
		kmp_pages_close(file);
	}
}

static void the_longest_write_is_416_bytes(void **state)
{
	struct kmp_pages_file *file = open_file(NULL);
	char text[418];

	memset(text, ' ', sizeof(text));
	assert_int_equal(kmp_pages_write(file, text, 416), 416);
	assert_int_equal(kmp_pages_write(file, text, 417), -EINVAL);
	kmp_pages_close(file);
}

static void a_bad_word_changes_nothing(void **state)
{
	struct kmp_pages_file *file = open_file("mode=handle nid=1");
	char buf[4096];
	uint64_t pfn = 0;

	assert_int_equal(kmp_pages_write(file, "mode=stack foo", 14), -EINVAL);
	int64_t got = kmp_pages_read(file, &pfn, buf, 400);

	assert_in_range(got, 1, 400);
	assert_non_null(memmem(buf, (size_t)got, "node=1|", 7));
	assert_non_null(memmem(buf, (size_t)got, "\nhandle: ", 9));
	assert_null(memmem(buf, (size_t)got, "\n ", 2));
	/* Changed in mid-read: it holds from the next record on. */
	assert_int_equal(kmp_pages_write(file, "mode=stack", 10), 10);
	got = kmp_pages_read(file, &pfn, buf, 2000);
	assert_in_range(got, 1, 2000);
	assert_non_null(memmem(buf, (size_t)got, "node=1|", 7));
	assert_non_null(memmem(buf, (size_t)got, "\n ", 2));
	kmp_pages_close(file);
}

static void small_buffers_get_enomem_and_positions_are_pfns(void **state)
{
	struct kmp_pages_file *file = open_file("mode=handle");
	char buf[4096];
	uint64_t pfn = 0;

	for (size_t size = 1; size <= 128; size *= 2)
		assert_int_equal(kmp_pages_read(file, &pfn, buf, size), -ENOMEM);
	assert_int_equal(pfn, 0);
	pfn = 5000;
	assert_in_range(kmp_pages_read(file, &pfn, buf, sizeof(buf)), 1, sizeof(buf));
	assert_true(strncmp(strstr(buf, "PFN 0x"), "PFN 0x1388 ", 11) >= 0);
	pfn = UINT64_MAX - 1;
	assert_int_equal(kmp_pages_read(file, &pfn, buf, sizeof(buf)), 0);
	kmp_pages_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_filter_prints_what_the_kernel_would),
		cmocka_unit_test(writes_are_answered_as_by_the_kernel),
		cmocka_unit_test(the_longest_write_is_416_bytes),
		cmocka_unit_test(a_bad_word_changes_nothing),
		cmocka_unit_test(small_buffers_get_enomem_and_positions_are_pfns),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
