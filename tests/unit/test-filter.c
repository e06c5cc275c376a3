// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sample-ledger.h"

/* A page owner of whom everything is told. */
static struct kmp_page told_page(struct sample *sample)
{
	static const char *const frames[] = { "post_alloc_hook+0x1/0x2",
					      "folio_alloc_noprof+0x1/0x2",
					      "xfs_buf_read+0x1a/0x2b0 [xfs 12ab]",
					      "vfs_read+0x1/0x2" };
	struct kmp_page page = { .pfn = 0x7ffd1,
				 .block = 3,
				 .ts = 2500000000,
				 .free_ts = 7,
				 .records = 1,
				 .pages = 8,
				 .order = 3 };
	struct kmp_stack stack = { .trace = sample_trace(sample, frames, 4),
				   .handle = 4294967295,
				   .has_handle = true };
	struct kmp_task task = { .pid = 26,
				 .tgid = 20,
				 .comm = sample_text(sample, KMP_DICT_COMM, "x), ts \"5\"\n") };
	struct kmp_charge charge = { .memcg = sample_text(sample, KMP_DICT_MEMCG, "batch job") };

	assert_null(kmp_ledger_add_stack(sample->ledger, &stack, &page.stack));
	assert_null(kmp_ledger_add_task(sample->ledger, &task, &page.task));
	assert_null(kmp_ledger_add_charge(sample->ledger, &charge, &page.charge));
	page.gfp = sample_text(sample, KMP_DICT_GFP, "0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP)");
	page.flags = sample_text(sample, KMP_DICT_FLAGS, "0x4003c(referenced|lru|node=1|zone=2)");
	page.type = sample_text(sample, KMP_DICT_TYPE, "Movable");
	page.block_type = sample_text(sample, KMP_DICT_TYPE, "Unmovable");
	page.reason = sample_text(sample, KMP_DICT_REASON, "compaction");
	return page;
}

static struct kmp_page untold_page(void)
{
	return (struct kmp_page){ .pfn = KMP_UNKNOWN,
				  .block = KMP_UNKNOWN,
				  .ts = KMP_UNKNOWN,
				  .free_ts = KMP_UNKNOWN,
				  .records = 1,
				  .pages = 1,
				  .stack = KMP_NONE,
				  .task = KMP_NONE,
				  .gfp = KMP_NONE,
				  .flags = KMP_NONE,
				  .charge = KMP_NONE,
				  .type = KMP_NONE,
				  .block_type = KMP_NONE,
				  .reason = KMP_NONE,
				  .extra = KMP_NONE };
}

static bool matches(const struct kmp_ledger *ledger, const struct kmp_page *page,
		    const char *expression)
{
	struct kmp_filter *filter;
	struct kmp_error *err = kmp_filter_compile(expression, &filter);

	if (err)
		print_message("%s\n", err->message);
	assert_null(err);
	bool first = kmp_filter_match(filter, ledger, page);

	/* What is remembered must say the same. */
	assert_int_equal(kmp_filter_match(filter, ledger, page), first);
	kmp_filter_destroy(filter);
	return first;
}

