// SPDX-License-Identifier: GPL-2.0-only
#include "cli/watch/label.h"

#define XXH_INLINE_ALL
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/watch/text.h"

static void hash_bytes(uint64_t hash[2], const void *bytes, size_t len)
{
	XXH128_hash_t h = XXH3_128bits_withSeed(bytes, len, hash[0] ^ len);

	hash[0] = h.low64;
	hash[1] = (hash[1] << 7 | hash[1] >> 57) ^ h.high64;
}

void watch_label_hash(const struct kmp_groups *groups, const struct kmp_group *group,
		      uint64_t hash[2])
{
	hash[0] = hash[1] = 0;
	for (size_t k = 0; k < groups->key_count; k++) {
		const struct kmp_value *value = &group->key[k];

		hash_bytes(hash, &value->kind, sizeof(value->kind));
		if (value->kind == KMP_VALUE_TEXT)
			hash_bytes(hash, value->text, value->len);
		else if (value->kind == KMP_VALUE_NUMBER || !value->depth)
			hash_bytes(hash, &value->number, sizeof(value->number));
		for (size_t i = 0; value->kind == KMP_VALUE_STACK && i < value->depth; i++)
			hash_bytes(hash, value->frames[i], strlen(value->frames[i]));
	}
}

static struct kmp_error *put(struct watch_text *text, const char *bytes)
{
	return watch_text_put(text, bytes, strlen(bytes));
}

static struct kmp_error *put_number(struct watch_text *text, int64_t number)
{
	char buf[32];

	snprintf(buf, sizeof(buf), "%" PRId64, number);
	return put(text, buf);
}

static struct kmp_error *put_value(struct watch_text *text, const struct kmp_value *value)
{
	if (value->kind == KMP_VALUE_NUMBER)
		return put_number(text, value->number);
	if (value->kind != KMP_VALUE_TEXT)
		return put(text, "?");
	return value->len ? watch_text_visible(text, value->text, value->len) : put(text, "\"\"");
}

/* `sym+0x1/0x2 [module]`, without its offset. */
static struct kmp_error *put_frame(struct watch_text *text, const char *frame)
{
	size_t len = strcspn(frame, "+ ");
	const char *module = strstr(frame, " [");

	try(watch_text_visible(text, frame, len));
	return module ? watch_text_visible(text, module, strlen(module)) : NULL;
}

/* The frame of this function, or the innermost. */
static size_t find_frame(const struct kmp_value *stack, const struct kmp_value *function)
{
	for (size_t i = 0; function->kind == KMP_VALUE_TEXT && i < stack->depth; i++) {
		size_t len = strcspn(stack->frames[i], "+ ");

		if (len == function->len && !memcmp(stack->frames[i], function->text, len))
			return i;
	}
	return 0;
}

static struct kmp_error *label_stack(const struct kmp_group *group, struct watch_text *name,
				     struct watch_text *detail)
{
	const struct kmp_value *stack = &group->key[0];

	if (stack->kind != KMP_VALUE_STACK)
		return put(name, "(no stack)");
	if (!stack->depth) {
		try(put(name, "handle "));
		return put_number(name, stack->number);
	}
	size_t first = find_frame(stack, &group->key[1]);

	for (size_t i = first; i < stack->depth; i++) {
		if (i > first)
			try(put(name, " < "));
		try(put_frame(name, stack->frames[i]));
	}
	for (size_t i = 0; i < stack->depth; i++) {
		try(watch_text_visible(detail, stack->frames[i], strlen(stack->frames[i])));
		try(put(detail, "\n"));
	}
	return NULL;
}

/* file, line, module, function. */
static struct kmp_error *label_tag(const struct kmp_group *group, struct watch_text *name,
				   struct watch_text *detail)
{
	const struct kmp_value *file = &group->key[0], *line = &group->key[1];
	const struct kmp_value *module = &group->key[2], *function = &group->key[3];

	try(put_value(name, function));
	try(put(name, " "));
	try(put_value(name, file));
	try(put(name, ":"));
	try(put_value(name, line));
	if (module->kind == KMP_VALUE_TEXT && module->len) {
		try(put(name, " ["));
		try(put_value(name, module));
		try(put(name, "]"));
	}
	try(put(detail, "file     "));
	try(put_value(detail, file));
	try(put(detail, "\nline     "));
	try(put_value(detail, line));
	try(put(detail, "\nmodule   "));
	try(module->len ? put_value(detail, module) : put(detail, "kernel"));
	try(put(detail, "\nfunction "));
	try(put_value(detail, function));
	return put(detail, "\n");
}

static struct kmp_error *label_task(const struct kmp_group *group, struct watch_text *name)
{
	try(put_value(name, &group->key[0]));
	try(put(name, " ("));
	try(put_value(name, &group->key[1]));
	return put(name, ")");
}

static struct kmp_error *label_node(const struct kmp_group *group, struct watch_text *name)
{
	try(put(name, "node "));
	try(put_value(name, &group->key[0]));
	try(put(name, "  zone "));
	return put_value(name, &group->key[1]);
}

static struct kmp_error *label_order(const struct kmp_group *group, struct watch_text *name)
{
	const struct kmp_value *order = &group->key[0];

	try(put(name, "order "));
	try(put_value(name, order));
	if (order->kind != KMP_VALUE_NUMBER || order->number < 0 || order->number > 40)
		return NULL;
	try(put(name, "  ("));
	try(put_number(name, INT64_C(1) << order->number));
	return put(name, order->number ? " pages)" : " page)");
}

static struct kmp_error *label_as(const struct kmp_groups *groups, const struct kmp_group *group,
				  struct watch_text *name, struct watch_text *detail)
{
	const char *key = groups->keys[0];

	if (groups->unit == KMP_UNIT_TAGS)
		return label_tag(group, name, detail);
	if (!strcmp(key, "stack"))
		return label_stack(group, name, detail);
	if (!strcmp(key, "comm"))
		return label_task(group, name);
	return !strcmp(key, "node") ? label_node(group, name) : label_order(group, name);
}

struct kmp_error *watch_label(const struct kmp_groups *groups, const struct kmp_group *group,
			      char **name, char **detail, uint32_t *lines)
{
	struct watch_text first cleanup(watch_text_deinit) = { 0 };
	struct watch_text more cleanup(watch_text_deinit) = { 0 };

	try(put(&first, ""));
	try(put(&more, ""));
	try(label_as(groups, group, &first, &more));
	*lines = 0;
	for (size_t i = 0; i < more.len; i++)
		*lines += more.data[i] == '\n';
	*name = first.data;
	*detail = more.data;
	first.data = more.data = NULL;
	return NULL;
}
