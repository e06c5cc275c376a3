// SPDX-License-Identifier: GPL-2.0-only
/* The page_owner_stacks files. */
#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/vec.h"

/* Which of the groups' keys are what; SIZE_MAX: not among them. */
struct columns {
	size_t stack;
	size_t handle;
};

static const struct kmp_value *value_of(const struct kmp_group *group, size_t key)
{
	static const struct kmp_value not_told = { .kind = KMP_VALUE_NONE };

	return key == SIZE_MAX ? &not_told : &group->key[key];
}

static size_t find_key(const struct kmp_groups *groups, const char *name)
{
	for (size_t i = 0; i < groups->key_count; i++) {
		if (!strcmp(groups->keys[i], name))
			return i;
	}
	return SIZE_MAX;
}

/* The handle of a group, from whichever key tells it. */
static bool handle_of(const struct kmp_group *group, const struct columns *columns,
		      uint32_t *handle)
{
	const struct kmp_value *value = value_of(group, columns->handle);

	if (value->kind == KMP_VALUE_NONE)
		value = value_of(group, columns->stack);
	if (value->kind == KMP_VALUE_NONE || (value->kind == KMP_VALUE_STACK && value->depth))
		return false;
	*handle = (uint32_t)value->number;
	return true;
}

/* The kernel took its own early pages in before it could count them. */
static bool is_early(const struct kmp_value *stack)
{
	static const char early[] = "register_early_stack+";

	return stack->kind == KMP_VALUE_STACK && stack->depth &&
	       !strncmp(stack->frames[0], early, sizeof(early) - 1);
}

/* Newest first; what tells no time stays in the order of the input, which is the kernel's. */
static int compare_age(const void *left, const void *right)
{
	const struct kmp_group *a = *(const struct kmp_group *const *)left;
	const struct kmp_group *b = *(const struct kmp_group *const *)right;

	if (a->ts_first != b->ts_first)
		return a->ts_first > b->ts_first ? -1 : 1;
	return (a->seen > b->seen) - (a->seen < b->seen);
}

/* Has the group what the file is for? */
static bool is_complete(const struct kmp_group *group, const struct columns *columns,
			enum kmp_stacks_file file)
{
	const struct kmp_value *stack = value_of(group, columns->stack);
	uint32_t handle;

	if (file != KMP_SHOW_HANDLES && !(stack->kind == KMP_VALUE_STACK && stack->depth))
		return false;
	return file == KMP_SHOW_STACKS || handle_of(group, columns, &handle);
}

static bool is_listed(const struct kmp_group *group, const struct columns *columns,
		      enum kmp_stacks_file file, uint64_t threshold)
{
	if (is_early(value_of(group, columns->stack)))
		return false;
	if (file == KMP_SHOW_STACKS_HANDLES)
		return is_complete(group, columns, file);
	return group->now.pages >= 1 && (uint64_t)group->now.pages >= threshold;
}

static void print_count(const struct kmp_group *group, FILE *out)
{
	if (group->approximate && group->now.records)
		fprintf(out, "stack_count: %" PRId64 "\n", group->now.records);
	else
		fprintf(out, "nr_base_pages: %" PRId64 "\n", group->now.pages);
}

/* An entry that lacks what the file is for shows what it has, so that the counts stay right. */
static void print_entry(const struct kmp_group *group, const struct columns *columns,
			enum kmp_stacks_file file, FILE *out)
{
	const struct kmp_value *stack = value_of(group, columns->stack);
	bool complete = is_complete(group, columns, file);
	uint32_t handle;

	if (stack->kind == KMP_VALUE_STACK && (file != KMP_SHOW_HANDLES || !complete)) {
		for (size_t i = 0; i < stack->depth; i++)
			fprintf(out, " %s\n", stack->frames[i]);
	}
	if ((file != KMP_SHOW_STACKS || !complete) && handle_of(group, columns, &handle))
		fprintf(out, "handle: %" PRId32 "\n", (int32_t)handle);
	if (file != KMP_SHOW_STACKS_HANDLES)
		print_count(group, out);
	fputc('\n', out);
}

static struct kmp_error *check_source(const struct kmp_groups *groups,
				      const struct columns *columns, enum kmp_stacks_file file)
{
	bool any = false;

	if (columns->stack == SIZE_MAX && columns->handle == SIZE_MAX)
		return kmp_error_new(KMP_ERROR_USAGE, "groups by stack or handle are needed");
	for (size_t i = 0; !any && i < groups->count; i++)
		any = is_complete(&groups->groups[i], columns, file);
	if (any)
		return NULL;
	switch (file) {
	case KMP_SHOW_STACKS:
		return kmp_error_new(KMP_ERROR_INPUT, "the source tells no stacks");
	case KMP_SHOW_HANDLES:
		return kmp_error_new(KMP_ERROR_INPUT, "the source tells no handles");
	case KMP_SHOW_STACKS_HANDLES:
		break;
	}
	return kmp_error_new(KMP_ERROR_INPUT, "the source tells no stacks with their handles");
}

struct kmp_error *kmp_stacks_write(const struct kmp_groups *groups, enum kmp_stacks_file file,
				   uint64_t threshold, FILE *out)
{
	struct columns columns = { find_key(groups, "stack"), find_key(groups, "handle") };
	auto_free const struct kmp_group **listed = NULL;
	size_t count = 0;

	try(check_source(groups, &columns, file));
	listed = calloc(groups->count + 1, sizeof(*listed));
	if (!listed)
		return &kmp_error_no_memory;
	for (size_t i = 0; i < groups->count; i++) {
		if (is_listed(&groups->groups[i], &columns, file, threshold))
			listed[count++] = &groups->groups[i];
	}
	qsort(listed, count, sizeof(*listed), compare_age);
	for (size_t i = 0; i < count; i++)
		print_entry(listed[i], &columns, file, out);
	if (ferror(out))
		return kmp_error_system(errno, "output", "cannot write");
	return NULL;
}
