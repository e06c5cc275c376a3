// SPDX-License-Identifier: GPL-2.0-only
#include "format/flame_path.h"

#include <inttypes.h>
#include <string.h>

#include "format/frame_parts.h"
#include "format/views.h"

struct kmp_error *kmp_flame_check(const struct kmp_groups *groups)
{
	if (groups->unit == KMP_UNIT_TAGS)
		return NULL;
	for (size_t i = 0; i < groups->key_count; i++) {
		if (strcmp(groups->keys[i], "stack") == 0)
			return NULL;
	}
	return kmp_error_new(KMP_ERROR_USAGE,
			     "folded stacks, flame graphs and pprof need `stack` among the keys");
}

static struct kmp_error *end_step(struct flame_path *path, size_t start, enum step_kind kind)
{
	struct flame_step step = { start, path->text.len - start, kind };

	return vec_push(&path->steps, step);
}

static struct kmp_error *add_step(struct flame_path *path, const char *text, size_t len,
				  enum step_kind kind)
{
	size_t start = path->text.len;

	try(kmp_visible_append(&path->text, text, len));
	return end_step(path, start, kind);
}

static struct kmp_error *add_frame(struct flame_path *path, const char *frame)
{
	size_t start = path->text.len;
	struct frame_parts parts;

	kmp_frame_parts(frame, &parts);
	try(kmp_visible_append(&path->text, parts.name, parts.name_len));
	if (parts.module_len) {
		try(kmp_buf_printf(&path->text, " ["));
		try(kmp_visible_append(&path->text, parts.module, parts.module_len));
		try(kmp_buf_printf(&path->text, "]"));
	}
	return end_step(path, start, STEP_FRAME);
}

static struct kmp_error *add_stack(struct flame_path *path, const struct kmp_value *value)
{
	size_t start = path->text.len;

	for (size_t i = value->depth; i > 0; i--)
		try(add_frame(path, value->frames[i - 1]));
	if (value->depth)
		return NULL;
	try(kmp_buf_printf(&path->text, "handle %" PRId64, value->number));
	return end_step(path, start, STEP_FRAME);
}

/* The parts of a file's path, each a step. */
static struct kmp_error *add_file(struct flame_path *path, const char *text, size_t len)
{
	for (size_t i = 0; i < len;) {
		const char *slash = memchr(text + i, '/', len - i);
		size_t end = slash ? (size_t)(slash - text) : len;

		if (end > i && !(end == i + 1 && text[i] == '.'))
			try(add_step(path, text + i, end - i, STEP_FILE));
		i = end + 1;
	}
	return NULL;
}

static struct kmp_error *add_key(struct flame_path *path, const char *key,
				 const struct kmp_value *value, enum step_kind kind)
{
	size_t start = path->text.len;

	if (value->kind == KMP_VALUE_TEXT && value->len) {
		if (strcmp(key, "file") == 0 || strcmp(key, "directory") == 0)
			return add_file(path, value->text, value->len);
		return add_step(path, value->text, value->len, kind);
	}
	if (value->kind == KMP_VALUE_NUMBER)
		try(kmp_buf_printf(&path->text, "%s %" PRId64, key, value->number));
	else if (value->kind == KMP_VALUE_TEXT)
		try(kmp_buf_printf(&path->text, "%s",
				   strcmp(key, "module") == 0 ? "(built-in)" : "\"\""));
	else
		try(kmp_buf_printf(&path->text, "%s -", key));
	return end_step(path, start, kind);
}

/* `function:line [module]` beneath the parts of the file's path. */
static struct kmp_error *add_location(struct flame_path *path, const struct kmp_value *key)
{
	try(add_key(path, "file", &key[0], STEP_FILE));
	size_t start = path->text.len;
	try(kmp_visible_append(&path->text, key[3].text ? key[3].text : "-",
			       key[3].text ? key[3].len : 1));
	if (key[1].kind == KMP_VALUE_NUMBER && key[1].number)
		try(kmp_buf_printf(&path->text, ":%" PRId64, key[1].number));
	if (key[2].kind == KMP_VALUE_TEXT && key[2].len) {
		try(kmp_buf_printf(&path->text, " ["));
		try(kmp_visible_append(&path->text, key[2].text, key[2].len));
		try(kmp_buf_printf(&path->text, "]"));
	}
	return end_step(path, start, STEP_FILE);
}

static struct kmp_error *add_steps(struct flame_path *path, const struct kmp_groups *groups,
				   const struct kmp_group *group)
{
	enum step_kind kind = groups->unit == KMP_UNIT_TAGS ? STEP_FILE : STEP_KEY;
	const struct kmp_value *stack = NULL;

	if (kmp_groups_are_locations(groups))
		return add_location(path, group->key);
	for (size_t i = 0; i < groups->key_count; i++) {
		if (strcmp(groups->keys[i], "stack") == 0)
			stack = &group->key[i];
		else
			try(add_key(path, groups->keys[i], &group->key[i], kind));
	}
	if (!stack)
		return NULL;
	if (stack->kind == KMP_VALUE_STACK)
		return add_stack(path, stack);
	return add_step(path, "stack -", 7, STEP_FRAME);
}

struct kmp_error *kmp_flame_path(struct flame_path *path, const struct kmp_groups *groups,
				 const struct kmp_group *group)
{
	path->text.len = path->steps.len = 0;
	try(add_steps(path, groups, group));
	if (!path->steps.len)
		return add_step(path, "-", 1, STEP_KEY);
	return NULL;
}

void kmp_flame_path_deinit(struct flame_path *path)
{
	vec_deinit(&path->text);
	vec_deinit(&path->steps);
}
