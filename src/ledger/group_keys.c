// SPDX-License-Identifier: GPL-2.0-only
#include "ledger/group_keys.h"

#include "base/nearest.h"
#include "ledger/ledger.h"

const char *const kmp_group_key_names[KMP_KEY_COUNT] = {
	"stack", "handle", "comm", "pid",  "tgid",  "order",  "gfp",	  "migratetype",
	"block", "flags",  "node", "zone", "memcg", "module", "function", "allocator",
};

static enum kmp_group_key key_of(const char *name, size_t len)
{
	for (size_t i = 0; i < KMP_KEY_COUNT; i++) {
		if (strlen(kmp_group_key_names[i]) == len &&
		    !memcmp(kmp_group_key_names[i], name, len))
			return (enum kmp_group_key)i;
	}
	return KMP_KEY_COUNT;
}

static struct kmp_error *unknown_key(const char *name, size_t len)
{
	char offer[KMP_NEAREST_SIZE];

	kmp_nearest(name, len, kmp_group_key_names, KMP_KEY_COUNT, offer);
	return kmp_error_new(KMP_ERROR_USAGE, "unknown key '%.*s'%s", (int)(len > 64 ? 64 : len),
			     name, offer);
}

struct kmp_error *kmp_group_keys_parse(const char *text, enum kmp_group_key *keys, size_t *count)
{
	*count = 0;
	for (;;) {
		size_t len = strcspn(text, ",");
		enum kmp_group_key key = key_of(text, len);

		if (key == KMP_KEY_COUNT)
			return unknown_key(text, len);
		for (size_t i = 0; i < *count; i++) {
			if (keys[i] == key)
				return kmp_error_new(KMP_ERROR_USAGE, "key '%s' is named twice",
						     kmp_group_key_names[key]);
		}
		keys[(*count)++] = key;
		if (!text[len])
			return NULL;
		text += len + 1;
	}
}

uint32_t kmp_group_key_columns(enum kmp_group_key key)
{
	static const uint32_t columns[KMP_KEY_COUNT] = {
		[KMP_KEY_STACK] = KMP_COLUMN_STACK,
		[KMP_KEY_HANDLE] = KMP_COLUMN_STACK,
		[KMP_KEY_COMM] = KMP_COLUMN_TASK,
		[KMP_KEY_PID] = KMP_COLUMN_TASK,
		[KMP_KEY_TGID] = KMP_COLUMN_TASK,
		[KMP_KEY_ORDER] = KMP_COLUMN_ORDER,
		[KMP_KEY_GFP] = KMP_COLUMN_GFP,
		[KMP_KEY_MIGRATETYPE] = KMP_COLUMN_TYPE,
		[KMP_KEY_BLOCK] = KMP_COLUMN_BLOCK_TYPE,
		[KMP_KEY_FLAGS] = KMP_COLUMN_FLAGS,
		[KMP_KEY_NODE] = KMP_COLUMN_FLAGS,
		[KMP_KEY_ZONE] = KMP_COLUMN_FLAGS,
		[KMP_KEY_MEMCG] = KMP_COLUMN_CHARGE,
		[KMP_KEY_MODULE] = KMP_COLUMN_STACK,
		[KMP_KEY_FUNCTION] = KMP_COLUMN_STACK,
		[KMP_KEY_ALLOCATOR] = KMP_ALLOCATOR_COLUMNS,
	};

	return columns[key];
}

/* A number noted at place, 0 for none; the list grows as far as place. */
#define note_at(v, place)                                                                          \
	({                                                                                         \
		struct kmp_error *note_err_ = NULL;                                                \
		while (!note_err_ && (v)->len <= (place))                                          \
			note_err_ = vec_push(v, 0);                                                \
		note_err_;                                                                         \
	})

static struct kmp_error *name_part(struct kmp_parts *parts, const struct kmp_ledger *ledger,
				   enum kmp_group_key key, uint32_t number, uint32_t *part)
{
	const struct kmp_stack *stack = kmp_ledger_stack(ledger, number);
	struct kmp_span name;
	uint32_t id;

	*part = KMP_NONE;
	if (!stack)
		return NULL;
	if (stack->trace == KMP_NONE) {
		*part = number | KMP_PART_UNRESOLVED;
		return NULL;
	}
	uint32_t trace = stack->trace;

	if (key == KMP_KEY_MODULE)
		try(note_at(&parts->modules, trace));
	else
		try(note_at(&parts->functions, trace));
	uint32_t *known =
		key == KMP_KEY_MODULE ? &parts->modules.data[trace] : &parts->functions.data[trace];

	if (!*known) {
		name = key == KMP_KEY_MODULE ? kmp_trace_module(ledger, trace)
					     : kmp_trace_function(ledger, trace);
		if (!name.text)
			return NULL;
		try(kmp_pool_intern(&parts->names, name.text, name.len, &id));
		*known = id + 1;
	}
	*part = *known - 1;
	return NULL;
}

