// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/input.h"
#include "format/show_stacks.h"
#include "ledger/ledger.h"

static struct kmp_ledger *ledger;

static int set_up(void **state)
{
	assert_null(kmp_ledger_create(&ledger));
	return 0;
}

static int tear_down(void **state)
{
	kmp_ledger_destroy(ledger);
	return 0;
}

static void read_text(const char *text)
{
	struct kmp_lines *lines;

	assert_null(kmp_lines_create_memory(text, strlen(text), &lines));
	assert_null(kmp_show_stacks_read(lines, ledger, NULL));
	kmp_lines_destroy(lines);
}

static void read_data(const char *name)
{
	struct kmp_input *input;
	struct kmp_lines *lines;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", getenv("DATA"), name);
	assert_null(kmp_input_open(path, &input));
	assert_null(kmp_lines_create(input, &lines));
	assert_null(kmp_show_stacks_read(lines, ledger, NULL));
	kmp_lines_destroy(lines);
	kmp_input_destroy(input);
}

static size_t page_count(void)
{
	return kmp_ledger_count(ledger, KMP_LIST_PAGES);
}

static const struct kmp_page *page(size_t number)
{
	assert_true(number < page_count());
	return &kmp_ledger_pages(ledger)[number];
}

static uint32_t depth(size_t number)
{
	const struct kmp_stack *stack = kmp_ledger_stack(ledger, page(number)->stack);

	assert_non_null(stack);
	return kmp_ledger_trace(ledger, stack->trace).depth;
}

static uint64_t total(void)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < page_count(); i++)
		pages += page(i)->pages;
	return pages;
}

static void assert_nothing_lost(void)
{
	assert_int_equal(kmp_ledger_losses(ledger)->skipped, 0);
	assert_int_equal(kmp_ledger_losses(ledger)->cut, 0);
}

static void stack_count_counts_allocations(void **state)
{
	read_data("samples/15-show_stacks-v6.9rc-stack_count.txt");
	assert_int_equal(page_count(), 2);
	assert_int_equal(page(0)->records, 521);
	assert_int_equal(page(1)->records, 4609);
	assert_int_equal(page(1)->pages, 4609);
	assert_true(page(1)->form & KMP_FORM_APPROXIMATE);
	assert_int_equal(depth(0), 14);
	assert_int_equal(depth(1), 15);
	assert_nothing_lost();
}

static void handles_join_with_their_stacks(void **state)
{
	read_data("samples/16b-show_handles-v6.19.txt");
	assert_int_equal(page_count(), 1);
	assert_int_equal(page(0)->pages, 9643);
	assert_int_equal(page(0)->records, 0);
	const struct kmp_stack *stack = kmp_ledger_stack(ledger, page(0)->stack);

	assert_true(stack->has_handle);
	assert_int_equal(stack->handle, 27000838);
	assert_int_equal(stack->trace, KMP_NONE);
	read_data("samples/16c-show_stacks_handles-v6.19.txt");
	assert_int_equal(page_count(), 1);
	assert_int_equal(depth(0), 12);
	read_data("samples/16a-show_stacks-v6.19.txt");
	assert_int_equal(page_count(), 2);
	assert_int_equal(page(1)->pages, 9643);
	assert_int_equal(kmp_ledger_stack(ledger, page(1)->stack)->trace,
			 kmp_ledger_stack(ledger, page(0)->stack)->trace);
	assert_nothing_lost();
}

static void base_pages_add_up(void **state)
{
	read_data("samples/17-show_stacks-v6.10-docs-xfs-module.txt");
	assert_int_equal(page_count(), 2);
	assert_int_equal(page(0)->pages, 16);
	assert_int_equal(page(1)->pages, 20824);
	assert_int_equal(total(), 20840);
	assert_true(page(1)->form & KMP_FORM_DEPTH_LIMIT);
	assert_nothing_lost();
}

static void captures_are_read_wholly(void **state)
{
	read_data("captures/linux-7.3/show_stacks.xz");
	assert_int_equal(page_count(), 306);
	assert_int_equal(total(), 60050);
	read_data("captures/linux-7.3/show_handles.xz");
	assert_int_equal(page_count(), 306 + 308);
	assert_int_equal(total(), 60050 + 60083);
	read_data("captures/linux-7.3/show_stacks_handles.xz");
	assert_int_equal(page_count(), 306 + 308);
	for (size_t i = 0; i < page_count(); i++)
		assert_true(depth(i) > 0);
	assert_nothing_lost();
}