static const struct {
	const char *expression;
	bool told;   /* holds for told_page() */
	bool untold; /* holds for untold_page() */
} cases[] = {
	{ "order==3", true, false },
	{ "order>=3 && order<=3", true, false },
	{ "order>3||order<3", false, true },
	{ "order!=3", false, true },
	{ "!order==3", false, true },
	{ "!(order==3)", false, true },
	{ "order in 0,2-4", true, true },
	{ "order in 0-8:1/3", true, true },
	{ "order in 1-8:1/3", false, false },
	{ "pid==26 && tgid==20", true, false },
	{ "pid!=1", true, false },
	{ "!(pid==1)", true, true },
	{ "pid in 26", true, false },
	{ "comm==\"x), ts \\\"5\\\"\\n\"", true, false },
	{ "comm!=nginx", true, false },
	{ "comm~ts", true, false },
	{ "comm~\"^x[)], ts\"", true, false },
	{ "comm!~ts", false, false },
	{ "comm==\"\"", false, false },
	{ "node==1", true, false },
	{ "node in 0,2-3", false, false },
	{ "zone==Normal", true, false },
	{ "zone==2", true, false },
	{ "zone in 2-3", true, false },
	{ "zone!=Normal", false, false },
	{ "zone!=DMA32", true, false },
	{ "zone~^Nor", true, false },
	{ "migratetype==Movable && block==Unmovable", true, false },
	{ "gfp has __GFP_COMP", true, false },
	{ "gfp has __GFP_COMP|GFP_HIGHUSER_MOVABLE", true, false },
	{ "gfp has GFP_HIGHUSER", false, false },
	{ "gfp==0x140cca", true, false },
	{ "gfp==GFP_HIGHUSER_MOVABLE|__GFP_COMP", true, false },
	{ "gfp==0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP)", true, false },
	{ "gfp!=0xcc0", true, false },
	{ "flags has lru", true, false },
	{ "flags has node=1", true, false },
	{ "!flags has dirty", true, true },
	{ "memcg==\"batch job\"", true, false },
	{ "memcg~job$", true, false },
	{ "stack~xfs_", true, false },
	{ "stack~(foo|vfs)_read", true, false },
	{ "stack!~ext4", true, false },
	{ "stack~x+f+s+_+b+u+f+_+r+e+a+d+", true, false },
	{ "stack~\"xfs_b[u(+]f_\\w{4}[+]\"", true, false },
	{ "stack~\"\\[xfs 12ab\\]$\"", true, false },
	{ "stack!~xfs_", false, false },
	{ "stack has vfs_read", true, false },
	{ "stack has vfs", false, false },
	{ "module==xfs", true, false },
	{ "module!=kernel", true, false },
	{ "function==xfs_buf_read", true, false },
	{ "allocator==OTHERS", true, true },
	{ "handle==4294967295", true, false },
	{ "handle==-1", true, false },
	{ "handle==0xffffffff", true, false },
	{ "ts>=2.5", true, false },
	{ "ts>2.5", false, false },
	{ "ts==2500ms", true, false },
	{ "ts in 2s-2500000us", true, false },
	{ "ts<2500000001ns", true, false },
	{ "free_ts==7ns", true, false },
	{ "pfn in 0x7ffd0-0x7ffdf", true, false },
	{ "pfn==524241", true, false },
	{ "pfn>=0", true, false },
	{ "migrated", true, false },
	{ "!migrated", false, true },
	{ "reason==compaction", true, false },
	{ "slab", false, false },
	{ "migrated && !slab || pid==7", true, false },
	{ "pid==7 || migrated && slab", false, false },
	{ "(pid==7 || migrated) && !slab", true, false },
	{ "!!migrated", true, false },
	{ "!(pid==7 || !(migrated && !slab))", true, false },
	{ " \t( ( order == 3 ) )\n", true, false },
};

static void expressions_hold_where_they_should(void **state)
{
	struct kmp_page untold = untold_page();
	struct sample sample;

	sample_create(&sample, 1);
	struct kmp_page told = told_page(&sample);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool a = matches(sample.ledger, &told, cases[i].expression);
		bool b = matches(sample.ledger, &untold, cases[i].expression);

		if (a != cases[i].told || b != cases[i].untold)
			fail_msg("%s: %d %d", cases[i].expression, a, b);
	}
	kmp_ledger_destroy(sample.ledger);
}

static void letters_of_old_kernels_are_flags(void **state)
{
	struct kmp_page page = untold_page();
	struct sample sample;

	sample_create(&sample, 1);
	page.flags = sample_text(&sample, KMP_DICT_FLAGS, "   UDLAS  B ");
	assert_true(matches(sample.ledger, &page, "flags has uptodate && flags has swapcache"));
	assert_true(matches(sample.ledger, &page, "slab && allocator==SLAB"));
	assert_false(matches(sample.ledger, &page, "flags has locked || flags has head"));
	assert_false(matches(sample.ledger, &page, "node==0 || node!=0"));
	/* A mask without names tells none. */
	page.gfp = sample_text(&sample, KMP_DICT_GFP, "0x280da");
	assert_false(matches(sample.ledger, &page, "gfp has GFP_KERNEL"));
	assert_true(matches(sample.ledger, &page, "gfp==0x280da"));
	kmp_ledger_destroy(sample.ledger);
}

static void a_handle_matches_once_it_is_resolved(void **state)
{
	static const char *const frames[] = { "wanted+0x1/0x2" };
	struct kmp_page page = untold_page();
	struct kmp_filter *filter;
	struct sample sample;
	uint32_t again;

	sample_create(&sample, 1);
	assert_null(kmp_filter_compile("stack~wanted && function==wanted", &filter));
	assert_null(kmp_ledger_add_stack(sample.ledger, &(struct kmp_stack){ KMP_NONE, 9, true },
					 &page.stack));
	assert_false(kmp_filter_match(filter, sample.ledger, &page));
	uint32_t trace = sample_trace(&sample, frames, 1);

	assert_null(
		kmp_ledger_add_stack(sample.ledger, &(struct kmp_stack){ trace, 9, true }, &again));
	assert_true(kmp_filter_match(filter, sample.ledger, &page));
	kmp_filter_destroy(filter);
	kmp_ledger_destroy(sample.ledger);
}