static struct kmp_error *zone_part(struct kmp_parts *parts, const struct kmp_ledger *ledger,
				   uint32_t flags, uint32_t *part)
{
	struct kmp_place place = kmp_ledger_place(ledger, flags);
	uint32_t id;

	*part = KMP_NONE;
	if (place.zone < 0)
		return NULL;
	try(note_at(&parts->zones, flags));
	if (!parts->zones.data[flags]) {
		try(kmp_pool_intern(&parts->places, (const char *)&place, sizeof(place), &id));
		parts->zones.data[flags] = id + 1;
	}
	*part = parts->zones.data[flags] - 1;
	return NULL;
}

static uint32_t allocator_part(struct kmp_parts *parts, const struct kmp_ledger *ledger,
			       const struct kmp_page *page)
{
	enum kmp_allocator allocator = kmp_allocator_of(&parts->allocators, ledger, page);

	return allocator == KMP_ALLOCATOR_UNRESOLVED ? page->stack | KMP_PART_UNRESOLVED
						     : (uint32_t)allocator;
}

/* The parts that need no looking up of what is remembered: one tight loop a key. */
#define each(expr)                                                                                 \
	do {                                                                                       \
		for (size_t i = 0; i < count; i++) {                                               \
			const struct kmp_page *p = pages[i];                                       \
			out[i] = (expr);                                                           \
		}                                                                                  \
	} while (0)
#define entry(list, number, member)                                                                \
	((number) < ledger->list.len ? (uint32_t)ledger->list.data[number].member : KMP_NONE)

struct kmp_error *kmp_parts_of(struct kmp_parts *parts, const struct kmp_ledger *ledger,
			       enum kmp_group_key key, const struct kmp_page *const *pages,
			       size_t count, uint32_t *out)
{
	switch (key) {
	case KMP_KEY_STACK:
	case KMP_KEY_HANDLE:
		each(p->stack);
		break;
	case KMP_KEY_COMM:
		each(entry(tasks, p->task, comm));
		break;
	case KMP_KEY_PID:
	case KMP_KEY_TGID:
		each(p->task);
		break;
	case KMP_KEY_ORDER:
		each(kmp_order_is_told(p) ? p->order : KMP_NONE);
		break;
	case KMP_KEY_GFP:
		each(p->gfp);
		break;
	case KMP_KEY_MIGRATETYPE:
		each(p->type);
		break;
	case KMP_KEY_BLOCK:
		each(p->block_type);
		break;
	case KMP_KEY_FLAGS:
		each(p->flags);
		break;
	case KMP_KEY_NODE:
		each(entry(places, p->flags, node));
		break;
	case KMP_KEY_MEMCG:
		each(entry(charges, p->charge, memcg));
		break;
	case KMP_KEY_ZONE:
		for (size_t i = 0; i < count; i++)
			try(zone_part(parts, ledger, pages[i]->flags, &out[i]));
		break;
	case KMP_KEY_MODULE:
	case KMP_KEY_FUNCTION:
		for (size_t i = 0; i < count; i++)
			try(name_part(parts, ledger, key, pages[i]->stack, &out[i]));
		break;
	case KMP_KEY_ALLOCATOR:
		each(allocator_part(parts, ledger, p));
		break;
	case KMP_KEY_COUNT:
		break;
	}
	return NULL;
}

static struct kmp_value number_value(int64_t number)
{
	return (struct kmp_value){ .kind = KMP_VALUE_NUMBER, .number = number };
}

/* A number of which -1 means that it was not told. */
static struct kmp_value told_number(int64_t number)
{
	return number == -1 ? (struct kmp_value){ .kind = KMP_VALUE_NONE } : number_value(number);
}

static struct kmp_value text_value(const char *text, size_t len)
{
	if (!text)
		return (struct kmp_value){ .kind = KMP_VALUE_NONE };
	return (struct kmp_value){ .kind = KMP_VALUE_TEXT, .text = text, .len = len };
}

static struct kmp_value dict_value(const struct kmp_ledger *ledger, enum kmp_dict dict,
				   uint32_t number)
{
	size_t len = 0;
	const char *text = kmp_ledger_text(ledger, dict, number, &len);

	return text_value(text, len);
}

static struct kmp_value pool_value(const struct kmp_pool *pool, uint32_t number)
{
	if (number >= pool->strings.len)
		return text_value(NULL, 0);
	return text_value(pool->strings.data[number].text, pool->strings.data[number].len);
}

static struct kmp_error *stack_value(struct kmp_parts *parts, const struct kmp_ledger *ledger,
				     uint32_t number, struct kmp_value *value)
{
	const struct kmp_stack *stack = kmp_ledger_stack(ledger, number);

	if (!stack)
		return NULL;
	struct kmp_trace trace = kmp_ledger_trace(ledger, stack->trace);

	parts->frames.len = 0;
	for (uint32_t i = 0; i < trace.depth; i++)
		try(vec_push(&parts->frames,
			     kmp_ledger_text(ledger, KMP_DICT_FRAME, trace.frames[i], NULL)));
	if (!trace.depth && !stack->has_handle)
		return NULL;
	*value = (struct kmp_value){ .kind = KMP_VALUE_STACK,
				     .number = trace.depth ? 0 : stack->handle,
				     .frames = parts->frames.data,
				     .depth = trace.depth };
	return NULL;
}

