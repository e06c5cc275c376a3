// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filter expressions: any bytes compile or are refused with a caret, and a filter answers the same
 * when it is asked again and when it is compiled again.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kmemprof/kmemprof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PAGES = 4 };

static struct kmp_ledger *ledger;
static struct kmp_page pages[PAGES];

static uint32_t text(enum kmp_dict dict, const char *bytes)
{
	uint32_t number;

	if (kmp_ledger_add_text(ledger, dict, bytes, strlen(bytes), &number))
		abort();
	return number;
}

static void fill(void)
{
	struct kmp_task task = { .pid = 1, .tgid = 2 };
	struct kmp_stack stack = { .handle = 7, .has_handle = true };
	uint32_t frame;

	if (kmp_ledger_create(&ledger))
		abort();
	task.comm = text(KMP_DICT_COMM, "a b (c)");
	frame = text(KMP_DICT_FRAME, "xfs_read+0x1/0x2 [xfs]");
	for (size_t i = 0; i < PAGES; i++) {
		struct kmp_page *page = &pages[i];

		memset(page, i % 2 ? 0xff : 0, sizeof(*page));
		page->flags = text(KMP_DICT_FLAGS, i ? "0x1(lru|slab|node=1|zone=2)" : "");
		page->gfp = text(KMP_DICT_GFP, i ? "0xcc0(GFP_KERNEL)" : "0x");
		if (kmp_ledger_add_task(ledger, &task, &page->task) ||
		    kmp_ledger_add_trace(ledger, &frame, (uint32_t)i % 2, &stack.trace) ||
		    kmp_ledger_add_stack(ledger, &stack, &page->stack))
			abort();
	}
	pages[0].stack = KMP_NONE;
}

static void check_message(const char *message)
{
	const char *second = strchr(message, '\n');

	if (!second)
		return;
	assert(strchr(second + 1, '\n'));
	assert(message[strlen(message) - 1] == '^');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *expression = malloc(size + 1);
	struct kmp_filter *filter, *again;

	if (!ledger)
		fill();
	memcpy(expression, data, size);
	expression[size] = '\0';
	struct kmp_error *err = kmp_filter_compile(expression, &filter);

	if (err) {
		assert(err->kind == KMP_ERROR_USAGE || err->kind == KMP_ERROR_MEMORY);
		check_message(err->message);
		kmp_error_destroy(err);
		free(expression);
		return 0;
	}
	if (kmp_filter_compile(expression, &again))
		abort();
	assert(!(kmp_filter_columns(filter) & ~(uint32_t)KMP_COLUMN_ALL));
	for (size_t i = 0; i < PAGES * 2; i++) {
		bool holds = kmp_filter_match(filter, ledger, &pages[i % PAGES]);

		assert(holds == kmp_filter_match(again, ledger, &pages[i % PAGES]));
	}
	kmp_filter_destroy(filter);
	kmp_filter_destroy(again);
	free(expression);
	return 0;
}