static const struct {
	const char *expression, *message;
} errors[] = {
	{ "ordre>=3", "unknown field 'ordre'; did you mean 'order'?\n  ordre>=3\n  ^" },
	{ "order>>3", "order: not a whole number in range\n  order>>3\n        ^" },
	{ "pid==1 &&", "the expression ends where a field is expected\n  pid==1 &&\n           ^" },
	{ "", "the expression ends where a field is expected\n  \n  ^" },
	{ "pid=1", "an operator is expected: == != < <= > >= ~ !~ in has\n  pid=1\n     ^" },
	{ "pid==", "a value is expected\n  pid==\n       ^" },
	{ "pid==x", "pid: not a whole number in range\n  pid==x\n       ^" },
	{ "pid==1)", "this parenthesis was not opened\n  pid==1)\n        ^" },
	{ "(pid==1", "the parenthesis is not closed\n  (pid==1\n  ^" },
	{ "pid==1 pid==2", "'&&' or '||' is expected\n  pid==1 pid==2\n         ^" },
	{ "comm==\"a", "the quotation mark is not closed\n  comm==\"a\n        ^" },
	{ "comm<3", "'comm' takes == != ~ !~\n  comm<3\n      ^" },
	{ "stack==f", "'stack' takes ~ !~ has\n  stack==f\n       ^" },
	{ "comm==\"\xc3\xa9\" && stak~a",
	  "unknown field 'stak'; did you mean 'stack'?\n  comm==\"\xc3\xa9\" && stak~a\n"
	  "               ^" },
	{ "node in 3-2", "node: the range ends before it begins\n  node in 3-2\n          ^" },
	{ "node in ,", "node: the list is empty\n  node in ,\n          ^" },
	{ "stack~(", "not a regular expression: Unmatched ( or \\(\n  stack~(\n        ^" },
	{ "stack~\"(a)\\\\1\"",
	  "back-references are not supported\n  stack~\"(a)\\\\1\"\n        ^" },
	{ "stack~(a{100}){100}",
	  "the regular expression repeats too much\n  stack~(a{100}){100}\n        ^" },
	{ "ts>1h", "ts: not a time such as 12.5 (seconds), 300ms or 7ns\n  ts>1h\n     ^" },
	{ "pid==99999999999999999999",
	  "pid: not a whole number in range\n  pid==99999999999999999999\n       ^" },
};

static void errors_point_at_the_word(void **state)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		struct kmp_filter *filter = NULL;
		struct kmp_error *err = kmp_filter_compile(errors[i].expression, &filter);

		assert_non_null(err);
		assert_null(filter);
		assert_int_equal(err->kind, KMP_ERROR_USAGE);
		assert_string_equal(err->message, errors[i].message);
		kmp_error_destroy(err);
	}
}

static void expect_refused(const char *expression)
{
	struct kmp_filter *filter = NULL;
	struct kmp_error *err = kmp_filter_compile(expression, &filter);

	assert_non_null(err);
	assert_int_equal(err->kind, KMP_ERROR_USAGE);
	assert_true(strlen(err->message) < 1000);
	kmp_error_destroy(err);
}

static void what_is_too_large_is_refused(void **state)
{
	enum { LENGTH = 100000 };
	char *text = malloc(LENGTH + 1);

	memset(text, '(', LENGTH);
	text[LENGTH] = '\0';
	expect_refused(text);
	text[1000] = '\0';
	expect_refused(text);
	memset(text, '!', 1000);
	expect_refused(text);
	strcpy(text, "slab");
	for (size_t i = 0; i < 1100; i++)
		strcat(text, "||slab");
	expect_refused(text);
	kmp_error_destroy(NULL);
	expect_refused("order in 0-4000000000:1/2");
	expect_refused("stack~a{99999999999999999999}");
	expect_refused("stack~(c+++++++++++++++++++++++++++)");
	expect_refused("stack~((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)");
	expect_refused("stack~((a{10,}){10}){10}");
	free(text);
}

/* A random expression with, for each page, what it should answer. */
enum { RANDOM_PAGES = 64 };

struct known {
	struct sample *sample;
	const struct kmp_page *pages;
	char text[8192];
};

static const char *text_of(const struct kmp_ledger *ledger, enum kmp_dict dict, uint32_t number)
{
	return kmp_ledger_text(ledger, dict, number, NULL);
}

static bool compare(uint32_t op, uint64_t a, uint64_t b)
{
	return op == 0	 ? a == b
	       : op == 1 ? a != b
	       : op == 2 ? a < b
	       : op == 3 ? a <= b
	       : op == 4 ? a > b
			 : a >= b;
}