static struct kmp_value zone_value(struct kmp_parts *parts, const struct kmp_ledger *ledger,
				   uint32_t part)
{
	struct kmp_value place_bytes = pool_value(&parts->places, part);
	struct kmp_place place;

	if (place_bytes.kind == KMP_VALUE_NONE)
		return place_bytes;
	memcpy(&place, place_bytes.text, sizeof(place));
	const char *name = kmp_ledger_zone_name(ledger, place.node, place.zone);

	return name ? text_value(name, strlen(name)) : number_value(place.zone);
}

static struct kmp_value task_value(const struct kmp_ledger *ledger, enum kmp_group_key key,
				   uint32_t part)
{
	const struct kmp_task *task = kmp_ledger_task(ledger, part);

	if (!task)
		return told_number(-1);
	return told_number(key == KMP_KEY_PID ? task->pid : task->tgid);
}

static struct kmp_value handle_value(const struct kmp_ledger *ledger, uint32_t part)
{
	const struct kmp_stack *stack = kmp_ledger_stack(ledger, part);

	return stack && stack->has_handle ? number_value(stack->handle) : told_number(-1);
}

/* What could not be told while the handle was unresolved. */
static struct kmp_error *resolve(struct kmp_parts *parts, const struct kmp_ledger *ledger,
				 enum kmp_group_key key, uint32_t *part)
{
	struct kmp_page page = { .stack = *part & ~KMP_PART_UNRESOLVED,
				 .flags = KMP_NONE,
				 .type = KMP_NONE,
				 .block_type = KMP_NONE };

	if (key == KMP_KEY_ALLOCATOR)
		*part = allocator_part(parts, ledger, &page);
	else
		try(name_part(parts, ledger, key, page.stack, part));
	return NULL;
}

static struct kmp_error *derived_value(struct kmp_parts *parts, const struct kmp_ledger *ledger,
				       enum kmp_group_key key, uint32_t part,
				       struct kmp_value *value)
{
	if (part != KMP_NONE && part & KMP_PART_UNRESOLVED)
		try(resolve(parts, ledger, key, &part));
	if (part & KMP_PART_UNRESOLVED)
		return NULL;
	if (key == KMP_KEY_ALLOCATOR) {
		const char *name = kmp_allocator_name((enum kmp_allocator)part);

		*value = text_value(name, strlen(name));
	} else {
		*value = pool_value(&parts->names, part);
	}
	return NULL;
}

struct kmp_error *kmp_part_value(struct kmp_parts *parts, const struct kmp_ledger *ledger,
				 enum kmp_group_key key, uint32_t part, struct kmp_value *value)
{
	*value = (struct kmp_value){ .kind = KMP_VALUE_NONE };
	switch (key) {
	case KMP_KEY_STACK:
		return stack_value(parts, ledger, part, value);
	case KMP_KEY_MODULE:
	case KMP_KEY_FUNCTION:
	case KMP_KEY_ALLOCATOR:
		return derived_value(parts, ledger, key, part, value);
	case KMP_KEY_HANDLE:
		*value = handle_value(ledger, part);
		break;
	case KMP_KEY_COMM:
		*value = dict_value(ledger, KMP_DICT_COMM, part);
		break;
	case KMP_KEY_PID:
	case KMP_KEY_TGID:
		*value = task_value(ledger, key, part);
		break;
	case KMP_KEY_ORDER:
	case KMP_KEY_NODE:
		*value = told_number((int32_t)part);
		break;
	case KMP_KEY_GFP:
		*value = dict_value(ledger, KMP_DICT_GFP, part);
		break;
	case KMP_KEY_MIGRATETYPE:
	case KMP_KEY_BLOCK:
		*value = dict_value(ledger, KMP_DICT_TYPE, part);
		break;
	case KMP_KEY_FLAGS:
		*value = dict_value(ledger, KMP_DICT_FLAGS, part);
		break;
	case KMP_KEY_ZONE:
		*value = zone_value(parts, ledger, part);
		break;
	case KMP_KEY_MEMCG:
		*value = dict_value(ledger, KMP_DICT_MEMCG, part);
		break;
	case KMP_KEY_COUNT:
		break;
	}
	return NULL;
}

void kmp_parts_deinit(struct kmp_parts *parts)
{
	kmp_pool_deinit(&parts->names);
	kmp_pool_deinit(&parts->places);
	vec_deinit(&parts->modules);
	vec_deinit(&parts->functions);
	vec_deinit(&parts->zones);
	kmp_allocator_memo_deinit(&parts->allocators);
	vec_deinit(&parts->frames);
}
