// SPDX-License-Identifier: GPL-2.0-only
#include "source/record_words.h"

#include "ledger/ledger.h"

/* Below our other own handles, above the kernel's. */
enum { UNATTRIBUTED_HANDLE = KMP_OWN_HANDLE - 1 };

static const uint32_t FORM = KMP_FORM_MASK | KMP_FORM_PID | KMP_FORM_TGID | KMP_FORM_COMM |
			     KMP_FORM_TS | KMP_FORM_TS_NS | KMP_FORM_PFN | KMP_FORM_PFN_HEX |
			     KMP_FORM_TRACE | KMP_FORM_HANDLE;

/* Pages that nobody was seen to allocate stand under a name of their own. */
static struct kmp_error *name_unattributed(struct kmp_record_words *w)
{
	static const char frame[] = "kmemprof_unattributed+0x0/0x0";
	static const char comm[] = "unattributed";
	struct kmp_task task = { 0, 0, KMP_NONE };
	struct kmp_stack stack = { .handle = UNATTRIBUTED_HANDLE, .has_handle = true };
	uint32_t number;

	try(kmp_ledger_add_text(w->ledger, KMP_DICT_COMM, comm, sizeof(comm) - 1, &task.comm));
	try(kmp_ledger_add_task(w->ledger, &task, &w->unattributed_task));
	try(kmp_ledger_add_text(w->ledger, KMP_DICT_FRAME, frame, sizeof(frame) - 1, &number));
	try(kmp_ledger_add_trace(w->ledger, &number, 1, &stack.trace));
	return kmp_ledger_add_stack(w->ledger, &stack, &w->unattributed_stack);
}

static struct kmp_error *name_types(struct kmp_record_words *w)
{
	const struct kmp_pageblocks *blocks = &w->facts.names->blocks;

	for (uint32_t i = 0; i <= RECORD_TYPE; i++) {
		char number[8];
		const char *name = number;

		if (i < blocks->types)
			name = blocks->names[i];
		else
			snprintf(number, sizeof(number), "%u", i);
		try(kmp_ledger_add_text(w->ledger, KMP_DICT_TYPE, name, strlen(name),
					&w->types[i]));
	}
	return NULL;
}

struct kmp_error *kmp_record_words_init(struct kmp_record_words *w,
					const struct kmp_recorder *recorder,
					const struct kmp_kernel_names *names,
					struct kmp_ledger *ledger)
{
	memset(w, 0, sizeof(*w));
	w->recorder = recorder;
	w->ledger = ledger;
	try(kmp_frame_facts_init(&w->facts, names, ledger));
	try(name_unattributed(w));
	return name_types(w);
}

void kmp_record_words_deinit(struct kmp_record_words *w)
{
	kmp_frame_facts_deinit(&w->facts);
	vec_deinit(&w->stacks);
	vec_deinit(&w->tasks);
	vec_deinit(&w->known);
}

static struct kmp_error *set_number(uint32_t **data, size_t *len, size_t *cap, uint32_t at,
				    uint32_t number)
{
	if (at >= *cap)
		try(kmp_vec_grow((void **)data, cap, (size_t)at + 1, sizeof(**data)));
	while (*len <= at)
		(*data)[(*len)++] = KMP_NONE;
	(*data)[at] = number;
	return NULL;
}

#define set_at(vec, at, number) set_number(&(vec)->data, &(vec)->len, &(vec)->cap, at, number)

static uint32_t get_at(const uint32_t *data, size_t len, uint32_t at)
{
	return at < len ? data[at] : KMP_NONE;
}

static struct kmp_error *add_stack(struct kmp_record_words *w, uint32_t handle,
				   const struct record_stack *stack, uint32_t *number)
{
	uint32_t frames[RECORD_DEPTH_MAX];
	uint32_t depth = 0;
	struct kmp_stack added = { .handle = handle, .has_handle = true };

	for (uint32_t i = 0; i < stack->depth; i++) {
		char text[KMP_SYMBOL_TEXT_MAX];
		size_t len = kmp_symbols_print(w->facts.names->symbols, stack->ip[i], text,
					       sizeof(text));

		w->unnamed += !strncmp(text, "0x", 2);
		try(kmp_ledger_add_text(w->ledger, KMP_DICT_FRAME, text, len, &frames[depth++]));
	}
	try(kmp_ledger_add_trace(w->ledger, frames, depth, &added.trace));
	try(kmp_ledger_add_stack(w->ledger, &added, number));
	return set_at(&w->stacks, handle, *number);
}

struct kmp_error *kmp_record_words_stack(struct kmp_record_words *w, uint32_t handle,
					 uint32_t *number)
{
	struct record_stack stack;

	*number = get_at(w->stacks.data, w->stacks.len, handle);
	if (*number != KMP_NONE || !kmp_recorder_stack(w->recorder, handle, &stack))
		return NULL;
	return add_stack(w, handle, &stack, number);
}

/* A number is used again for another task once no record has it. */
static struct kmp_error *know_task(struct kmp_record_words *w, uint32_t at,
				   const struct record_task *task, uint32_t number)
{
	static const struct record_task none;

	while (w->known.len <= at)
		try(vec_push(&w->known, none));
	w->known.data[at] = *task;
	return set_at(&w->tasks, at, number);
}

static struct kmp_error *find_task(struct kmp_record_words *w, uint32_t at, uint32_t *number)
{
	struct record_task recorded;

	*number = KMP_NONE;
	if (!kmp_recorder_task(w->recorder, at, &recorded))
		return NULL;
	*number = get_at(w->tasks.data, w->tasks.len, at);
	if (*number != KMP_NONE && !memcmp(&w->known.data[at], &recorded, sizeof(recorded)))
		return NULL;
	struct kmp_task task = { (int32_t)recorded.pid, (int32_t)recorded.tgid, KMP_NONE };

	try(kmp_ledger_add_text(w->ledger, KMP_DICT_COMM, recorded.comm,
				strnlen(recorded.comm, sizeof(recorded.comm)), &task.comm));
	try(kmp_ledger_add_task(w->ledger, &task, number));
	return know_task(w, at, &recorded, *number);
}

struct kmp_error *kmp_record_words_page(struct kmp_record_words *w, const struct kmp_found *found,
					struct kmp_page *page)
{
	const struct record_page *record = &found->record;
	uint32_t gfp = found->attributed ? record->gfp : 0;
	uint32_t type = found->attributed
				? w->types[record->info >> RECORD_TYPE_SHIFT & RECORD_TYPE]
				: w->types[0];

	*page = (struct kmp_page){
		.pfn = found->pfn,
		.block = KMP_UNKNOWN,
		.ts = found->attributed ? record->ts : 0,
		.free_ts = KMP_UNKNOWN,
		.records = 1,
		.pages = 1ull << found->order,
		.stack = w->unattributed_stack,
		.task = w->unattributed_task,
		.type = type,
		.block_type = type,
		.reason = KMP_NONE,
		.flags = KMP_NONE,
		.charge = KMP_NONE,
		.extra = KMP_NONE,
		.form = FORM,
		.order = (uint8_t)found->order,
	};
	if (found->attributed) {
		try(kmp_record_words_stack(w, record->stack, &page->stack));
		try(find_task(w, record->task, &page->task));
	}
	try(kmp_frame_facts_gfp(&w->facts, gfp, &page->gfp));
	return w->no_frames ? NULL : kmp_frame_facts_page(&w->facts, found->pfn, page);
}
