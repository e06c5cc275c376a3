// SPDX-License-Identifier: GPL-2.0-only
#include "ledger/tag_keys.h"

#include <string.h>

#include "base/nearest.h"
#include "base/path.h"

static const char *const key_names[] = {
	[KMP_TAG_FILE] = "file",	   [KMP_TAG_LINE] = "line",
	[KMP_TAG_MODULE] = "module",	   [KMP_TAG_FUNCTION] = "function",
	[KMP_TAG_DIRECTORY] = "directory", [KMP_TAG_ALL] = "tag",
};

static void add_key(struct kmp_tag_keys *keys, enum kmp_tag_key key)
{
	if (key == KMP_TAG_ALL) {
		for (int k = KMP_TAG_FILE; k <= KMP_TAG_FUNCTION; k++)
			add_key(keys, (enum kmp_tag_key)k);
		return;
	}
	if (kmp_tag_keys_have(keys, key))
		return;
	keys->list[keys->count] = key;
	keys->names[keys->count++] = key_names[key];
}

static struct kmp_error *parse_key(struct kmp_tag_keys *keys, const char *name, size_t len)
{
	char offer[KMP_NEAREST_SIZE];

	for (size_t i = 0; i < KMP_TAG_KEYS; i++) {
		if (strlen(key_names[i]) == len && !memcmp(key_names[i], name, len)) {
			add_key(keys, (enum kmp_tag_key)i);
			return NULL;
		}
	}
	kmp_nearest(name, len, key_names, KMP_TAG_KEYS, offer);
	return kmp_error_new(KMP_ERROR_USAGE, "unknown key of tags '%.*s'%s",
			     (int)(len < 64 ? len : 64), name, offer);
}

struct kmp_error *kmp_tag_keys_parse(struct kmp_tag_keys *keys, const char *text)
{
	*keys = (struct kmp_tag_keys){ .count = 0 };
	if (!text)
		text = "tag";
	for (;;) {
		size_t len = strcspn(text, ",");

		try(parse_key(keys, text, len));
		if (!text[len])
			return NULL;
		text += len + 1;
	}
}

bool kmp_tag_keys_have(const struct kmp_tag_keys *keys, enum kmp_tag_key key)
{
	for (size_t i = 0; i < keys->count; i++) {
		if (keys->list[i] == key)
			return true;
	}
	return false;
}

static struct kmp_value text_value(const char *text, size_t len)
{
	return (struct kmp_value){ .kind = KMP_VALUE_TEXT, .text = text, .len = len };
}

static struct kmp_value directory_value(const struct kmp_tag_parts *parts)
{
	size_t len = kmp_path_directory(parts->file, parts->file_len);

	return len ? text_value(parts->file, len) : text_value(".", 1);
}

struct kmp_value kmp_tag_key_value(const struct kmp_tag_parts *parts, enum kmp_tag_key key)
{
	switch (key) {
	case KMP_TAG_FILE:
		return text_value(parts->file, parts->file_len);
	case KMP_TAG_MODULE:
		return text_value(parts->module, parts->module_len);
	case KMP_TAG_FUNCTION:
		return text_value(parts->function, parts->function_len);
	case KMP_TAG_DIRECTORY:
		return directory_value(parts);
	case KMP_TAG_LINE:
	case KMP_TAG_ALL:
	case KMP_TAG_KEYS:
		break;
	}
	if (!parts->line || parts->line > INT64_MAX)
		return (struct kmp_value){ .kind = KMP_VALUE_NONE };
	return (struct kmp_value){ .kind = KMP_VALUE_NUMBER, .number = (int64_t)parts->line };
}
