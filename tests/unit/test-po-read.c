// SPDX-License-Identifier: GPL-2.0-only
/* Reading whole captures, and what happens to them on the way through editors, mail and logs. */
#include "po-read.h"

#define STACK  " a+0x1/0x2\n b+0x3/0x4 [mod]\n"
#define HEADER "Page allocated via order 1, mask 0xcc0(GFP_KERNEL), pid 7, tgid 8 (x), ts 5 ns\n"
#define PFN    "PFN 0x10 type Movable Block 0 type Movable Flags 0x4(referenced|node=0|zone=1)\n"
#define RECORD HEADER PFN STACK "\n"

static const char capture[] = "captures/linux-7.3/page_owner.stack.xz";

static void expect_capture(const struct kmp_ledger *l)
{
	expect_totals(l, 39447, 39447, 48900, 462);
	assert_int_equal(l->losses.cut, 0);
}

static void any_number_of_parsers_gives_the_same(void **state)
{
	static const unsigned threads[] = { 1, 2, 3, 8 };
	struct kmp_ledger *first = NULL;
	size_t len;
	char *text = load_data("captures/linux-7.3/page_owner.stack_handle.xz", &len);

	for (size_t i = 0; i < 4; i++) {
		struct kmp_ledger *l = read_bytes(text, len, threads[i]);

		expect_totals(l, 53962, 53962, 63430, 462);
		if (first) {
			for (size_t n = 0; n < l->pages.len; n++)
				assert_memory_equal(&l->pages.data[n], &first->pages.data[n],
						    offsetof(struct kmp_page, order));
			for (size_t n = 0; n < l->stacks.len; n++)
				assert_int_equal(l->stacks.data[n].handle,
						 first->stacks.data[n].handle);
			for (size_t n = 0; n < l->tasks.len; n++)
				assert_int_equal(l->tasks.data[n].pid, first->tasks.data[n].pid);
			for (uint32_t n = 0; n < l->dicts[KMP_DICT_FRAME].strings.len; n++)
				assert_string_equal(text_of(l, KMP_DICT_FRAME, n),
						    text_of(first, KMP_DICT_FRAME, n));
			kmp_ledger_destroy(l);
		} else {
			first = l;
		}
	}
	kmp_ledger_destroy(first);
	free(text);
}

static void carriage_returns_change_nothing(void **state)
{
	size_t len;
	char *text = load_data(capture, &len);
	char *crlf = malloc(len * 2);
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\n')
			crlf[n++] = '\r';
		crlf[n++] = text[i];
	}
	struct kmp_ledger *l = read_bytes(crlf, n, 2);

	expect_capture(l);
	kmp_ledger_destroy(l);
	free(crlf);
	free(text);
}

static void blanks_on_the_separator_change_nothing(void **state)
{
	size_t len;
	char *text = load_data(capture, &len);
	char *blank = malloc(len * 2);
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (i && text[i] == '\n' && text[i - 1] == '\n')
			blank[n++] = ' ';
		blank[n++] = text[i];
	}
	struct kmp_ledger *l = read_bytes(blank, n, 2);

	expect_capture(l);
	kmp_ledger_destroy(l);
	free(blank);
	free(text);
}

static void a_log_s_prefix_changes_nothing(void **state)
{
	static const char prefix[] = "[   30.988768] ";
	size_t len;
	char *text = load_data("captures/linux-6.12/page_owner.stack.xz", &len);
	char *log = malloc(len * 2);
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (!i || text[i - 1] == '\n') {
			memcpy(log + n, prefix, sizeof(prefix) - 1);
			n += sizeof(prefix) - 1;
		}
		log[n++] = text[i];
	}
	struct kmp_ledger *l = read_bytes(log, n, 2);

	expect_totals(l, 41485, 41485, 50682, 465);
	kmp_ledger_destroy(l);
	free(log);
	free(text);
}

static void the_last_empty_line_may_be_missing(void **state)
{
	struct kmp_ledger *l = read_string(RECORD HEADER PFN STACK);

	expect_totals(l, 2, 2, 4, 1);
	assert_int_equal(l->losses.cut, 0);
	kmp_ledger_destroy(l);
}

