// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ledger/allocator_names.h"
#include "ledger/group_keys.h"
#include "sample-ledger.h"

enum { PAGES = 3000 };

static struct kmp_groups *group(struct sample *sample, const char *keys,
				const struct kmp_page *pages, size_t count, bool times)
{
	struct kmp_grouping *grouping;
	struct kmp_groups *groups;

	assert_null(kmp_grouping_create(sample->ledger, keys, NULL, &grouping));
	if (times)
		kmp_grouping_keep_times(grouping);
	struct kmp_sink sink = kmp_grouping_sink(grouping);

	/* Uneven runs: a source may hand over any number. */
	for (size_t done = 0, run = 1; done < count; done += run, run = run * 7 % 401 + 1)
		assert_null(sink.pages(sink.arg, sample->ledger, pages + done,
				       count - done < run ? count - done : run));
	assert_null(kmp_grouping_finish(grouping, &groups));
	return groups;
}

static const struct kmp_group *find(const struct kmp_groups *groups, const char *text)
{
	for (size_t i = 0; i < groups->count; i++) {
		const struct kmp_value *value = &groups->groups[i].key[0];

		if (text ? value->kind == KMP_VALUE_TEXT && !strcmp(value->text, text)
			 : value->kind == KMP_VALUE_NONE)
			return &groups->groups[i];
	}
	return NULL;
}

/* Every key, and pairs and triples of keys, add up to what the pages add up to. */
static void all_groupings_have_the_same_total(void **state)
{
	struct kmp_page *pages = calloc(PAGES, sizeof(*pages));
	int64_t records = 0, total = 0;
	struct sample sample;
	char keys[64];

	sample_create(&sample, 1);
	for (size_t i = 0; i < PAGES; i++) {
		pages[i] = sample_page(&sample);
		records += (int64_t)pages[i].records;
		total += (int64_t)pages[i].pages;
	}
	for (size_t i = 0; i < KMP_KEY_COUNT * 3; i++) {
		const char *a = kmp_group_key_names[i % KMP_KEY_COUNT];
		const char *b = kmp_group_key_names[(i + 5) % KMP_KEY_COUNT];
		const char *c = kmp_group_key_names[(i + 9) % KMP_KEY_COUNT];

		snprintf(keys, sizeof(keys),
			 i < KMP_KEY_COUNT	 ? "%s"
			 : i < KMP_KEY_COUNT * 2 ? "%s,%s"
						 : "%s,%s,%s",
			 a, b, c);
		struct kmp_groups *groups = group(&sample, keys, pages, PAGES, false);

		assert_int_equal(groups->total.records, records);
		assert_int_equal(groups->total.pages, total);
		assert_int_equal(groups->total.bytes, total * 4096);
		for (size_t k = 1; k < groups->count; k++)
			assert_true(groups->groups[k - 1].now.pages >= groups->groups[k].now.pages);
		kmp_groups_destroy(groups);
	}
	free(pages);
	kmp_ledger_destroy(sample.ledger);
}

