// SPDX-License-Identifier: GPL-2.0-only
/* Every stack of a ledger, also of no pages, as the kernel's show_stacks_handles lists them. */
#include "base/cleanup.h"
#include "base/error.h"
#include "ledger/ledger.h"

DEFINE_CLEANUP(grouping, struct kmp_grouping *, kmp_grouping_destroy)

static bool is_listed(const struct kmp_stack *stack)
{
	return stack->has_handle && stack->trace != KMP_NONE;
}

static bool lists_all(const struct kmp_ledger *ledger, const struct kmp_groups *groups)
{
	size_t count = kmp_ledger_count(ledger, KMP_LIST_STACKS), stacks = 0, listed = 0;

	for (uint32_t i = 0; i < count; i++)
		stacks += is_listed(kmp_ledger_stack(ledger, i));
	for (size_t i = 0; i < groups->count; i++) {
		const struct kmp_value *key = groups->groups[i].key;

		listed += key[0].kind == KMP_VALUE_STACK && key[0].depth &&
			  key[1].kind != KMP_VALUE_NONE;
	}
	return listed >= stacks;
}

static struct kmp_error *feed_stacks(struct kmp_ledger *ledger, const struct kmp_sink *sink)
{
	struct kmp_page page = kmp_page_blank;
	size_t count = kmp_ledger_count(ledger, KMP_LIST_STACKS);

	page.form = KMP_FORM_TRACE | KMP_FORM_HANDLE;
	for (page.stack = 0; page.stack < count; page.stack++) {
		if (is_listed(kmp_ledger_stack(ledger, page.stack)))
			try(sink->pages(sink->arg, ledger, &page, 1));
	}
	return NULL;
}

struct kmp_error *kmp_stacks_list(struct kmp_ledger *ledger, const struct kmp_groups *counted,
				  struct kmp_groups **all)
{
	struct kmp_grouping *grouping cleanup(cleanup_grouping) = NULL;

	*all = NULL;
	if (lists_all(ledger, counted))
		return NULL;
	try(kmp_grouping_create(ledger, "stack,handle", NULL, &grouping));
	struct kmp_sink sink = kmp_grouping_sink(grouping);

	try(feed_stacks(ledger, &sink));
	return kmp_grouping_finish(no_free(grouping), all);
}