static void a_record_cut_by_the_end_is_counted_and_told(void **state)
{
	static const char text[] = RECORD RECORD;
	size_t second = sizeof(text) / 2;

	for (size_t cut = second + sizeof(HEADER); cut < sizeof(text) - 2; cut++) {
		struct kmp_ledger *l = read_bytes(text, cut, 1);

		assert_int_equal(sum_records(l) + l->losses.skipped, 2);
		if (text[cut - 1] != '\n')
			assert_int_equal(l->losses.cut + l->losses.skipped, 1);
		kmp_ledger_destroy(l);
	}
}

static void nuls_are_passed_over(void **state)
{
	static const char text[] = RECORD "\0\0\0" HEADER PFN
					  " a+0x1/\0"
					  "0x2\n b+0x3/0x4 [mod]\n\n";
	struct kmp_ledger *l = read_bytes(text, sizeof(text) - 1, 1);

	expect_totals(l, 2, 2, 4, 1);
	kmp_ledger_destroy(l);
}

static void log_lines_in_between_are_told_apart(void **state)
{
	struct kmp_ledger *l = read_string(
		"hello\n" RECORD HEADER "[   30.1] usb 1-1: new device\n" PFN
		" a+0x1/0x2\n[   30.2] eth0: link up\n b+0x3/0x4 [mod]\n\nworld\n" RECORD);

	expect_totals(l, 3, 3, 6, 1);
	assert_int_equal(l->warnings.len, 2);
	assert_string_equal(l->warnings.data[0],
			    "2 lines belong to no record (the first at line 1 "
			    "or after)");
	assert_string_equal(l->warnings.data[1], "2 log lines stood within records");
	kmp_ledger_destroy(l);
}

static void wrapped_and_joined_lines_are_put_right(void **state)
{
	struct kmp_ledger *l = read_string(
		"Page allocated via order 1, mask 0xcc0(GFP_KERNEL), pid 7,\n"
		"tgid 8 (x), ts 5 ns\n"
		"PFN 0x10 type Movable Block 0 type Movable\n"
		"Flags 0x4(referenced|node=0|zone=1)\n"
		" a+0x1/0x2 b+0x3/0x4 [mod]\n\n" RECORD);

	expect_totals(l, 2, 2, 4, 1);
	assert_int_equal(l->pages.data[0].task, l->pages.data[1].task);
	assert_int_equal(l->pages.data[0].flags, l->pages.data[1].flags);
	kmp_ledger_destroy(l);
}

static void a_newline_in_a_name_belongs_to_it(void **state)
{
	static const char *const names[] = { "new\nline",	 "\n",	    "\n\n\nx",
					     "), ts 5 ns\nPFN ", "PFN 0\n", "a\n PFN " };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char text[1000];
		int n = snprintf(
			text, sizeof(text),
			"Page allocated via order 0, mask 0xcc0(GFP_KERNEL), pid 7, tgid 8 "
			"(%s), ts 9 ns\n" PFN STACK "\n" RECORD,
			names[i]);
		struct kmp_ledger *l = read_bytes(text, (size_t)n, 1);

		expect_totals(l, 2, 2, 3, 1);
		assert_string_equal(comm_of(l, 0), names[i]);
		assert_int_equal(l->pages.data[0].ts, 9);
		kmp_ledger_destroy(l);
	}
}

