// SPDX-License-Identifier: GPL-2.0-only
/* Columns that were added to groups: in tables, CSV, JSON, and the order by them. */
#include "view-samples.h"

static const struct kmp_extra extras[] = { { .name = "hosts" },
					   { .name = "worst_host" },
					   { .name = "worst_bytes", .size = true } };
static const struct kmp_value extras_of[][3] = {
	{ NUMBER(2), TEXT("web\n1"), NUMBER(4096) },
	{ NUMBER(10), TEXT("caf\xe9"), NUMBER(8192) },
	{ NUMBER(3), NONE, NONE },
	{ NUMBER(1), TEXT("db,1"), NUMBER(1) },
};

static struct kmp_groups with_extras(struct kmp_group rows[4])
{
	struct kmp_groups groups = sample_difference(rows);

	for (size_t i = 0; i < groups.count; i++)
		rows[i].extras = extras_of[i];
	groups.extras = extras;
	groups.extra_count = COUNT(extras);
	return groups;
}

static void a_table(void **state)
{
	struct kmp_group rows[4];
	struct kmp_groups groups = with_extras(rows);

	expect_view(&groups, (struct kmp_view){ .limit = 2 },
		    "before: old.txt: page_owner: 13 records, 1042 pages, 4.1 MiB\n"
		    "now:    dump.txt: page_owner, mode stack, Linux 7.3.4: 23 records, "
		    "556 pages, 2.2 MiB\n"
		    "\n"
		    "    DELTA       NOW    BEFORE  PAGES  RECORDS  HOSTS  WORST_BYTES  "
		    "WORST_HOST  ORDER\n"
		    "+40.0 KiB  80.0 KiB  40.0 KiB    +10      +10      2      4.0 KiB  "
		    "web\\n1      0\n"
		    "      0 B  32.0 KiB  32.0 KiB      0        0     10      8.0 KiB  "
		    "caf\\xe9     3\n"
		    "… 2 more groups: -1.9 MiB\n"
		    " -1.9 MiB   2.2 MiB   4.1 MiB   -486      +10                      "
		    "total\n");
}

static void csv(void **state)
{
	struct kmp_group rows[4];
	struct kmp_groups groups = with_extras(rows);

	groups.count = 2;
	expect_view(&groups, (struct kmp_view){ .format = KMP_FORMAT_CSV },
		    "order,records,records_before,pages,pages_before,delta,bytes,bytes_before,"
		    "unknown,approximate,note,hosts,worst_host,worst_bytes\r\n"
		    "0,20,10,20,10,10,81920,40960,0,0,,2,\"web\n1\",4096\r\n"
		    "3,1,1,8,8,0,32768,32768,0,0,,10,caf\xe9,8192\r\n");
}

static void json(void **state)
{
	struct kmp_group rows[4];
	struct kmp_groups groups = with_extras(rows);
	struct kmp_error *err;
	char *text = view_text(&groups, &(struct kmp_view){ .format = KMP_FORMAT_JSON }, &err);

	assert_null(err);
	assert_non_null(strstr(text,
			       "      \"hosts\": 2,\n"
			       "      \"worst_host\": \"web\\n1\",\n"
			       "      \"worst_bytes\": 4096\n"));
	assert_non_null(strstr(text, "\"worst_host\": \"caf\\u00e9\""));
	assert_non_null(strstr(text, "\"worst_host\": null"));
	free(text);
}

static void order(void **state)
{
	struct kmp_group rows[4];
	struct kmp_groups groups = with_extras(rows);

	assert_null(kmp_groups_sort(&groups, "hosts"));
	assert_int_equal(groups.groups[0].extras[0].number, 10);
	assert_int_equal(groups.groups[3].extras[0].number, 1);
	assert_null(kmp_groups_sort(&groups, "-hosts"));
	assert_int_equal(groups.groups[0].extras[0].number, 1);
	assert_null(kmp_groups_sort(&groups, "worst_host"));
	assert_string_equal(groups.groups[0].extras[1].text, "caf\xe9");
	assert_int_equal(groups.groups[3].extras[1].kind, KMP_VALUE_NONE);
	struct kmp_error *err = kmp_groups_sort(&groups, "host");

	assert_non_null(err);
	assert_int_equal(err->kind, KMP_ERROR_USAGE);
	assert_non_null(strstr(err->message, "'hosts'"));
	kmp_error_destroy(err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table),
		cmocka_unit_test(csv),
		cmocka_unit_test(json),
		cmocka_unit_test(order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
