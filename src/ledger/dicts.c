// SPDX-License-Identifier: GPL-2.0-only
/* The ledger's lists of distinct things: texts, traces, stacks, tasks, charges. */
#include <ctype.h>
#include <xxhash.h>

#include "ledger/ledger.h"

/* The number behind the last `name=` in a page-flags text, or -1. */
static int32_t flag_number(const char *text, size_t len, const char *name)
{
	const char *at = memmem(text, len, name, strlen(name));

	if (!at)
		return -1;
	int32_t value = 0;
	const char *p = at + strlen(name);
	const char *end = text + len;

	if (p == end || !isdigit((unsigned char)*p))
		return -1;
	for (; p < end && isdigit((unsigned char)*p) && value < 100000; p++)
		value = value * 10 + (*p - '0');
	return value;
}

struct kmp_error *kmp_ledger_add_text(struct kmp_ledger *ledger, enum kmp_dict dict,
				      const char *text, size_t len, uint32_t *number)
{
	struct kmp_pool *pool = &ledger->dicts[dict];
	size_t before = pool->strings.len;

	try(kmp_pool_intern(pool, text, len, number));
	if (dict == KMP_DICT_FLAGS && pool->strings.len > before) {
		struct kmp_place place = { flag_number(text, len, "node="),
					   flag_number(text, len, "zone=") };

		try(vec_push(&ledger->places, place));
		if (place.node >= ledger->facts.nodes)
			ledger->facts.nodes = place.node + 1;
	}
	return NULL;
}

size_t kmp_ledger_dict_count(const struct kmp_ledger *ledger, enum kmp_dict dict)
{
	return ledger->dicts[dict].strings.len;
}

const char *kmp_ledger_text(const struct kmp_ledger *ledger, enum kmp_dict dict, uint32_t number,
			    size_t *len)
{
	const struct kmp_pool *pool = &ledger->dicts[dict];

	if (number >= pool->strings.len)
		return NULL;
	if (len)
		*len = pool->strings.data[number].len;
	return pool->strings.data[number].text;
}

struct kmp_place kmp_ledger_place(const struct kmp_ledger *ledger, uint32_t flags)
{
	if (flags >= ledger->places.len)
		return (struct kmp_place){ -1, -1 };
	return ledger->places.data[flags];
}

uint64_t kmp_ledger_frame_address(const struct kmp_ledger *ledger, uint32_t frame)
{
	return frame < ledger->addresses.len ? ledger->addresses.data[frame] : 0;
}

struct kmp_error *kmp_ledger_set_address(struct kmp_ledger *ledger, uint32_t frame,
					 uint64_t address)
{
	while (ledger->addresses.len <= frame)
		try(vec_push(&ledger->addresses, 0));
	ledger->addresses.data[frame] = address;
	return NULL;
}

struct kmp_trace kmp_ledger_trace(const struct kmp_ledger *ledger, uint32_t number)
{
	static const uint32_t no_frames;

	if (number >= ledger->traces.len)
		return (struct kmp_trace){ NULL, 0 };
	const struct kmp_frame_list *list = &ledger->traces.data[number];

	if (!list->depth)
		return (struct kmp_trace){ &no_frames, 0 };
	return (struct kmp_trace){ ledger->trace_frames.data + list->first, list->depth };
}

static uint64_t trace_hash_of(const void *arg, uint32_t number)
{
	struct kmp_trace trace = kmp_ledger_trace(arg, number);

	return XXH3_64bits(trace.frames, trace.depth * sizeof(*trace.frames));
}

struct kmp_error *kmp_ledger_add_trace(struct kmp_ledger *ledger, const uint32_t *frames,
				       uint32_t depth, uint32_t *number)
{
	size_t bytes = depth * sizeof(*frames);
	uint64_t hash = XXH3_64bits(frames, bytes);
	struct kmp_index_cursor cur = index_start(&ledger->trace_index, hash);
	uint32_t id;

	while ((id = index_next(&ledger->trace_index, &cur)) != KMP_NONE) {
		struct kmp_trace trace = kmp_ledger_trace(ledger, id);

		if (trace.depth == depth && (!bytes || !memcmp(trace.frames, frames, bytes))) {
			*number = id;
			return NULL;
		}
	}
	id = (uint32_t)ledger->traces.len;
	if (ledger->trace_frames.len > UINT32_MAX - depth)
		return kmp_error_new(KMP_ERROR_LIMIT, "too many distinct stack traces");
	try(vec_push(&ledger->traces,
		     (struct kmp_frame_list){ (uint32_t)ledger->trace_frames.len, depth }));
	try(vec_append(&ledger->trace_frames, frames, depth));
	try(kmp_index_add(&ledger->trace_index, hash, id, trace_hash_of, ledger));
	*number = id;
	return NULL;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t pair[2] = { a, b };

	return XXH3_64bits(pair, sizeof(pair));
}