/* Neighbours that differ in one thing or in none: each is printed as it was read. */
static void what_stands_next_to_a_record_changes_nothing(void **state)
{
	static const char *const heads[] = {
		"order 0, mask 0xcc0(GFP_KERNEL), pid 7, tgid 7 (x), ts %u ns\n",
		"order 0, mask 0xcc0(GFP_KERNEL), pid 7, tgid 7 (), ts 5 n), ts %u ns\n",
		"order 0, mask 0xcc0(GFP_KERNEL), pid 7, tgid 7 (x), ts 1%u ns, free_ts 2 ns\n",
		"order 0, mask 0xcc0(GFP_KERNEL), pid 7, ts %u ns\n",
	};
	static const char *const types[] = { "0x%x type Movable Block %u",
					     "%u type Movable Block %u",
					     "0x%x type Unmovable Block %u" };
	static const char *const tails[] = {
		" type Movable Flags 0x4(lru|node=0|zone=1)\nhandle: 5\n\n",
		" type Movable Flags 0x4(lru|node=0|zone=1)\nhandle: 5\nCharged to memcg /\n\n",
		" type Movable Flags 0x4(lru|node=0|zone=1)\nhandle: 55\n\n",
		" type Movable Flags 0x4(lru|node=0|zone=1)\n" STACK "handle: 5\n\n",
		" type CMA Flags 0x4(lru|node=0|zone=1)\nhandle: 5\n\n",
	};
	char *text = malloc(3000 * 512);
	char *printed = NULL;
	size_t len = 0;
	size_t printed_len = 0;
	size_t cap = 0;

	for (unsigned i = 0, rnd = 1; i < 3000; i++) {
		const char *formats[] = { "Page allocated via ", heads[rnd >> 20 & 3], "PFN ",
					  types[(rnd >> 22) % 3], tails[(rnd >> 24) % 5] };

		for (size_t n = 0; n < 5; n++)
			len += (size_t)sprintf(text + len, formats[n], i * 977, i / 512);
		/* Every other is as the one before. */
		if (i % 2)
			rnd = rnd * 1664525 + 1013904223;
	}
	struct kmp_ledger *l = read_bytes(text, len, 1);

	assert_int_equal(l->pages.len, 3000);
	for (size_t i = 0; i < 3000; i++)
		assert_null(kmp_page_print(l, &l->pages.data[i], KMP_MODE_AS_READ, &printed,
					   &printed_len, &cap));
	assert_int_equal(printed_len, len);
	assert_memory_equal(printed, text, len);
	kmp_ledger_destroy(l);
	free(printed);
	free(text);
}

static void what_cannot_be_read_is_counted_and_named(void **state)
{
	static const struct {
		const char *text;
		const char *reason;
		uint64_t line;
	} cases[] = {
		{ RECORD "Page allocated via order , mask 0x1()\n" PFN STACK "\n" RECORD,
		  "header: order missing", 6 },
		{ RECORD "Page allocated via order 99, mask 0x1()\n" PFN STACK "\n" RECORD,
		  "header: order out of range", 6 },
		{ RECORD "Page allocated via order 1, mask GFP\n" PFN STACK "\n" RECORD,
		  "header: mask missing", 6 },
		{ RECORD PFN STACK "\n" RECORD, "header missing", 6 },
		{ RECORD HEADER "PFN 0xzz type Movable Flags 0x1()\n" STACK "\n" RECORD, NULL, 0 },
		{ RECORD HEADER "PFN 0x1z type Movable\n" STACK "\n" RECORD,
		  "PFN line: flags missing", 6 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct kmp_ledger *l = read_string(cases[i].text);

		assert_int_equal(sum_records(l) + l->losses.skipped, 3);
		if (cases[i].reason) {
			assert_int_equal(l->losses.skipped, 1);
			assert_string_equal(l->losses.first_reason, cases[i].reason);
			assert_int_equal(l->losses.first_line, cases[i].line);
		}
		kmp_ledger_destroy(l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_number_of_parsers_gives_the_same),
		cmocka_unit_test(carriage_returns_change_nothing),
		cmocka_unit_test(blanks_on_the_separator_change_nothing),
		cmocka_unit_test(a_log_s_prefix_changes_nothing),
		cmocka_unit_test(the_last_empty_line_may_be_missing),
		cmocka_unit_test(a_record_cut_by_the_end_is_counted_and_told),
		cmocka_unit_test(nuls_are_passed_over),
		cmocka_unit_test(log_lines_in_between_are_told_apart),
		cmocka_unit_test(wrapped_and_joined_lines_are_put_right),
		cmocka_unit_test(a_newline_in_a_name_belongs_to_it),
		cmocka_unit_test(what_stands_next_to_a_record_changes_nothing),
		cmocka_unit_test(what_cannot_be_read_is_counted_and_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
