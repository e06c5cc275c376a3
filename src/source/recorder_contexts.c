// SPDX-License-Identifier: GPL-2.0-only
/* What was traced: stacks, tasks and sizes behind one tag, in groups. */
#include "source/recorder_tags.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/nearest.h"
#include "ledger/groups.h"
#include "ledger/ledger.h"
#include "source/bpf/record.skel.h"

enum key { STACK_KEY, COMM_KEY, PID_KEY, TGID_KEY, SIZE_KEY, KEY_COUNT };

static const char *const key_names[KEY_COUNT] = { "stack", "comm", "pid", "tgid", "size" };

struct contexts {
	struct kmp_recorder *r;
	struct kmp_symbols *symbols;
	struct kmp_ledger *ledger; /* losses and warnings */
	struct kmp_builder builder;
	enum key keys[KEY_COUNT];
	const char *names[KEY_COUNT];
	size_t key_count;
	char text[RECORD_DEPTH_MAX][KMP_SYMBOL_TEXT_MAX];
	const char *frames[RECORD_DEPTH_MAX];
	struct record_task task;
};

static void cleanup_contexts(struct contexts **c)
{
	if (!*c)
		return;
	kmp_symbols_destroy((*c)->symbols);
	kmp_ledger_destroy((*c)->ledger);
	kmp_builder_deinit(&(*c)->builder);
	free(*c);
}

static struct kmp_error *parse_key(struct contexts *c, const char *name, size_t len)
{
	char offer[KMP_NEAREST_SIZE];

	for (size_t i = 0; i < KEY_COUNT; i++) {
		if (strlen(key_names[i]) != len || memcmp(key_names[i], name, len) != 0)
			continue;
		for (size_t k = 0; k < c->key_count; k++) {
			if (c->keys[k] == (enum key)i)
				return kmp_error_new(KMP_ERROR_USAGE, "key '%s' is named twice",
						     key_names[i]);
		}
		c->keys[c->key_count] = (enum key)i;
		c->names[c->key_count++] = key_names[i];
		return NULL;
	}
	kmp_nearest(name, len, key_names, KEY_COUNT, offer);
	return kmp_error_new(KMP_ERROR_USAGE, "unknown key of a trace '%.*s'%s",
			     (int)(len < 64 ? len : 64), name, offer);
}

static struct kmp_error *parse_keys(struct contexts *c, const char *text)
{
	for (;;) {
		size_t len = strcspn(text, ",");

		try(parse_key(c, text, len));
		if (!text[len])
			return NULL;
		text += len + 1;
	}
}

static struct kmp_value stack_value(struct contexts *c, uint32_t handle)
{
	struct kmp_value value = { .kind = KMP_VALUE_NONE };
	struct record_stack stack;

	if (!kmp_recorder_stack(c->r, handle, &stack))
		return value;
	value = (struct kmp_value){ .kind = KMP_VALUE_STACK, .frames = c->frames };
	for (uint32_t i = kmp_recorder_first_frame(c->r, &stack); i < stack.depth; i++) {
		kmp_symbols_print(c->symbols, stack.ip[i], c->text[i], sizeof(c->text[i]));
		c->frames[value.depth++] = c->text[i];
	}
	return value;
}

static struct kmp_value number_value(int64_t number)
{
	return (struct kmp_value){ .kind = KMP_VALUE_NUMBER, .number = number };
}

static struct kmp_value value_of(struct contexts *c, enum key key,
				 const struct record_context *context)
{
	bool task = kmp_recorder_task(c->r, context->task, &c->task);

	switch (key) {
	case STACK_KEY:
		return stack_value(c, context->stack);
	case SIZE_KEY:
		return number_value(context->bytes);
	case COMM_KEY:
		if (task)
			return (struct kmp_value){ .kind = KMP_VALUE_TEXT,
						   .text = c->task.comm,
						   .len = strnlen(c->task.comm, RECORD_COMM - 1) };
		break;
	case PID_KEY:
		if (task)
			return number_value((int32_t)c->task.pid);
		break;
	case TGID_KEY:
		if (task)
			return number_value((int32_t)c->task.tgid);
		break;
	case KEY_COUNT:
		break;
	}
	return (struct kmp_value){ .kind = KMP_VALUE_NONE };
}