static uint64_t stack_hash(const struct kmp_stack *stack)
{
	return mix(stack->trace, stack->has_handle ? stack->handle : UINT64_MAX);
}

static uint64_t stack_hash_of(const void *arg, uint32_t number)
{
	const struct kmp_ledger *ledger = arg;

	return stack_hash(&ledger->stacks.data[number]);
}

static uint64_t handle_hash_of(const void *arg, uint32_t number)
{
	const struct kmp_ledger *ledger = arg;

	return mix(ledger->stacks.data[number].handle, 1);
}

uint32_t kmp_ledger_find_handle(const struct kmp_ledger *ledger, uint32_t handle)
{
	struct kmp_index_cursor cur = index_start(&ledger->handle_index, mix(handle, 1));
	uint32_t id;

	while ((id = index_next(&ledger->handle_index, &cur)) != KMP_NONE) {
		if (ledger->stacks.data[id].handle == handle)
			break;
	}
	return id;
}

static uint64_t traced_hash_of(const void *arg, uint32_t number)
{
	const struct kmp_ledger *ledger = arg;

	return mix(ledger->stacks.data[number].trace, 2);
}

/* The first stack that has this trace and a handle, or KMP_NONE. */
static uint32_t find_traced(const struct kmp_ledger *ledger, uint32_t trace)
{
	struct kmp_index_cursor cur = index_start(&ledger->traced_index, mix(trace, 2));
	uint32_t id;

	while ((id = index_next(&ledger->traced_index, &cur)) != KMP_NONE) {
		if (ledger->stacks.data[id].trace == trace)
			break;
	}
	return id;
}

/* A stack that has both now can be found by either. */
static struct kmp_error *index_traced(struct kmp_ledger *ledger, uint32_t id)
{
	const struct kmp_stack *stack = &ledger->stacks.data[id];

	if (!stack->has_handle || stack->trace == KMP_NONE ||
	    find_traced(ledger, stack->trace) != KMP_NONE)
		return NULL;
	return kmp_index_add(&ledger->traced_index, mix(stack->trace, 2), id, traced_hash_of,
			     ledger);
}

const struct kmp_stack *kmp_ledger_stack(const struct kmp_ledger *ledger, uint32_t number)
{
	return number < ledger->stacks.len ? &ledger->stacks.data[number] : NULL;
}

static uint32_t find_stack(const struct kmp_ledger *ledger, const struct kmp_stack *stack)
{
	struct kmp_index_cursor cur = index_start(&ledger->stack_index, stack_hash(stack));
	uint32_t id;

	while ((id = index_next(&ledger->stack_index, &cur)) != KMP_NONE) {
		const struct kmp_stack *s = &ledger->stacks.data[id];

		if (s->trace == stack->trace && s->has_handle == stack->has_handle &&
		    (!s->has_handle || s->handle == stack->handle))
			break;
	}
	return id;
}

struct kmp_error *kmp_ledger_add_stack(struct kmp_ledger *ledger, const struct kmp_stack *stack,
				       uint32_t *number)
{
	uint32_t id = KMP_NONE;

	if (stack->has_handle) {
		id = kmp_ledger_find_handle(ledger, stack->handle);
		if (id != KMP_NONE) {
			struct kmp_stack *known = &ledger->stacks.data[id];

			if (known->trace == KMP_NONE) {
				known->trace = stack->trace;
				try(index_traced(ledger, id));
			}
			if (stack->trace != KMP_NONE && stack->trace != known->trace)
				id = KMP_NONE; /* one handle, two traces: not one machine */
		}
	} else if (stack->trace != KMP_NONE) {
		id = find_traced(ledger, stack->trace);
	}
	if (id == KMP_NONE)
		id = find_stack(ledger, stack);
	if (id == KMP_NONE) {
		id = (uint32_t)ledger->stacks.len;
		try(vec_push(&ledger->stacks, *stack));
		if (stack->has_handle && kmp_ledger_find_handle(ledger, stack->handle) == KMP_NONE)
			try(kmp_index_add(&ledger->handle_index, mix(stack->handle, 1), id,
					  handle_hash_of, ledger));
		try(kmp_index_add(&ledger->stack_index, stack_hash(stack), id, stack_hash_of,
				  ledger));
		try(index_traced(ledger, id));
	}
	*number = id;
	return NULL;
}

