// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handles that show_stacks_handles does not list: those of pages that the kernel allocated before
 * page_owner started, most of all, and stacks that came after it was read. A page that has such a
 * handle is asked for its stack.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/scan.h"
#include "format/page_owner.h"
#include "ledger/ledger.h"
#include "source/native.h"

enum { RECORD_MAX = 64 << 10 };

DEFINE_CLEANUP(parser, struct kmp_po_parser *, kmp_po_parser_destroy)

static struct kmp_error *note(void *arg, struct kmp_ledger *ledger, const struct kmp_page *pages,
			      size_t count)
{
	struct kmp_unresolved *u = arg;

	for (size_t i = 0; i < count; i++) {
		const struct kmp_stack *stack = kmp_ledger_stack(ledger, pages[i].stack);

		if (!stack || stack->trace != KMP_NONE)
			continue;
		while (u->pfns.len <= pages[i].stack)
			try(vec_push(&u->pfns, (struct kmp_two_pfns){ KMP_UNKNOWN, KMP_UNKNOWN }));
		struct kmp_two_pfns *two = &u->pfns.data[pages[i].stack];

		/* The first and the last: one of them may be freed by the time we ask. */
		if (two->first == KMP_UNKNOWN)
			two->first = pages[i].pfn;
		two->last = pages[i].pfn;
	}
	return u->next->pages(u->next->arg, ledger, pages, count);
}

void kmp_unresolved_init(struct kmp_unresolved *u, const struct kmp_sink *next)
{
	*u = (struct kmp_unresolved){
		.sink = { note, u, next->columns | KMP_COLUMN_STACK | KMP_COLUMN_PFN },
		.next = next,
	};
}

void kmp_unresolved_deinit(struct kmp_unresolved *u)
{
	vec_deinit(&u->pfns);
}

/* Read one record with its stack into the ledger, which then knows the handle. */
static struct kmp_error *ask(struct kmp_po_parser *parser, int fd, uint64_t pfn, const char *path)
{
	struct kmp_po_result result = { 0 };
	auto_free char *record = calloc(1, RECORD_MAX + SCAN_PAD);

	if (!record)
		return &kmp_error_no_memory;
	if (pfn == KMP_UNKNOWN || lseek(fd, (off_t)pfn, SEEK_SET) < 0)
		return NULL;
	ssize_t got = read(fd, record, RECORD_MAX);

	if (got < 0 && errno != ENOMEM)
		return kmp_error_system(errno, path, "cannot read");
	if (got <= 0)
		return NULL;
	struct kmp_error *err = kmp_po_parse(parser, record, (size_t)got, true, &result);

	vec_deinit(&result.pages);
	vec_deinit(&result.skips);
	return err;
}

struct kmp_error *kmp_unresolved_ask(struct kmp_unresolved *u, const struct kmp_native *native,
				     struct kmp_ledger *ledger)
{
	static const char filter[] = "mode=stack_handle";
	struct kmp_po_parser *parser cleanup(cleanup_parser) = NULL;
	auto_fd int fd = open(native->path, O_RDWR | O_CLOEXEC);

	if (!native->seek || fd < 0 || write(fd, filter, sizeof(filter) - 1) < 0)
		return NULL;
	try(kmp_po_parser_create(ledger, &parser));
	for (uint32_t i = 0; i < u->pfns.len; i++) {
		const uint64_t pfns[] = { u->pfns.data[i].first, u->pfns.data[i].last };

		for (size_t n = 0; n < 2 && kmp_ledger_stack(ledger, i)->trace == KMP_NONE; n++)
			try(ask(parser, fd, pfns[n], native->path));
	}
	return NULL;
}
