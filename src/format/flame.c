// SPDX-License-Identifier: GPL-2.0-only
#include "format/flame.h"

#include <string.h>

#include "base/cleanup.h"
#include "format/views.h"

static uint64_t hash_box(uint32_t parent, uint32_t name)
{
	uint64_t x = ((uint64_t)parent << 32 | name) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return x ^ x >> 32;
}

static uint64_t hash_of(const void *arg, uint32_t number)
{
	const struct flame *flame = arg;

	return hash_box(flame->boxes.data[number].parent, flame->boxes.data[number].name);
}

/* The box of this name above its parent, new or old. */
static struct kmp_error *find_box(struct flame *flame, uint32_t parent, uint32_t name,
				  enum step_kind step, uint32_t *number)
{
	uint64_t hash = hash_box(parent, name);
	struct kmp_index_cursor cursor = index_start(&flame->index, hash);
	uint32_t found;

	while ((found = index_next(&flame->index, &cursor)) != KMP_NONE) {
		const struct flame_box *box = &flame->boxes.data[found];

		if (box->parent == parent && box->name == name) {
			*number = found;
			return NULL;
		}
	}
	struct flame_box box = { .name = name, .parent = parent, .step = step };
	box.depth = flame->boxes.data[parent].depth + 1;
	if (flame->boxes.len >= KMP_NONE - 1)
		return kmp_error_new(KMP_ERROR_LIMIT, "too many frames for a flame graph");
	*number = (uint32_t)flame->boxes.len;
	try(vec_push(&flame->boxes, box));
	if (box.depth > flame->depth)
		flame->depth = box.depth;
	return kmp_index_add(&flame->index, hash, *number, hash_of, flame);
}

static void add_bytes(struct flame_box *box, int64_t now, int64_t before)
{
	box->now = kmp_plus(box->now, now);
	box->before = kmp_plus(box->before, before);
	box->width = kmp_plus(box->width, now > before ? now : before);
}

static struct kmp_error *add_group(struct flame *flame, struct flame_path *path,
				   const struct kmp_groups *groups, const struct kmp_group *group)
{
	int64_t now = group->now.bytes > 0 ? group->now.bytes : 0;
	int64_t before = group->before.bytes > 0 ? group->before.bytes : 0;
	uint32_t at = 0, name;

	if (!now && !before) {
		flame->omitted++;
		return NULL;
	}
	flame->drawn += now > 0;
	try(kmp_flame_path(path, groups, group));
	add_bytes(&flame->boxes.data[0], now, before);
	for (size_t i = 0; i < path->steps.len; i++) {
		const struct flame_step *step = &path->steps.data[i];

		try(kmp_pool_intern(&flame->names, path->text.data + step->start, step->len,
				    &name));
		try(find_box(flame, at, name, step->kind, &at));
		add_bytes(&flame->boxes.data[at], now, before);
	}
	return NULL;
}

static int compare_siblings(const void *a, const void *b, void *arg)
{
	const struct flame *flame = arg;
	const struct flame_box *x = &flame->boxes.data[*(const uint32_t *)a];
	const struct flame_box *y = &flame->boxes.data[*(const uint32_t *)b];

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->width != y->width)
		return x->width > y->width ? -1 : 1;
	return strcmp(flame->names.strings.data[x->name].text,
		      flame->names.strings.data[y->name].text);
}

/* What the walk over the tree needs: siblings stand together in order, first[] tells where. */
struct walk {
	uint32_t *order;
	uint32_t *first; /* of each box: position of its first child in order, or KMP_NONE */
	uint32_t *place; /* of each box: its number in the new list */
	uint32_t *stack; /* positions in order, of boxes yet to be visited */
};

static void walk_deinit(struct walk *walk)
{
	free(walk->order);
	free(walk->first);
	free(walk->place);
	free(walk->stack);
}

static struct kmp_error *walk_init(struct walk *walk, struct flame *flame)
{
	size_t count = flame->boxes.len;

	walk->order = calloc(count, sizeof(uint32_t));
	walk->first = calloc(count, sizeof(uint32_t));
	walk->place = calloc(count, sizeof(uint32_t));
	walk->stack = calloc(count, sizeof(uint32_t));
	if (!walk->order || !walk->first || !walk->place || !walk->stack)
		return &kmp_error_no_memory;
	for (uint32_t i = 0; i < count; i++) {
		walk->order[i] = i;
		walk->first[i] = KMP_NONE;
	}
	qsort_r(walk->order + 1, count - 1, sizeof(uint32_t), compare_siblings, flame);
	for (size_t i = count - 1; i > 0; i--)
		walk->first[flame->boxes.data[walk->order[i]].parent] = (uint32_t)i;
	return NULL;
}

/* Put the boxes into the order of a walk from the root. */
static struct kmp_error *arrange(struct flame *flame)
{
	struct walk walk cleanup(walk_deinit) = { 0 };
	size_t count = flame->boxes.len, waiting = 0;
	const struct flame_box *from = flame->boxes.data;
	uint32_t done = 0;

	try(walk_init(&walk, flame));
	struct flame_box *to = calloc(count, sizeof(*to));
	if (!to)
		return &kmp_error_no_memory;
	walk.stack[waiting++] = 0;
	while (waiting) {
		uint32_t position = walk.stack[--waiting], number = walk.order[position];
		uint32_t child = walk.first[number];
		struct flame_box *box = &to[done];

		*box = from[number];
		box->parent = walk.place[box->parent];
		walk.place[number] = done++;
		if (position && position + 1 < count &&
		    from[walk.order[position + 1]].parent == from[number].parent)
			walk.stack[waiting++] = position + 1;
		if (child != KMP_NONE)
			walk.stack[waiting++] = child;
	}
	free(flame->boxes.data);
	flame->boxes.data = to;
	flame->boxes.cap = count;
	return NULL;
}

/* Each box stands where its parent starts, behind the siblings before it. */
static struct kmp_error *place(struct flame *flame)
{
	size_t count = flame->boxes.len;
	int64_t *taken auto_free = calloc(count, sizeof(*taken));

	if (!taken)
		return &kmp_error_no_memory;
	for (size_t i = 1; i < count; i++) {
		struct flame_box *box = &flame->boxes.data[i];

		box->start = kmp_plus(flame->boxes.data[box->parent].start, taken[box->parent]);
		taken[box->parent] = kmp_plus(taken[box->parent], box->width);
	}
	return NULL;
}

struct kmp_error *kmp_flame_build(struct flame *flame, const struct kmp_groups *groups,
				  const struct kmp_view *view)
{
	struct flame_path path cleanup(kmp_flame_path_deinit) = { 0 };
	size_t shown = view_shown(groups, view);
	uint32_t name;

	try(kmp_flame_check(groups));
	try(kmp_pool_intern(&flame->names, "all", 3, &name));
	try(vec_push(&flame->boxes, (struct flame_box){ .name = name, .step = STEP_KEY }));
	for (size_t i = 0; i < shown; i++)
		try(add_group(flame, &path, groups, &groups->groups[i]));
	try(arrange(flame));
	return place(flame);
}

void kmp_flame_deinit(struct flame *flame)
{
	kmp_pool_deinit(&flame->names);
	vec_deinit(&flame->boxes);
	kmp_index_deinit(&flame->index);
}
