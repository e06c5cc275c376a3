// SPDX-License-Identifier: GPL-2.0-only
/* CSV and folded stacks; CSV is read back by a reader of RFC 4180 that accepts nothing else. */
#include "view-samples.h"

struct record {
	char fields[16][256];
	size_t count;
};

/* Read one record; returns what follows it. */
static const char *read_record(const char *p, struct record *record)
{
	record->count = 0;
	for (;;) {
		assert_true(record->count < COUNT(record->fields));
		char *to = record->fields[record->count++];

		if (*p == '"') {
			for (p++; *p != '"' || p[1] == '"'; p++) {
				assert_int_not_equal(*p, '\0');
				*to++ = *p;
				p += *p == '"';
			}
			p++;
		} else {
			while (*p != ',' && *p != '\r') {
				assert_true(*p && *p != '"' && *p != '\n');
				*to++ = *p++;
			}
		}
		*to = '\0';
		if (*p == '\r')
			break;
		assert_int_equal(*p, ',');
		p++;
	}
	assert_int_equal(p[1], '\n');
	return p + 2;
}

static void expect_record(const char **at, const char *const *fields)
{
	struct record record;
	size_t i = 0;

	*at = read_record(*at, &record);
	for (; fields[i]; i++) {
		assert_true(i < record.count);
		assert_string_equal(record.fields[i], fields[i]);
	}
	assert_int_equal(i, record.count);
}

#define EXPECT(at, ...) expect_record(&(at), (const char *const[]){ __VA_ARGS__, NULL })

static void page_owners(void **state)
{
	struct kmp_group rows[5];
	struct kmp_groups groups = sample_pages(rows);
	struct kmp_error *err;
	char *text = view_text(&groups, &(struct kmp_view){ .format = KMP_FORMAT_CSV }, &err);
	const char *at = text;

	assert_null(err);
	EXPECT(at, "comm", "stack", "records", "pages", "bytes", "ts_first", "ts_last",
	       "approximate", "note");
	EXPECT(at, "nginx",
	       "post_alloc_hook+0x6a/0x91;xfs_buf_alloc+0x1/0x2 [xfs];vfs_write+0xa/0xb", "6",
	       "600", "2457600", "5", "90", "0", "");
	EXPECT(at, "new\n\"line\"", "do_thing+0x1/0x2;vfs_write+0xc/0xd", "1", "300", "1228800", "",
	       "", "0", "a, note");
	EXPECT(at, "caf\xe9", "handle 123", "2", "60", "245760", "", "", "1", "");
	EXPECT(at, "h\xc3\xa9llo \xe6\x97\xa5", "", "3", "30", "122880", "", "", "0", "");
	EXPECT(at, "", "handle 7", "1", "10", "40960", "", "", "0", "");
	assert_string_equal(at, "");
	free(text);
}

static void what_is_not_told_is_no_empty_text(void **state)
{
	static const char *const keys[] = { "comm", "memcg" };
	static const struct kmp_value key[] = { TEXT(""), NONE };
	struct kmp_group row = { .key = key, .now = PAGES(0, 2), NO_TIME };
	struct kmp_groups groups = {
		.keys = keys, .key_count = 2, .groups = &row, .count = 1, .records_unknown = true
	};

	expect_view(&groups, (struct kmp_view){ .format = KMP_FORMAT_CSV },
		    "comm,memcg,records,pages,bytes,ts_first,ts_last,approximate,note\r\n"
		    "\"\",,,2,8192,,,0,\r\n");
}

static void tags(void **state)
{
	struct kmp_group rows[3];
	struct kmp_groups groups = sample_tags(rows);

	expect_view(
		&groups, (struct kmp_view){ .format = KMP_FORMAT_CSV },
		"file,line,module,function,bytes,calls,locations,inaccurate,approximate,note\r\n"
		"mm/slub.c,3059,\"\",alloc_slab_page,1638400,100,1,0,0,\r\n"
		"drivers/net/ice/ice_txrx.c,681,ice,ice_alloc_mapped_page,40960,10,1,1,0,"
		"rounded\r\n"
		"fs/dcache.c,12,\"\",d_alloc,-192,-1,1,0,0,\r\n");
}

static void a_difference(void **state)
{
	struct kmp_group rows[4];
	struct kmp_groups groups = sample_difference(rows);

	expect_view(&groups, (struct kmp_view){ .format = KMP_FORMAT_CSV, .limit = 4 },
		    "order,records,records_before,pages,pages_before,delta,bytes,bytes_before,"
		    "unknown,approximate,note\r\n"
		    "0,20,10,20,10,10,81920,40960,0,0,\r\n"
		    "3,1,1,8,8,0,32768,32768,0,0,\r\n"
		    "9,1,2,512,1024,-512,2097152,4194304,0,0,\r\n"
		    "4,1,,16,,,65536,,1,0,\r\n");
}

