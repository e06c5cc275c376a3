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

/* Read one record with its stack into the ledger, which then knows the handle. */
static struct kmp_error *ask(struct kmp_unresolved *u, uint64_t pfn)
{
	struct kmp_po_result result = { 0 };
	auto_free char *record = NULL;

	if (u->fd < 0 || pfn == KMP_UNKNOWN || lseek(u->fd, (off_t)pfn, SEEK_SET) < 0)
		return NULL;
	record = calloc(1, RECORD_MAX + SCAN_PAD);
	if (!record)
		return &kmp_error_no_memory;
	ssize_t got = read(u->fd, record, RECORD_MAX);

	if (got < 0 && errno != ENOMEM)
		return kmp_error_system(errno, u->native->path, "cannot read");
	if (got <= 0)
		return NULL;
	struct kmp_error *err = kmp_po_parse(u->parser, record, (size_t)got, true, &result);

	vec_deinit(&result.pages);
	vec_deinit(&result.skips);
	return err;
}

/* At once: a page may be freed by the time that all are read. */
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

		two->last = pages[i].pfn;
		if (two->first != KMP_UNKNOWN)
			continue;
		two->first = pages[i].pfn;
		try(ask(u, two->first));
	}
	return u->next->pages(u->next->arg, ledger, pages, count);
}

struct kmp_error *kmp_unresolved_init(struct kmp_unresolved *u, const struct kmp_native *native,
				      struct kmp_ledger *ledger, const struct kmp_sink *next)
{
	static const char filter[] = "mode=stack_handle";

	*u = (struct kmp_unresolved){
		.sink = { note, u, next->columns | KMP_COLUMN_STACK | KMP_COLUMN_PFN },
		.next = next,
		.native = native,
		.fd = -1,
	};
	if (!native->seek)
		return NULL;
	try(kmp_po_parser_create(ledger, &u->parser));
	u->fd = open(native->path, O_RDWR | O_CLOEXEC);
	if (u->fd >= 0 && write(u->fd, filter, sizeof(filter) - 1) < 0) {
		close(u->fd);
		u->fd = -1;
	}
	return NULL;
}

void kmp_unresolved_deinit(struct kmp_unresolved *u)
{
	kmp_po_parser_destroy(u->parser);
	if (u->fd >= 0)
		close(u->fd);
	vec_deinit(&u->pfns);
}

struct kmp_error *kmp_unresolved_ask(struct kmp_unresolved *u, struct kmp_ledger *ledger)
{
	for (uint32_t i = 0; i < u->pfns.len; i++) {
		const struct kmp_two_pfns *two = &u->pfns.data[i];

		for (size_t n = 0; n < 2 && kmp_ledger_stack(ledger, i)->trace == KMP_NONE; n++)
			try(ask(u, n ? two->first : two->last));
	}
	return NULL;
}
