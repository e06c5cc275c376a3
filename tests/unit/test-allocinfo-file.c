// SPDX-License-Identifier: GPL-2.0-only
/* allocinfo over tags in memory: the text of the 7.3 kernel comes out again. */
#include "tags-file.h"

static char *read_all(struct kmp_tags_file *file, size_t piece, size_t *len)
{
	char *text = malloc(TEXT_MAX + piece);
	int64_t got;

	for (*len = 0; *len < TEXT_MAX; *len += (size_t)got) {
		got = kmp_tags_read(file, text + *len, piece, *len);
		assert_in_range(got, 0, piece);
		if (!got)
			break;
	}
	text[*len] = '\0';
	return text;
}

static void the_text_is_the_kernels(void **state)
{
	static const size_t pieces[] = { 1, 99, 4096, 65536, 100000, 1 << 20 };

	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		struct kmp_tags_file *file = open_tags(fix->tags);
		size_t len;
		char *text = read_all(file, pieces[i], &len);

		assert_int_equal(len, fix->len);
		assert_memory_equal(text, fix->text, len);
		free(text);
		kmp_tags_close(file);
	}
}

static void reads_anywhere_agree(void **state)
{
	struct kmp_tags_file *file = open_tags(fix->tags);
	char *buf = malloc(fix->len);
	uint64_t seed = 1;

	for (int i = 0; i < 500; i++) {
		seed = seed * 6364136223846793005 + 1442695040888963407;
		size_t offset = (size_t)(seed >> 33) % fix->len;
		size_t size = i % 7 ? (size_t)(seed >> 20) % 9000 : fix->len;
		size_t want = size < fix->len - offset ? size : fix->len - offset;

		assert_int_equal(kmp_tags_read(file, buf, size, offset), want);
		assert_memory_equal(buf, fix->text + offset, want);
	}
	assert_int_equal(kmp_tags_read(file, buf, 10, fix->len), 0);
	assert_int_equal(kmp_tags_read(file, buf, 10, UINT64_MAX), 0);
	assert_int_equal(kmp_tags_read(file, buf, 10, UINT64_MAX - 5), 0);
	assert_int_equal(kmp_tags_read(file, buf, 0, 0), 0);
	assert_int_equal(kmp_tags_read(file, buf, 10, fix->len - 1), 1);
	free(buf);
	kmp_tags_close(file);
}

static void expect_text(const char *input, const char *want)
{
	struct kmp_tags *tags = make(read_string(input));
	struct kmp_tags_file *file = open_tags(tags);
	size_t len;
	char *text = read_all(file, 65536, &len);

	assert_string_equal(text, want);
	free(text);
	kmp_tags_close(file);
	kmp_tags_destroy(tags);
}

#define HEADER "allocinfo - version: 2.0\n#     <size>  <calls> <tag info>\n"

static void other_forms_become_version_2(void **state)
{
	expect_text(
		"allocinfo - version: 1.0\n#     <size>  <calls> <tag info>\n"
		"       14080       55 lib/maple_tree.c:1062 func:mas_pop_node \n",
		HEADER "       14080       55 lib/maple_tree.c:1062 func:mas_pop_node \n");
	expect_text("4132864 1009 drivers/x/y.c:20 [ctagmod] func:ctagmod_start accurate:no\n",
		    HEADER
		    "     4132864     1009 drivers/x/y.c:20 [ctagmod] func:ctagmod_start "
		    "accurate:no \n");
	/* Sizes have a sign, calls have none; columns grow. */
	expect_text("-4096 -1 a.c:1 func:f\n9223372036854775807 123456789 a.c:2 func:f\n", HEADER
		    "       -4096 18446744073709551615 a.c:1 func:f \n"
		    "9223372036854775807 123456789 a.c:2 func:f \n");
	expect_text("1 1 a.c:1 func:f accurate:no node:0 20\n",
		    HEADER "           1        1 a.c:1 func:f accurate:no node:0 \n");
}

static void version_1_keeps_its_rows(void **state)
{
	size_t want_len, len;
	char *want = load("captures/linux-6.12/allocinfo.xz", &want_len);
	struct kmp_tags *tags = make(read_allocinfo("captures/linux-6.12/allocinfo.xz"));
	struct kmp_tags_file *file = open_tags(tags);
	char *text = read_all(file, 4096, &len);

	assert_non_null(strstr(want, "version: 1.0"));
	memcpy(strstr(want, "1.0"), "2.0", 3);
	assert_int_equal(len, want_len);
	assert_memory_equal(text, want, len);
	free(text);
	free(want);
	kmp_tags_close(file);
	kmp_tags_destroy(tags);
}

static void no_tags_are_a_header(void **state)
{
	struct kmp_allocinfo_tag_data data;
	struct kmp_tags *tags;
	struct kmp_tags_file *file;
	size_t len;

	assert_null(kmp_tags_create_empty(224, &tags));
	file = open_tags(tags);
	char *text = read_all(file, 7, &len);

	assert_string_equal(text, HEADER);
	assert_int_equal(kmp_tags_ioctl(file, KMP_ALLOCINFO_IOC_GET_NEXT, &data), -ENOENT);
	free(text);
	kmp_tags_close(file);
	kmp_tags_destroy(tags);
}

/* Whoever starts anew sees new figures; whoever goes on sees them from the next piece on. */
static void figures_are_those_of_the_moment(void **state)
{
	struct kmp_tags *tags = make(read_string("1 1 a.c:1 func:f\n2 1 a.c:2 func:f\n"));
	struct kmp_tags_file *file = open_tags(tags);
	char line[64] = "";
	size_t head = strlen(HEADER);

	assert_int_equal(kmp_tags_read(file, line, 12, head), 12);
	assert_string_equal(line, "           1");
	kmp_tags_charge(tags, 0, 0, 41, 0);
	assert_int_equal(kmp_tags_read(file, line, 12, head), 12);
	assert_string_equal(line, "           1");
	assert_int_equal(kmp_tags_read(file, line, 1, 0), 1);
	assert_int_equal(kmp_tags_read(file, line, 12, head), 12);
	assert_string_equal(line, "          42");
	kmp_tags_close(file);
	kmp_tags_destroy(tags);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_is_the_kernels),
		cmocka_unit_test(reads_anywhere_agree),
		cmocka_unit_test(other_forms_become_version_2),
		cmocka_unit_test(version_1_keeps_its_rows),
		cmocka_unit_test(no_tags_are_a_header),
		cmocka_unit_test(figures_are_those_of_the_moment),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
