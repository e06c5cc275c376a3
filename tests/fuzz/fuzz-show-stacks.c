// SPDX-License-Identifier: GPL-2.0-only
/* Any bytes as a page_owner_stacks file: pages refer to what is in the ledger, and to no more. */
#include <assert.h>

#include "format/show_stacks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct kmp_ledger *ledger, const struct kmp_page *page)
{
	const struct kmp_stack *stack = kmp_ledger_stack(ledger, page->stack);

	assert(page->stack == KMP_NONE || stack);
	assert(page->records == 0 || page->records == page->pages);
	assert(!(page->form & KMP_FORM_HANDLE) || stack->has_handle);
	if (page->form & KMP_FORM_TRACE)
		assert(stack->trace < kmp_ledger_count(ledger, KMP_LIST_TRACES));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct kmp_ledger *ledger;
	struct kmp_lines *lines;

	if (kmp_ledger_create(&ledger))
		return 0;
	bool told = kmp_show_stacks_looks_like(text, size);

	if (!kmp_lines_create_memory(text, size, &lines)) {
		struct kmp_error *err = kmp_show_stacks_read(lines, ledger, NULL);

		/* What begins as a packed file may be a damaged one. */
		assert(!err || err->kind == KMP_ERROR_INPUT);
		told = told && !err;
		kmp_error_destroy(err);
		kmp_lines_destroy(lines);
	}
	assert(!told || kmp_ledger_count(ledger, KMP_LIST_STACKS));
	for (size_t i = 0; i < kmp_ledger_count(ledger, KMP_LIST_PAGES); i++)
		check(ledger, &kmp_ledger_pages(ledger)[i]);
	kmp_ledger_destroy(ledger);
	return 0;
}
