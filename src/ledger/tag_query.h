/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which tags of a store: the criteria of the kernel's ioctl. Texts are compared as numbers; the
 * counters are added up only for tags that pass all criteria but the sizes, and only if there is
 * a criterion on sizes.
 */
#ifndef KMP_LEDGER_TAG_QUERY_H
#define KMP_LEDGER_TAG_QUERY_H

#include "ledger/tag_store.h"

enum kmp_tag_criterion {
	KMP_TAG_MODULE = 1 << 0,
	KMP_TAG_FUNCTION = 1 << 1,
	KMP_TAG_FILE = 1 << 2,
	KMP_TAG_LINE = 1 << 3,
	KMP_TAG_INACCURATE = 1 << 4,
	KMP_TAG_MIN_SIZE = 1 << 5,
	KMP_TAG_MAX_SIZE = 1 << 6,
	KMP_TAG_ALL = (1 << 7) - 1
};

/* A text wanted. */
struct kmp_tag_text {
	char bytes[KMP_TAG_TEXT_MAX + 1];
	uint32_t number; /* in kmp_tags.texts; KMP_NONE: no tag has it */
	bool never;	 /* no tag can have it, now or later */
};

struct kmp_tag_query {
	uint32_t set; /* bits of enum kmp_tag_criterion; the members of the others are unused */
	struct kmp_tag_text module;
	struct kmp_tag_text function;
	struct kmp_tag_text file;
	bool any_spelling; /* the file as printed or as normalised */
	bool inaccurate;
	uint64_t line;
	uint64_t min_size;
	uint64_t max_size;
	uint64_t sign; /* toggled before sizes are compared: 0 for unsigned, 1 << 63 for signed */
};

/* Want the last bytes of a text. */
void kmp_tag_text_set(struct kmp_tag_text *want, const char *text);

/* Want the text in an array that holds a NUL; without one no tag is wanted. */
void kmp_tag_text_set_array(struct kmp_tag_text *want, const char array[KMP_TAG_TEXT_MAX + 1]);

/* The query of a filter of the public API (NULL: all tags). */
void kmp_tag_query_init(struct kmp_tag_query *query, const struct kmp_tag_filter *filter);

/* Are both sizes asked for, and the smallest above the largest? */
bool kmp_tag_query_is_empty(const struct kmp_tag_query *query);

/* The first tag from this number on that passes, or the count of tags. The lock is held. */
size_t kmp_tag_query_find(struct kmp_tag_query *query, const struct kmp_tags *tags, size_t from);

#endif
