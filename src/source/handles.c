// SPDX-License-Identifier: GPL-2.0-only
#include "source/handles.h"

#include "base/cleanup.h"
#include "format/show_stacks.h"
#include "ledger/ledger.h"
#include "source/source.h"

DEFINE_CLEANUP(input, struct kmp_input *, kmp_input_destroy)
DEFINE_CLEANUP(ledger, struct kmp_ledger *, kmp_ledger_destroy)

static struct kmp_error *read_all(const char *path, struct kmp_ledger *all)
{
	struct kmp_input *input cleanup(cleanup_input) = NULL;
	const struct kmp_source_options options = { .threads = 1 };

	try(kmp_input_open(path, &input));
	return kmp_text_read(KMP_TEXT_SHOW_STACKS_HANDLES, input, all, NULL, &options);
}

static struct kmp_error *copy_trace(const struct kmp_ledger *all, struct kmp_ledger *ledger,
				    const struct kmp_stack *stack)
{
	struct kmp_trace trace = kmp_ledger_trace(all, stack->trace);
	struct kmp_stack copy = { KMP_NONE, stack->handle, true };
	auto_free uint32_t *frames = calloc(trace.depth + 1, sizeof(*frames));
	uint32_t number;

	if (!frames)
		return &kmp_error_no_memory;
	for (uint32_t i = 0; i < trace.depth; i++) {
		size_t len;
		const char *text = kmp_ledger_text(all, KMP_DICT_FRAME, trace.frames[i], &len);

		try(kmp_ledger_add_text(ledger, KMP_DICT_FRAME, text, len, &frames[i]));
	}
	try(kmp_ledger_add_trace(ledger, frames, trace.depth, &copy.trace));
	return kmp_ledger_add_stack(ledger, &copy, &number);
}

struct kmp_error *kmp_handles_resolve(const char *path, struct kmp_ledger *ledger)
{
	struct kmp_ledger *all cleanup(cleanup_ledger) = NULL;

	try(kmp_ledger_create(&all));
	try(read_all(path, all));
	for (uint32_t i = 0; i < kmp_ledger_count(all, KMP_LIST_STACKS); i++) {
		const struct kmp_stack *stack = kmp_ledger_stack(all, i);
		uint32_t known = stack->has_handle && stack->trace != KMP_NONE
					 ? kmp_ledger_find_handle(ledger, stack->handle)
					 : KMP_NONE;

		if (known != KMP_NONE && kmp_ledger_stack(ledger, known)->trace == KMP_NONE)
			try(copy_trace(all, ledger, stack));
	}
	const struct kmp_losses *losses = kmp_ledger_losses(all);

	kmp_ledger_add_losses(ledger, 0, losses->cut);
	return losses->skipped
		       ? kmp_ledger_add_skipped(ledger, losses->first_line, losses->first_reason)
		       : NULL;
}
