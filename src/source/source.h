/* SPDX-License-Identifier: GPL-2.0-only */
/* What kmp_source_open() found, and the readers it chooses from. */
#ifndef KMP_SOURCE_SOURCE_H
#define KMP_SOURCE_SOURCE_H

#include "base/input.h"
#include "format/page_owner.h"

/* The kinds of text there are, told by content. */
enum kmp_text_kind {
	KMP_TEXT_UNKNOWN,
	KMP_TEXT_PAGE_OWNER,
	KMP_TEXT_SORTED,
	KMP_TEXT_DUMP_PAGE,
	KMP_TEXT_SHOW_STACKS,
	KMP_TEXT_SHOW_HANDLES,
	KMP_TEXT_SHOW_STACKS_HANDLES,
	KMP_TEXT_ALLOCINFO,
	KMP_TEXT_OOM_LOG,
	KMP_TEXT_EMPTY,
};

/* What the first bytes of a text are. */
enum kmp_text_kind kmp_text_detect(const char *head, size_t len);

/* As in kmp_facts.kind. */
const char *kmp_text_kind_name(enum kmp_text_kind kind);

/* KMP_READ_PAGES or KMP_READ_TAGS, 0 for show_stacks_handles, which resolves only. */
uint32_t kmp_text_holds(enum kmp_text_kind kind);

/* Read one text into the ledger and the sink (not NULL). */
struct kmp_error *kmp_text_read(enum kmp_text_kind kind, struct kmp_input *input,
				struct kmp_ledger *ledger, const struct kmp_sink *sink,
				const struct kmp_source_options *options) must_check;

/* page_owner text, sorted output and dump_page() lines, by as many parsers as options ask for. */
struct kmp_error *kmp_po_read(struct kmp_input *input, struct kmp_ledger *ledger,
			      const struct kmp_sink *sink,
			      const struct kmp_source_options *options) must_check;

/* Files of a directory that the kernel's files were copied to, or of debugfs itself. */
struct kmp_directory {
	char *page_owner; /* paths; NULL: not there */
	char *show_stacks;
	char *show_handles;
	char *show_stacks_handles;
	char *allocinfo;
	char *zoneinfo;
	char *version;
	char *mem_profiling;
	VEC(char *) left_out; /* page_owner files beside the one chosen */
};

/* KMP_ERROR_INPUT if none of the kernel's files is there. */
struct kmp_error *kmp_directory_scan(const char *path, struct kmp_directory *dir) must_check;
void kmp_directory_deinit(struct kmp_directory *dir);

/*
 * zoneinfo: the zones' names; version: the kernel's release; vm.mem_profiling: whether allocation
 * profiling is off. All into the ledger.
 */
struct kmp_error *kmp_zoneinfo_read(const char *path, struct kmp_ledger *ledger) must_check;
struct kmp_error *kmp_version_read(const char *path, struct kmp_ledger *ledger) must_check;
struct kmp_error *kmp_profiling_read(const char *path, struct kmp_ledger *ledger) must_check;

#endif
