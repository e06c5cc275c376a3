// SPDX-License-Identifier: GPL-2.0-only
/* What a text is, told from its first bytes: names lie, and people rename their files. */
#include <string.h>

#include "base/lines.h"
#include "format/allocinfo.h"
#include "format/log_prefix.h"
#include "format/oom_log.h"
#include "format/show_stacks.h"
#include "source/source.h"

static enum kmp_text_kind page_owner_kind(const char *head, size_t len)
{
	switch (kmp_po_looks_like(head, len)) {
	case KMP_PO_RECORDS:
		return KMP_TEXT_PAGE_OWNER;
	case KMP_PO_SORTED:
		return KMP_TEXT_SORTED;
	case KMP_PO_DUMP_PAGE:
		return KMP_TEXT_DUMP_PAGE;
	case KMP_PO_NOT:
		break;
	}
	return KMP_TEXT_UNKNOWN;
}

static enum kmp_text_kind stacks_kind(const char *head, size_t len)
{
	static const enum kmp_text_kind kinds[] = { KMP_TEXT_SHOW_STACKS, KMP_TEXT_SHOW_HANDLES,
						    KMP_TEXT_SHOW_STACKS_HANDLES };
	const char *name = kmp_show_stacks_kind(head, len);

	for (size_t i = 0; name && i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!strcmp(name, kmp_text_kind_name(kinds[i])))
			return kinds[i];
	}
	return KMP_TEXT_UNKNOWN;
}

/* A kernel log whose list of allocations stands further down than the first bytes. */
static bool is_kernel_log(const char *head, size_t len)
{
	size_t lines = 0;
	size_t logged_lines = 0;
	const char *at = head;
	const char *end = head + len;

	while (at < end && lines < 40) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		size_t n = (size_t)((nl ? nl : end) - at);
		bool logged;

		kmp_log_prefix(at, n, &logged);
		lines++;
		logged_lines += logged;
		at += n + 1;
	}
	return lines && logged_lines * 2 > lines;
}

enum kmp_text_kind kmp_text_detect(const char *head, size_t len)
{
	enum kmp_text_kind kind = page_owner_kind(head, len);

	if (kind == KMP_TEXT_UNKNOWN)
		kind = stacks_kind(head, len);
	if (kind != KMP_TEXT_UNKNOWN)
		return kind;
	if (!len)
		return KMP_TEXT_EMPTY;
	if (kmp_oom_log_looks_like(head, len))
		return KMP_TEXT_OOM_LOG;
	if (kmp_allocinfo_looks_like(head, len))
		return KMP_TEXT_ALLOCINFO;
	return is_kernel_log(head, len) ? KMP_TEXT_OOM_LOG : KMP_TEXT_UNKNOWN;
}

const char *kmp_text_kind_name(enum kmp_text_kind kind)
{
	static const char *const names[] = {
		[KMP_TEXT_UNKNOWN] = "unknown",
		[KMP_TEXT_PAGE_OWNER] = "page_owner",
		[KMP_TEXT_SORTED] = "sorted",
		[KMP_TEXT_DUMP_PAGE] = "dump_page",
		[KMP_TEXT_SHOW_STACKS] = "show_stacks",
		[KMP_TEXT_SHOW_HANDLES] = "show_handles",
		[KMP_TEXT_SHOW_STACKS_HANDLES] = "show_stacks_handles",
		[KMP_TEXT_ALLOCINFO] = "allocinfo",
		[KMP_TEXT_OOM_LOG] = "log",
		[KMP_TEXT_EMPTY] = "empty",
	};

	return names[kind];
}

uint32_t kmp_text_holds(enum kmp_text_kind kind)
{
	switch (kind) {
	case KMP_TEXT_PAGE_OWNER:
	case KMP_TEXT_SORTED:
	case KMP_TEXT_DUMP_PAGE:
	case KMP_TEXT_SHOW_STACKS:
	case KMP_TEXT_SHOW_HANDLES:
		return KMP_READ_PAGES;
	case KMP_TEXT_ALLOCINFO:
	case KMP_TEXT_OOM_LOG:
		return KMP_READ_TAGS;
	case KMP_TEXT_SHOW_STACKS_HANDLES:
	case KMP_TEXT_UNKNOWN:
	case KMP_TEXT_EMPTY:
		break;
	}
	return 0;
}

static struct kmp_error *read_lines(enum kmp_text_kind kind, struct kmp_lines *lines,
				    struct kmp_ledger *ledger, const struct kmp_sink *sink)
{
	switch (kind) {
	case KMP_TEXT_SHOW_STACKS:
	case KMP_TEXT_SHOW_HANDLES:
	case KMP_TEXT_SHOW_STACKS_HANDLES:
		return kmp_show_stacks_read(lines, ledger, sink);
	case KMP_TEXT_ALLOCINFO:
		return kmp_allocinfo_read(lines, ledger);
	case KMP_TEXT_OOM_LOG:
		return kmp_oom_log_read(lines, ledger);
	default:
		return kmp_error_new(KMP_ERROR_INPUT, "of no known format");
	}
}

struct kmp_error *kmp_text_read(enum kmp_text_kind kind, struct kmp_input *input,
				struct kmp_ledger *ledger, const struct kmp_sink *sink,
				const struct kmp_source_options *options)
{
	struct kmp_lines *lines;

	if (kind == KMP_TEXT_PAGE_OWNER || kind == KMP_TEXT_SORTED || kind == KMP_TEXT_DUMP_PAGE)
		return kmp_po_read(input, ledger, sink, options);
	try(kmp_lines_create(input, &lines));
	struct kmp_error *err = read_lines(kind, lines, ledger, sink);
	kmp_lines_destroy(lines);
	return kmp_error_at(err, kmp_input_path(input));
}