size_t kmp_ledger_unresolved(const struct kmp_ledger *ledger)
{
	size_t count = 0;

	for (size_t i = 0; i < ledger->stacks.len; i++)
		count += ledger->stacks.data[i].trace == KMP_NONE;
	return count;
}

struct kmp_error *kmp_ledger_own_handles(struct kmp_ledger *ledger)
{
	for (uint32_t i = 0; i < ledger->stacks.len; i++) {
		struct kmp_stack *stack = &ledger->stacks.data[i];

		if (stack->has_handle)
			continue;
		stack->handle = KMP_OWN_HANDLE + i;
		stack->has_handle = true;
		try(kmp_index_add(&ledger->handle_index, mix(stack->handle, 1), i, handle_hash_of,
				  ledger));
	}
	return NULL;
}

const struct kmp_task *kmp_ledger_task(const struct kmp_ledger *ledger, uint32_t number)
{
	return number < ledger->tasks.len ? &ledger->tasks.data[number] : NULL;
}

static uint64_t task_hash_of(const void *arg, uint32_t number)
{
	const struct kmp_task *t = &((const struct kmp_ledger *)arg)->tasks.data[number];

	return mix(mix((uint64_t)t->pid, (uint64_t)t->tgid), t->comm);
}

struct kmp_error *kmp_ledger_add_task(struct kmp_ledger *ledger, const struct kmp_task *task,
				      uint32_t *number)
{
	uint64_t hash = mix(mix((uint64_t)task->pid, (uint64_t)task->tgid), task->comm);
	struct kmp_index_cursor cur = index_start(&ledger->task_index, hash);
	uint32_t id;

	while ((id = index_next(&ledger->task_index, &cur)) != KMP_NONE) {
		const struct kmp_task *t = &ledger->tasks.data[id];

		if (t->pid == task->pid && t->tgid == task->tgid && t->comm == task->comm)
			break;
	}
	if (id == KMP_NONE) {
		id = (uint32_t)ledger->tasks.len;
		try(vec_push(&ledger->tasks, *task));
		try(kmp_index_add(&ledger->task_index, hash, id, task_hash_of, ledger));
	}
	*number = id;
	return NULL;
}

const struct kmp_charge *kmp_ledger_charge(const struct kmp_ledger *ledger, uint32_t number)
{
	return number < ledger->charges.len ? &ledger->charges.data[number] : NULL;
}

static uint64_t charge_hash(const struct kmp_charge *c)
{
	return mix(c->memcg, (uint64_t)(c->objcg | c->offline << 1 | c->old_spelling << 2));
}

static uint64_t charge_hash_of(const void *arg, uint32_t number)
{
	return charge_hash(&((const struct kmp_ledger *)arg)->charges.data[number]);
}

struct kmp_error *kmp_ledger_add_charge(struct kmp_ledger *ledger, const struct kmp_charge *charge,
					uint32_t *number)
{
	uint64_t hash = charge_hash(charge);
	struct kmp_index_cursor cur = index_start(&ledger->charge_index, hash);
	uint32_t id;

	while ((id = index_next(&ledger->charge_index, &cur)) != KMP_NONE) {
		const struct kmp_charge *c = &ledger->charges.data[id];

		if (c->memcg == charge->memcg && charge_hash(c) == hash)
			break;
	}
	if (id == KMP_NONE) {
		id = (uint32_t)ledger->charges.len;
		try(vec_push(&ledger->charges, *charge));
		try(kmp_index_add(&ledger->charge_index, hash, id, charge_hash_of, ledger));
	}
	*number = id;
	return NULL;
}