static uint64_t random_number(struct known *known)
{
	static const char *const names[] = { "order", "pfn", "pid", "handle" };
	static const char *const ops[] = { "==", "!=", "<", "<=", ">", ">=" };
	uint32_t field = sample_random(known->sample, 4), op = sample_random(known->sample, 6);
	uint32_t value = sample_random(known->sample, field == 1 ? 5000 : field == 3 ? 130 : 22);
	const struct kmp_ledger *ledger = known->sample->ledger;
	uint64_t result = 0;

	sprintf(known->text + strlen(known->text), "%s%s%u", names[field], ops[op], value);
	for (size_t i = 0; i < RANDOM_PAGES; i++) {
		const struct kmp_page *page = &known->pages[i];
		const struct kmp_task *task = kmp_ledger_task(ledger, page->task);
		const struct kmp_stack *stack = kmp_ledger_stack(ledger, page->stack);
		uint64_t told = KMP_UNKNOWN;

		if (field == 0)
			told = page->order;
		else if (field == 1)
			told = page->pfn;
		else if (field == 2 && task)
			told = (uint64_t)task->pid;
		else if (field == 3 && stack && stack->has_handle)
			told = stack->handle;
		if (told != KMP_UNKNOWN && compare(op, told, value))
			result |= UINT64_C(1) << i;
	}
	return result;
}

static uint64_t random_text(struct known *known)
{
	static const char *const names[] = { "migratetype", "comm", "reason" };
	static const char *const values[] = { "Movable", "task 3", "compaction" };
	uint32_t field = sample_random(known->sample, 3), op = sample_random(known->sample, 3);
	const struct kmp_ledger *ledger = known->sample->ledger;
	uint64_t result = 0;

	sprintf(known->text + strlen(known->text),
		op == 2 ? "%s ~ \"%.3s\""
		: op	? "%s!=\"%s\""
			: "%s==\"%s\"",
		names[field], values[field]);
	for (size_t i = 0; i < RANDOM_PAGES; i++) {
		const struct kmp_page *page = &known->pages[i];
		const struct kmp_task *task = kmp_ledger_task(ledger, page->task);
		const char *told = field == 0	? text_of(ledger, KMP_DICT_TYPE, page->type)
				   : field == 2 ? text_of(ledger, KMP_DICT_REASON, page->reason)
				   : task	? text_of(ledger, KMP_DICT_COMM, task->comm)
						: NULL;
		char start[4];

		snprintf(start, sizeof(start), "%.3s", values[field]);
		if (told &&
		    (op == 2 ? strstr(told, start) != NULL : !strcmp(told, values[field]) == !op))
			result |= UINT64_C(1) << i;
	}
	return result;
}

static uint64_t random_expression(struct known *known, unsigned depth)
{
	uint32_t choice = sample_random(known->sample, depth ? 6 : 2);
	uint64_t left, right;

	if (choice == 0)
		return random_number(known);
	if (choice == 1)
		return random_text(known);
	strcat(known->text, choice == 2 ? "!(" : "(");
	left = random_expression(known, depth - 1);
	if (choice == 2) {
		strcat(known->text, ")");
		return ~left;
	}
	strcat(known->text, choice % 2 ? " && " : "||");
	right = random_expression(known, depth - 1);
	strcat(known->text, ")");
	return choice % 2 ? left & right : left | right;
}

static void random_expressions_agree_with_a_plain_evaluation(void **state)
{
	struct kmp_page pages[RANDOM_PAGES];
	struct sample sample;

	sample_create(&sample, 99);
	for (size_t i = 0; i < RANDOM_PAGES; i++)
		pages[i] = sample_page(&sample);
	for (size_t round = 0; round < 2000; round++) {
		struct known known = { .sample = &sample, .pages = pages };
		uint64_t want = random_expression(&known, 5);
		struct kmp_filter *filter;

		assert_null(kmp_filter_compile(known.text, &filter));
		for (size_t i = 0; i < RANDOM_PAGES; i++) {
			if (kmp_filter_match(filter, sample.ledger, &pages[i]) != (want >> i & 1))
				fail_msg("%s: page %zu", known.text, i);
		}
		kmp_filter_destroy(filter);
	}
	kmp_ledger_destroy(sample.ledger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions_hold_where_they_should),
		cmocka_unit_test(letters_of_old_kernels_are_flags),
		cmocka_unit_test(a_handle_matches_once_it_is_resolved),
		cmocka_unit_test(errors_point_at_the_word),
		cmocka_unit_test(what_is_too_large_is_refused),
		cmocka_unit_test(random_expressions_agree_with_a_plain_evaluation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