static void folded_page_owners(void **state)
{
	struct kmp_group rows[5];
	struct kmp_groups groups = sample_pages(rows);

	expect_view(&groups, (struct kmp_view){ .format = KMP_FORMAT_FOLDED },
		    "caf\\xe9;handle_123 245760\n"
		    "comm -;handle_7 40960\n"
		    "héllo 日;stack - 122880\n"
		    "new\\n\"line\";vfs_write;do_thing 1228800\n"
		    "nginx;vfs_write;xfs_buf_alloc [xfs];post_alloc_hook 2457600\n");
}

static void folded_lines_that_are_equal_add_up(void **state)
{
	static const char *const keys[] = { "stack" };
	static const char *const a[] = { "x+0x1/0x9", "y;z+0x1/0x9" };
	static const char *const b[] = { "x+0x2/0x9", "y;z+0x2/0x9" };
	static const char *const c[] = { "+0x2/0x9", "odd+0x/0x9", "0xffffffff81000000" };
	static const struct kmp_value key[] = { STACK(a), STACK(b), STACK(c) };
	struct kmp_group rows[] = {
		{ .key = &key[0], .now = PAGES(1, 1), .before = PAGES(1, 4), NO_TIME },
		{ .key = &key[2], .now = PAGES(1, 1), NO_TIME },
		{ .key = &key[1], .now = PAGES(1, 2), NO_TIME },
	};
	struct kmp_groups groups = { .keys = keys, .key_count = 1, .groups = rows, .count = 3 };

	expect_view(&groups, (struct kmp_view){ .format = KMP_FORMAT_FOLDED },
		    "0xffffffff81000000;odd+0x/0x9;+0x2/0x9 4096\n"
		    "y:z;x 12288\n");
	groups.difference = true;
	expect_view(&groups, (struct kmp_view){ .format = KMP_FORMAT_FOLDED },
		    "0xffffffff81000000;odd+0x/0x9;+0x2/0x9 0 4096\n"
		    "y:z;x 16384 12288\n");
	groups.count = 0;
	expect_view(&groups, (struct kmp_view){ .format = KMP_FORMAT_FOLDED }, "");
}

static void folded_tags(void **state)
{
	struct kmp_group rows[3];
	struct kmp_groups groups = sample_tags(rows);

	expect_view(&groups, (struct kmp_view){ .format = KMP_FORMAT_FOLDED },
		    "drivers;net;ice;ice_txrx.c;ice_alloc_mapped_page:681 [ice] 40960\n"
		    "mm;slub.c;alloc_slab_page:3059 1638400\n");
}

static void folded_needs_a_stack(void **state)
{
	struct kmp_group rows[4];
	struct kmp_groups groups = sample_difference(rows);

	expect_usage(&groups, KMP_FORMAT_FOLDED);
	expect_usage(&groups, KMP_FORMAT_SVG);
}

static void formats_have_names(void **state)
{
	static const char *const names[] = { "table", "json", "csv", "folded", "svg" };
	enum kmp_format format;

	for (size_t i = 0; i < COUNT(names); i++) {
		assert_null(kmp_format_parse(names[i], &format));
		assert_int_equal(format, i);
	}
	struct kmp_error *err = kmp_format_parse("yaml", &format);
	assert_non_null(err);
	assert_int_equal(err->kind, KMP_ERROR_USAGE);
	assert_non_null(strstr(err->message, "'yaml'"));
	kmp_error_destroy(err);
}

static void a_full_disk_is_an_error(void **state)
{
	struct kmp_group rows[5];
	struct kmp_groups groups = sample_pages(rows);

	for (int format = KMP_FORMAT_TABLE; format <= KMP_FORMAT_SVG; format++) {
		FILE *out = fopen("/dev/full", "w");
		struct kmp_error *err =
			kmp_groups_write(&groups, out, &(struct kmp_view){ .format = format });

		assert_non_null(err);
		assert_int_equal(err->kind, KMP_ERROR_SYSTEM);
		assert_int_not_equal(err->errnum, 0);
		kmp_error_destroy(err);
		fclose(out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_owners),
		cmocka_unit_test(what_is_not_told_is_no_empty_text),
		cmocka_unit_test(tags),
		cmocka_unit_test(a_difference),
		cmocka_unit_test(folded_page_owners),
		cmocka_unit_test(folded_lines_that_are_equal_add_up),
		cmocka_unit_test(folded_tags),
		cmocka_unit_test(folded_needs_a_stack),
		cmocka_unit_test(formats_have_names),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