/* One key, counted here the plain way. */
static void groups_are_those_of_a_plain_count(void **state)
{
	struct kmp_page pages[PAGES / 10];
	int64_t by_order[5] = { 0 }, by_module[2] = { 0 };
	struct sample sample;

	sample_create(&sample, 2);
	for (size_t i = 0; i < PAGES / 10; i++) {
		pages[i] = sample_page(&sample);
		by_order[pages[i].order] += (int64_t)pages[i].pages;
		const struct kmp_stack *stack = kmp_ledger_stack(sample.ledger, pages[i].stack);

		if (stack && stack->trace != KMP_NONE)
			by_module[pages[i].stack % 4 == 0] += (int64_t)pages[i].pages;
	}
	struct kmp_groups *groups = group(&sample, "order", pages, PAGES / 10, false);

	assert_int_equal(groups->count, 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(groups->groups[i].now.pages,
				 by_order[groups->groups[i].key[0].number]);
	kmp_groups_destroy(groups);
	groups = group(&sample, "module", pages, PAGES / 10, false);
	assert_int_equal(find(groups, "kernel")->now.pages, by_module[0]);
	assert_int_equal(find(groups, "xfs")->now.pages, by_module[1]);
	assert_non_null(find(groups, NULL));
	assert_int_equal(groups->count, 3);
	kmp_groups_destroy(groups);
	kmp_ledger_destroy(sample.ledger);
}

static void a_trace_is_one_group_whatever_its_handles(void **state)
{
	static const char *const frames[] = { "post_alloc_hook+0x1/0x2", "wanted+0x1/0x2" };
	struct kmp_page pages[3] = { { .records = 1, .pages = 1 },
				     { .records = 1, .pages = 2 },
				     { .records = 1, .pages = 4 } };
	struct sample sample = { 0 };
	uint32_t trace, late;

	assert_null(kmp_ledger_create(&sample.ledger));
	trace = sample_trace(&sample, frames, 2);
	assert_null(kmp_ledger_add_stack(sample.ledger, &(struct kmp_stack){ trace, 1, true },
					 &pages[0].stack));
	assert_null(kmp_ledger_add_stack(sample.ledger, &(struct kmp_stack){ KMP_NONE, 2, true },
					 &pages[1].stack));
	assert_null(kmp_ledger_add_stack(sample.ledger, &(struct kmp_stack){ KMP_NONE, 3, true },
					 &pages[2].stack));
	for (int round = 0; round < 2; round++) {
		struct kmp_grouping *grouping[3];
		const char *const keys[] = { "stack", "function", "stack,order" };

		for (size_t i = 0; i < 3; i++) {
			assert_null(
				kmp_grouping_create(sample.ledger, keys[i], NULL, &grouping[i]));
			struct kmp_sink sink = kmp_grouping_sink(grouping[i]);

			assert_null(sink.pages(sink.arg, sample.ledger, pages, 3));
		}
		/* In the first round, what a handle stands for comes after the pages. */
		assert_null(kmp_ledger_add_stack(sample.ledger,
						 &(struct kmp_stack){ trace, 2, true }, &late));
		for (size_t i = 0; i < 3; i++) {
			struct kmp_groups *groups;

			assert_null(kmp_grouping_finish(grouping[i], &groups));
			assert_int_equal(groups->count, 2);
			assert_int_equal(groups->groups[0].now.pages, 4);
			assert_int_equal(groups->groups[1].now.pages, 3);
			if (i != 1) {
				assert_int_equal(groups->groups[0].key[0].depth, 0);
				assert_int_equal(groups->groups[0].key[0].number, 3);
				assert_string_equal(groups->groups[1].key[0].frames[1],
						    "wanted+0x1/0x2");
			} else {
				assert_int_equal(groups->groups[0].key[0].kind, KMP_VALUE_NONE);
				assert_string_equal(groups->groups[1].key[0].text, "wanted");
			}
			kmp_groups_destroy(groups);
		}
	}
	kmp_ledger_destroy(sample.ledger);
}

static void times_and_lower_bounds_are_kept(void **state)
{
	struct sample sample;
	struct kmp_page pages[4];

	sample_create(&sample, 3);
	uint32_t type = sample_text(&sample, KMP_DICT_TYPE, "Movable");

	for (size_t i = 0; i < 4; i++) {
		pages[i] = (struct kmp_page){ .ts = 50 - i,
					      .records = 1,
					      .pages = 1,
					      .stack = KMP_NONE,
					      .type = i == 3 ? KMP_NONE : type };
	}
	pages[2].form = KMP_FORM_APPROXIMATE;
	pages[1].ts = KMP_UNKNOWN;
	pages[3].ts = KMP_UNKNOWN;
	pages[3].records = 0;
	struct kmp_groups *groups = group(&sample, "migratetype", pages, 4, true);

	assert_int_equal(groups->groups[0].ts_first, 48);
	assert_int_equal(groups->groups[0].ts_last, 50);
	assert_true(groups->groups[0].approximate);
	assert_false(groups->groups[1].approximate);
	assert_true(groups->groups[1].ts_last == KMP_UNKNOWN);
	assert_true(groups->records_unknown);
	kmp_groups_destroy(groups);
	groups = group(&sample, "migratetype,stack", pages, 3, true);
	assert_int_equal(groups->groups[0].ts_first, 48);
	assert_false(groups->records_unknown);
	kmp_groups_destroy(groups);
	kmp_ledger_destroy(sample.ledger);
}

static void counts_of_show_stacks_tell_no_order(void **state)
{
	struct kmp_page pages[] = {
		{ .records = 1, .pages = 1, .stack = KMP_NONE },
		{ .records = 0, .pages = 9, .stack = KMP_NONE },
		{ .records = 5, .pages = 5, .stack = KMP_NONE, .form = KMP_FORM_APPROXIMATE },
	};
	struct kmp_filter *filter;
	struct sample sample;

	sample_create(&sample, 8);
	struct kmp_groups *groups = group(&sample, "order", pages, 3, false);

	assert_int_equal(groups->count, 2);
	assert_int_equal(groups->groups[0].key[0].kind, KMP_VALUE_NONE);
	assert_int_equal(groups->groups[0].now.pages, 14);
	assert_int_equal(groups->groups[1].key[0].number, 0);
	kmp_groups_destroy(groups);
	assert_null(kmp_filter_compile("order==0 || order!=0", &filter));
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(kmp_filter_match(filter, sample.ledger, &pages[i]), i == 0);
	kmp_filter_destroy(filter);
	kmp_ledger_destroy(sample.ledger);
}

static void only_needed_columns_are_asked_for(void **state)
{
	struct kmp_grouping *grouping;
	struct kmp_filter *filter;
	struct sample sample;

	sample_create(&sample, 4);
	assert_null(kmp_grouping_create(sample.ledger, "stack", NULL, &grouping));
	assert_int_equal(kmp_grouping_sink(grouping).columns, KMP_COLUMN_STACK);
	kmp_grouping_keep_times(grouping);
	assert_int_equal(kmp_grouping_sink(grouping).columns, KMP_COLUMN_STACK | KMP_COLUMN_TS);
	kmp_grouping_destroy(grouping);
	assert_null(kmp_filter_compile("order>1 && comm==a", &filter));
	assert_null(kmp_grouping_create(sample.ledger, "node,pid", filter, &grouping));
	assert_int_equal(kmp_grouping_sink(grouping).columns,
			 KMP_COLUMN_FLAGS | KMP_COLUMN_TASK | KMP_COLUMN_ORDER);
	kmp_grouping_destroy(grouping);
	kmp_filter_destroy(filter);
	kmp_ledger_destroy(sample.ledger);
}

static void unknown_keys_offer_the_nearest(void **state)
{
	static const char *const bad[] = { "comn", "", "stack,", "stack,stack", "stack, comm" };
	struct kmp_grouping *grouping = NULL;
	struct sample sample;

	sample_create(&sample, 5);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct kmp_error *err = kmp_grouping_create(sample.ledger, bad[i], NULL, &grouping);

		assert_non_null(err);
		assert_int_equal(err->kind, KMP_ERROR_USAGE);
		if (!i)
			assert_string_equal(err->message,
					    "unknown key 'comn'; did you mean 'comm'?");
		kmp_error_destroy(err);
	}
	assert_null(grouping);
	kmp_ledger_destroy(sample.ledger);
}