static void handles_are_signed(void **state)
{
	read_text(
		"handle: -1\nnr_base_pages: 3\n\nhandle: -2147483648\nnr_base_pages: 1\n\n"
		"handle: 4294967295\nnr_base_pages: 2\n\nhandle: -2147483649\n\n");
	assert_int_equal(page_count(), 3);
	assert_int_equal(kmp_ledger_stack(ledger, page(0)->stack)->handle, UINT32_MAX);
	assert_int_equal(kmp_ledger_stack(ledger, page(1)->stack)->handle, 1u << 31);
	assert_int_equal(page(2)->stack, page(0)->stack);
	assert_int_equal(kmp_ledger_losses(ledger)->skipped, 1);
	assert_int_equal(kmp_ledger_losses(ledger)->first_line, 10);
}

static void line_ends_and_blanks_do_not_matter(void **state)
{
	read_text(
		"  a+0x1/0x2\r\n\tb+0x1/0x2 [m]\r\n nr_base_pages:  7\r\n \r\n"
		" a+0x1/0x2\nnr_base_pages: 1\n c+0x1/0x2\nnr_base_pages: 2\n...\n\n..\n");
	assert_int_equal(page_count(), 3);
	assert_int_equal(total(), 10);
	assert_int_equal(depth(0), 2);
	assert_int_equal(depth(2), 1);
	assert_nothing_lost();
}

static void what_cannot_be_used_is_counted(void **state)
{
	read_text(
		" a+0x1/0x2\n\n\nnr_base_pages: 5\n\nhello\n b+0x1/0x2\nnr_base_pages: 1x\n"
		"nr_base_pages: 99999999999999999999\n\nhandle: 7\n\n");
	assert_int_equal(page_count(), 1);
	assert_int_equal(page(0)->stack, KMP_NONE);
	assert_int_equal(total(), 5);
	assert_int_equal(kmp_ledger_losses(ledger)->skipped, 6);
	assert_int_equal(kmp_ledger_losses(ledger)->first_line, 1);
}

static void a_cut_number_is_told(void **state)
{
	read_text(" a+0x1/0x2\nnr_base_pages: 96");
	assert_int_equal(page(0)->pages, 96);
	assert_true(page(0)->form & KMP_FORM_CUT);
	assert_int_equal(kmp_ledger_losses(ledger)->cut, 1);
}

static void a_shortened_stack_stays_apart(void **state)
{
	read_text(" a+0x1/0x2\nnr_base_pages: 1\n\n a+0x1/0x2\n ...\nnr_base_pages: 2\n\n");
	assert_int_equal(page_count(), 2);
	assert_int_not_equal(page(0)->stack, page(1)->stack);
	assert_int_equal(depth(1), 2);
}

static void assert_kind(const char *text, const char *kind)
{
	const char *found = kmp_show_stacks_kind(text, strlen(text));

	if (kind)
		assert_string_equal(found, kind);
	else
		assert_null(found);
}

static void files_are_told_from_their_content(void **state)
{
	assert_kind(" a+0x1/0x2\nnr_base_pages: 1\n\n", "show_stacks");
	assert_kind("...\n  a+0x1/0x2\n stack_count: 1\n", "show_stacks");
	assert_kind("handle: 1\nnr_base_pages: 1\n\nhand", "show_handles");
	assert_kind(" a+0x1/0x2\nhandle: 1\n\n b+0x", "show_stacks_handles");
	assert_kind("", NULL);
	assert_kind("\n\n...\n", NULL);
	assert_kind(" a+0x1/0x2\n b+0x1/0x2\n", NULL);
	assert_kind("handle: 1\n\nhandle: 2\n\n", NULL);
	assert_kind("Page allocated via order 0\n a+0x1/0x2\nhandle: 1\n\n", NULL);
	assert_kind(" a+0x1/0x2\nhandle: 1\n\nPage allocated via order 0\n", NULL);
	assert_kind("3 times, 6 pages:\n a+0x1/0x2\n\n", NULL);
}

#define test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(stack_count_counts_allocations),
		test(handles_join_with_their_stacks),
		test(base_pages_add_up),
		test(captures_are_read_wholly),
		test(handles_are_signed),
		test(line_ends_and_blanks_do_not_matter),
		test(what_cannot_be_used_is_counted),
		test(a_cut_number_is_told),
		test(a_shortened_stack_stays_apart),
		test(files_are_told_from_their_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
