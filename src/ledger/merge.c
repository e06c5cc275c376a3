// SPDX-License-Identifier: GPL-2.0-only
#include "ledger/merge.h"

#include "base/cleanup.h"

static struct kmp_error *set(struct kmp_number_map *map, uint32_t from, uint32_t to)
{
	while (map->len <= from)
		try(vec_push(map, KMP_NONE));
	map->data[from] = to;
	return NULL;
}

static uint32_t get(const struct kmp_number_map *map, uint32_t from)
{
	return from < map->len ? map->data[from] : KMP_NONE;
}

static struct kmp_error *carry_text(struct kmp_merge *m, enum kmp_dict dict, uint32_t *number)
{
	uint32_t to;
	size_t len;

	if (*number == KMP_NONE)
		return NULL;
	to = get(&m->dicts[dict], *number);
	if (to == KMP_NONE) {
		const char *text = kmp_ledger_text(m->from, dict, *number, &len);

		try(kmp_ledger_add_text(m->to, dict, text, len, &to));
		if (dict == KMP_DICT_FRAME && kmp_ledger_frame_address(m->from, *number))
			try(kmp_ledger_set_address(m->to, to,
						   kmp_ledger_frame_address(m->from, *number)));
		try(set(&m->dicts[dict], *number, to));
	}
	*number = to;
	return NULL;
}

static struct kmp_error *carry_trace(struct kmp_merge *m, uint32_t *number)
{
	uint32_t to;

	if (*number == KMP_NONE)
		return NULL;
	to = get(&m->traces, *number);
	if (to == KMP_NONE) {
		struct kmp_trace trace = kmp_ledger_trace(m->from, *number);
		auto_free uint32_t *frames = malloc(trace.depth * sizeof(*frames) + 1);

		if (!frames)
			return &kmp_error_no_memory;
		for (uint32_t i = 0; i < trace.depth; i++) {
			frames[i] = trace.frames[i];
			try(carry_text(m, KMP_DICT_FRAME, &frames[i]));
		}
		try(kmp_ledger_add_trace(m->to, frames, trace.depth, &to));
		try(set(&m->traces, *number, to));
	}
	*number = to;
	return NULL;
}

static struct kmp_error *carry_stack(struct kmp_merge *m, uint32_t *number)
{
	struct kmp_stack stack = *kmp_ledger_stack(m->from, *number);
	uint32_t to;

	try(carry_trace(m, &stack.trace));
	try(kmp_ledger_add_stack(m->to, &stack, &to));
	try(set(&m->stacks, *number, to));
	*number = to;
	return NULL;
}

static struct kmp_error *carry_task(struct kmp_merge *m, uint32_t *number)
{
	struct kmp_task task = *kmp_ledger_task(m->from, *number);
	uint32_t to;

	try(carry_text(m, KMP_DICT_COMM, &task.comm));
	try(kmp_ledger_add_task(m->to, &task, &to));
	try(set(&m->tasks, *number, to));
	*number = to;
	return NULL;
}

static struct kmp_error *carry_charge(struct kmp_merge *m, uint32_t *number)
{
	struct kmp_charge charge = *kmp_ledger_charge(m->from, *number);
	uint32_t to;

	try(carry_text(m, KMP_DICT_MEMCG, &charge.memcg));
	try(kmp_ledger_add_charge(m->to, &charge, &to));
	try(set(&m->charges, *number, to));
	*number = to;
	return NULL;
}

static const struct {
	size_t offset;
	enum kmp_dict dict;
} text_members[] = {
	{ offsetof(struct kmp_page, gfp), KMP_DICT_GFP },
	{ offsetof(struct kmp_page, flags), KMP_DICT_FLAGS },
	{ offsetof(struct kmp_page, type), KMP_DICT_TYPE },
	{ offsetof(struct kmp_page, block_type), KMP_DICT_TYPE },
	{ offsetof(struct kmp_page, reason), KMP_DICT_REASON },
	{ offsetof(struct kmp_page, extra), KMP_DICT_EXTRA },
};

enum { TEXT_MEMBERS = sizeof(text_members) / sizeof(*text_members) };

/* The slow way, for a page that holds something not carried yet. */
static struct kmp_error *carry_page(struct kmp_merge *m, struct kmp_page *page)
{
	uint32_t to;

	for (size_t i = 0; i < TEXT_MEMBERS; i++) {
		uint32_t *member = (uint32_t *)((char *)page + text_members[i].offset);

		try(carry_text(m, text_members[i].dict, member));
	}
	if (page->stack != KMP_NONE) {
		to = get(&m->stacks, page->stack);
		if (to == KMP_NONE)
			try(carry_stack(m, &page->stack));
		else
			page->stack = to;
	}
	if (page->task != KMP_NONE) {
		to = get(&m->tasks, page->task);
		if (to == KMP_NONE)
			try(carry_task(m, &page->task));
		else
			page->task = to;
	}
	if (page->charge != KMP_NONE) {
		to = get(&m->charges, page->charge);
		if (to == KMP_NONE)
			try(carry_charge(m, &page->charge));
		else
			page->charge = to;
	}
	return NULL;
}

/* True if the number is told and its map does not have it. */
static inline bool lookup(const struct kmp_number_map *map, uint32_t *number)
{
	if (*number == KMP_NONE)
		return false;
	if (*number >= map->len || map->data[*number] == KMP_NONE)
		return true;
	*number = map->data[*number];
	return false;
}

static bool all_known(const struct kmp_merge *m, struct kmp_page *page)
{
	struct kmp_page p = *page;

	if (lookup(&m->stacks, &p.stack) || lookup(&m->tasks, &p.task) ||
	    lookup(&m->charges, &p.charge) || lookup(&m->dicts[KMP_DICT_GFP], &p.gfp) ||
	    lookup(&m->dicts[KMP_DICT_FLAGS], &p.flags) ||
	    lookup(&m->dicts[KMP_DICT_TYPE], &p.type) ||
	    lookup(&m->dicts[KMP_DICT_TYPE], &p.block_type) ||
	    lookup(&m->dicts[KMP_DICT_REASON], &p.reason) ||
	    lookup(&m->dicts[KMP_DICT_EXTRA], &p.extra))
		return false;
	*page = p;
	return true;
}

struct kmp_error *kmp_merge_pages(struct kmp_merge *m, struct kmp_page *pages, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (__builtin_expect(all_known(m, &pages[i]), 1))
			continue;
		if (m->lock)
			m->lock(m->lock_arg);
		struct kmp_error *err = carry_page(m, &pages[i]);
		if (m->unlock)
			m->unlock(m->lock_arg);
		if (err)
			return err;
	}
	return NULL;
}

void kmp_merge_deinit(struct kmp_merge *m)
{
	for (size_t i = 0; i < KMP_DICT_COUNT; i++)
		vec_deinit(&m->dicts[i]);
	vec_deinit(&m->stacks);
	vec_deinit(&m->traces);
	vec_deinit(&m->tasks);
	vec_deinit(&m->charges);
}