static void allocators_are_known_by_name(void **state)
{
	static const struct {
		const char *symbol;
		enum kmp_allocator_family family;
	} known[] = {
		{ "post_alloc_hook", KMP_FAMILY_PAGE },
		{ "__alloc_pages_nodemask", KMP_FAMILY_PAGE },
		{ "__alloc_frozen_pages_noprof", KMP_FAMILY_PAGE },
		{ "folio_alloc_mpol_noprof", KMP_FAMILY_PAGE },
		{ "vma_alloc_folio_noprof", KMP_FAMILY_PAGE },
		{ "slab_alloc_node.isra.0", KMP_FAMILY_SLAB },
		{ "__slab_alloc_node.constprop.0", KMP_FAMILY_SLAB },
		{ "___kmalloc_large_node", KMP_FAMILY_SLAB },
		{ "kmem_cache_alloc_lru_noprof", KMP_FAMILY_SLAB },
		{ "__vmalloc_node_range_noprof", KMP_FAMILY_VMALLOC },
		{ "vm_area_alloc", KMP_FAMILY_NONE },
		{ "folio_alloc_buffers", KMP_FAMILY_NONE },
		{ "register_early_stack", KMP_FAMILY_NONE },
		{ "shmem_alloc_folio", KMP_FAMILY_NONE },
		{ "vmalloc_fault", KMP_FAMILY_NONE },
		{ "", KMP_FAMILY_NONE },
		{ "___", KMP_FAMILY_NONE },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		assert_int_equal(kmp_allocator_family(known[i].symbol, strlen(known[i].symbol)),
				 known[i].family);
}

static void frames_are_taken_apart(void **state)
{
	static const struct {
		const char *frame, *symbol, *module;
	} known[] = {
		{ "xfs_buf_alloc+0x1/0x2 [xfs]", "xfs_buf_alloc", "xfs" },
		{ "xfs_buf_alloc+0x1/0x2 [xfs a1b2c3]", "xfs_buf_alloc", "xfs" },
		{ "current_fs_time+77", "current_fs_time", NULL },
		{ "0xffffffffc0a81234", "0xffffffffc0a81234", NULL },
		{ "(null)", "(null)", NULL },
		{ "f+0x1/0x2 []", "f", NULL },
		{ "[xfs]", "[xfs]", NULL },
		{ "", "", NULL },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		size_t len = strlen(known[i].frame);
		struct kmp_span symbol = kmp_frame_symbol(known[i].frame, len);
		struct kmp_span module = kmp_frame_module(known[i].frame, len);

		assert_int_equal(symbol.len, strlen(known[i].symbol));
		assert_memory_equal(symbol.text, known[i].symbol, symbol.len);
		assert_int_equal(module.len, known[i].module ? strlen(known[i].module) : 0);
		if (module.len)
			assert_memory_equal(module.text, known[i].module, module.len);
	}
}

static void the_allocator_is_the_first_that_holds(void **state)
{
	struct sample sample;
	struct kmp_page page = { .records = 1, .pages = 1 };

	sample_create(&sample, 6);
	page.type = page.block_type = page.flags = KMP_NONE;
	page.stack = sample.stacks[0];
	struct kmp_groups *groups = group(&sample, "allocator", &page, 1, false);

	assert_string_equal(groups->groups[0].key[0].text, "VMALLOC");
	kmp_groups_destroy(groups);
	page.flags = sample_text(&sample, KMP_DICT_FLAGS, "0x41(slab|node=1|zone=2)");
	groups = group(&sample, "allocator", &page, 1, false);
	assert_string_equal(groups->groups[0].key[0].text, "SLAB");
	kmp_groups_destroy(groups);
	page.block_type = sample_text(&sample, KMP_DICT_TYPE, "CMA");
	groups = group(&sample, "allocator", &page, 1, false);
	assert_string_equal(groups->groups[0].key[0].text, "CMA");
	kmp_groups_destroy(groups);
	kmp_ledger_destroy(sample.ledger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_groupings_have_the_same_total),
		cmocka_unit_test(groups_are_those_of_a_plain_count),
		cmocka_unit_test(a_trace_is_one_group_whatever_its_handles),
		cmocka_unit_test(times_and_lower_bounds_are_kept),
		cmocka_unit_test(counts_of_show_stacks_tell_no_order),
		cmocka_unit_test(only_needed_columns_are_asked_for),
		cmocka_unit_test(unknown_keys_offer_the_nearest),
		cmocka_unit_test(allocators_are_known_by_name),
		cmocka_unit_test(frames_are_taken_apart),
		cmocka_unit_test(the_allocator_is_the_first_that_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
