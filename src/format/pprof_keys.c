// SPDX-License-Identifier: GPL-2.0-only
#include "format/pprof.h"

#include <inttypes.h>
#include <string.h>

#include "format/frame_parts.h"
#include "format/views.h"

void kmp_pprof_deinit(struct pprof *p)
{
	pprof_out_deinit(&p->out);
	kmp_pool_deinit(&p->strings);
	kmp_pool_deinit(&p->functions);
	kmp_pool_deinit(&p->locations);
	kmp_pool_deinit(&p->modules);
	vec_deinit(&p->has_files);
	vec_deinit(&p->stack);
	vec_deinit(&p->labels);
	vec_deinit(&p->text);
	kmp_flame_path_deinit(&p->path);
}

static struct kmp_error *visible(struct pprof *p, const char *text, size_t len, uint32_t *number)
{
	p->text.len = 0;
	try(kmp_visible_append(&p->text, text, len));
	return kmp_pool_intern(&p->strings, p->text.len ? p->text.data : "", p->text.len, number);
}

struct kmp_error *kmp_pprof_string(struct pprof *p, const char *text, size_t len, int64_t *number)
{
	uint32_t place;

	try(visible(p, text, len, &place));
	*number = place;
	return NULL;
}

struct kmp_error *kmp_pprof_word(struct pprof *p, const char *text, int64_t *number)
{
	uint32_t place;

	try(kmp_pool_intern(&p->strings, text, strlen(text), &place));
	*number = place;
	return NULL;
}

struct kmp_error *kmp_pprof_module(struct pprof *p, const char *text, size_t len, bool has_file,
				   uint32_t *number)
{
	try(kmp_pool_intern(&p->modules, text, len, number));
	if (*number == p->has_files.len)
		try(vec_push(&p->has_files, false));
	p->has_files.data[*number] |= has_file;
	return NULL;
}

/* Add the location that the parts of a frame tell to the stack. */
static struct kmp_error *add_location(struct pprof *p, const struct frame_parts *parts)
{
	struct pprof_location location = { 0 };
	struct pprof_function function;
	uint32_t number;

	try(visible(p, parts->name, parts->name_len, &function.name));
	try(visible(p, parts->file ? parts->file : "", parts->file_len, &function.file));
	try(kmp_pool_intern(&p->functions, (const char *)&function, sizeof(function),
			    &location.function));
	try(kmp_pprof_module(p, parts->module ? parts->module : "", parts->module_len,
			     parts->file_len > 0, &location.module));
	location.line = parts->line;
	try(kmp_pool_intern(&p->locations, (const char *)&location, sizeof(location), &number));
	return vec_push(&p->stack, (uint64_t)number + 1);
}

static struct kmp_error *add_name(struct pprof *p, const char *name)
{
	struct frame_parts parts = { .name = name, .name_len = strlen(name) };

	return add_location(p, &parts);
}

static struct kmp_error *add_stack(struct pprof *p, const struct kmp_value *value)
{
	struct frame_parts parts;
	char handle[40];

	if (value->kind != KMP_VALUE_STACK)
		return add_name(p, "(stack not told)");
	if (!value->depth) {
		snprintf(handle, sizeof(handle), "handle %" PRId64, value->number);
		return add_name(p, handle);
	}
	for (size_t i = 0; i < value->depth; i++) {
		kmp_frame_parts(value->frames[i], &parts);
		try(add_location(p, &parts));
	}
	return NULL;
}

static struct kmp_error *add_label(struct pprof *p, const char *key, const struct kmp_value *value)
{
	Kmemprof__Pprof__Label label = KMEMPROF__PPROF__LABEL__INIT;
	char number[24];

	if (value->kind == KMP_VALUE_NUMBER) {
		snprintf(number, sizeof(number), "%" PRId64, value->number);
		try(kmp_pprof_word(p, number, &label.str));
	} else if (value->kind == KMP_VALUE_TEXT) {
		try(kmp_pprof_string(p, value->len ? value->text : "\"\"",
				     value->len ? value->len : 2, &label.str));
	} else {
		return NULL;
	}
	try(kmp_pprof_word(p, key, &label.key));
	return vec_push(&p->labels, label);
}

/* A row of allocinfo: file, line, module, function. */
static struct kmp_error *add_tag(struct pprof *p, const struct kmp_value *key)
{
	struct frame_parts parts = { .name = key[3].text ? key[3].text : "-",
				     .name_len = key[3].text ? key[3].len : 1,
				     .file = key[0].text,
				     .file_len = key[0].len,
				     .module = key[2].text,
				     .module_len = key[2].len };

	parts.line = key[1].kind == KMP_VALUE_NUMBER ? (uint64_t)key[1].number : 0;
	return add_location(p, &parts);
}

/* Tags by other keys: what a flame graph shows, innermost first. */
static struct kmp_error *add_path(struct pprof *p, const struct kmp_group *group)
{
	try(kmp_flame_path(&p->path, p->groups, group));
	for (size_t i = p->path.steps.len; i > 0; i--) {
		const struct flame_step *step = &p->path.steps.data[i - 1];
		struct frame_parts parts = { .name = p->path.text.data + step->start,
					     .name_len = step->len };

		try(add_location(p, &parts));
	}
	return NULL;
}

struct kmp_error *kmp_pprof_keys(struct pprof *p, const struct kmp_group *group)
{
	const struct kmp_groups *groups = p->groups;

	p->stack.len = p->labels.len = 0;
	if (kmp_groups_are_locations(groups))
		return add_tag(p, group->key);
	if (groups->unit == KMP_UNIT_TAGS)
		return add_path(p, group);
	for (size_t i = 0; i < groups->key_count; i++) {
		if (strcmp(groups->keys[i], "stack") == 0)
			try(add_stack(p, &group->key[i]));
		else
			try(add_label(p, groups->keys[i], &group->key[i]));
	}
	return NULL;
}
