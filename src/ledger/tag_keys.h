/* SPDX-License-Identifier: GPL-2.0-only */
/* The keys by which tags are grouped. */
#ifndef KMP_LEDGER_TAG_KEYS_H
#define KMP_LEDGER_TAG_KEYS_H

#include "base/error.h"

enum kmp_tag_key {
	KMP_TAG_FILE,
	KMP_TAG_LINE,
	KMP_TAG_MODULE,
	KMP_TAG_FUNCTION,
	KMP_TAG_DIRECTORY,
	KMP_TAG_ALL, /* file, line, module and function */
	KMP_TAG_KEYS
};

struct kmp_tag_keys {
	enum kmp_tag_key list[KMP_TAG_KEYS];
	const char *names[KMP_TAG_KEYS]; /* static */
	size_t count;
};

/* What a location is grouped by. */
struct kmp_tag_parts {
	const char *file; /* normalised */
	size_t file_len;
	const char *module;
	size_t module_len;
	const char *function;
	size_t function_len;
	uint64_t line; /* 0: not told */
};

/* Keys joined with commas, `tag` for NULL. KMP_ERROR_USAGE for an unknown one. */
struct kmp_error *kmp_tag_keys_parse(struct kmp_tag_keys *keys, const char *text) must_check;

bool kmp_tag_keys_have(const struct kmp_tag_keys *keys, enum kmp_tag_key key);

/* The value of a key; its text is that of the parts. */
struct kmp_value kmp_tag_key_value(const struct kmp_tag_parts *parts, enum kmp_tag_key key);

#endif