static struct kmp_error *add(struct contexts *c, const struct record_context *context,
			     int64_t calls, int64_t bytes)
{
	struct kmp_value values[KEY_COUNT];
	struct kmp_group *group;

	if (!calls)
		return NULL;
	for (size_t i = 0; i < c->key_count; i++)
		values[i] = value_of(c, c->keys[i], context);
	try(kmp_builder_group(&c->builder, values, &group));
	kmp_sums_add(&group->now,
		     &(struct kmp_sums){ .records = calls, .bytes = bytes, .members = 1 });
	return NULL;
}

static struct kmp_error *add_objects(struct contexts *c, bool freed)
{
	int fd = bpf_map__fd(c->r->skel->maps.contexts);
	struct record_context key;
	struct record_context *last = NULL;
	struct record_sum sum;
	uint32_t number;

	while (!bpf_map_get_next_key(fd, last, &key)) {
		last = &key;
		if (bpf_map_lookup_elem(fd, &key, &number))
			continue;
		try(kmp_recorder_sum(c->r, number, &sum));
		int64_t calls = freed ? sum.made : sum.calls;

		try(add(c, &key, calls, freed ? sum.made * key.bytes : sum.bytes));
	}
	/* Those whose context found no room. */
	try(kmp_recorder_sum(c->r, 0, &sum));
	return add(c, &(struct record_context){ 0 }, freed ? sum.made : sum.calls, sum.bytes);
}

/* Pages that the function allocated and that are held: what is freed of them is not kept. */
static struct kmp_error *add_pages(struct contexts *c)
{
	const struct kmp_recorder *r = c->r;
	size_t slots = kmp_recorder_slots(r);

	for (size_t i = 0; r->has_pages && i < slots; i++) {
		struct record_page page;
		struct record_stack stack;

		if (!kmp_record_copy(&r->pages[i], &page) ||
		    !kmp_recorder_stack(r, page.stack, &stack) ||
		    !kmp_trace_wants(&r->trace, kmp_recorder_site(r, &stack)))
			continue;
		struct record_context context = {
			.stack = page.stack,
			.task = page.task,
			.bytes = UINT32_C(4096) << (page.info & RECORD_ORDER),
		};

		try(add(c, &context, 1, context.bytes));
	}
	return NULL;
}

static struct kmp_error *tell_kind(struct kmp_ledger *ledger)
{
	struct kmp_facts facts = *kmp_ledger_facts(ledger);

	facts.kind = "trace";
	facts.mode = "";
	return kmp_ledger_set_facts(ledger, &facts);
}

static struct kmp_error *read_all(struct contexts *c, const char *keys, bool freed,
				  struct kmp_groups **groups)
{
	try(parse_keys(c, keys));
	try(kmp_ledger_create(&c->ledger));
	try(kmp_recorder_tell(c->r, c->ledger));
	try(tell_kind(c->ledger));
	try(kmp_recorder_tell_losses(c->r, c->ledger));
	if (c->r->trace.note[0])
		try(kmp_ledger_warn(c->ledger, "%s", c->r->trace.note));
	if (freed && c->r->has_pages)
		try(kmp_ledger_warn(c->ledger, "of pages only those that are held are told"));
	try(kmp_symbols_load("/proc/kallsyms", &c->symbols));
	try(kmp_builder_init(&c->builder, KMP_UNIT_OBJECTS, c->names, c->key_count));
	try(add_objects(c, freed));
	try(add_pages(c));
	try(kmp_builder_facts(&c->builder, c->ledger));
	return kmp_builder_finish(&c->builder, groups);
}

struct kmp_error *kmp_recorder_contexts(struct kmp_recorder *r, const char *keys, bool freed,
					struct kmp_groups **groups)
{
	struct contexts *c cleanup(cleanup_contexts) = calloc(1, sizeof(*c));

	if (!c)
		return &kmp_error_no_memory;
	c->r = r;
	kmp_task_numbers_hold(r);
	struct kmp_error *err = read_all(c, keys ? keys : "stack", freed, groups);

	kmp_task_numbers_let_go(r);
	return err;
}
