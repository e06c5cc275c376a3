// SPDX-License-Identifier: GPL-2.0-only
#include "store/history-slots.h"

#include "ledger/origin.h"

struct kmp_error *kmp_slots_init(struct kmp_slots *slots)
{
	return kmp_ledger_create(&slots->own);
}

static void forget_ledger(struct kmp_slots *slots)
{
	kmp_merge_deinit(&slots->merge);
	kmp_pool_deinit(&slots->raw);
	slots->merge = (struct kmp_merge){ 0 };
	slots->raw = (struct kmp_pool){ 0 };
	slots->slot_of_raw.len = slots->unresolved.len = 0;
	slots->ledger = 0;
}

static void begin_ledger(struct kmp_slots *slots, struct kmp_ledger *ledger)
{
	forget_ledger(slots);
	slots->merge.from = ledger;
	slots->merge.to = slots->own;
	slots->ledger = ledger->serial;
}

/* The tuple in the ledger's own numbers; of tasks that are told apart by name: the name's. */
static struct kmp_slot raw_of(const struct kmp_slots *slots, const struct kmp_ledger *ledger,
			      const struct kmp_page *page)
{
	struct kmp_slot raw = { page->stack, KMP_NONE, KMP_NONE, KMP_NONE,
				KMP_NONE,    KMP_NONE, KMP_NONE };

	if (kmp_order_is_told(page))
		raw.order = page->order;
	if (slots->columns & KMP_COLUMN_TASK && page->task != KMP_NONE)
		raw.task = slots->pids ? page->task : ledger->tasks.data[page->task].comm;
	if (slots->columns & KMP_COLUMN_GFP)
		raw.gfp = page->gfp;
	if (slots->columns & KMP_COLUMN_TYPE)
		raw.type = page->type;
	if (slots->columns & KMP_COLUMN_FLAGS && page->flags != KMP_NONE) {
		struct kmp_place place = kmp_ledger_place(ledger, page->flags);

		raw.node = place.node < 0 ? KMP_NONE : (uint32_t)place.node;
		if (slots->zones)
			raw.zone = place.zone < 0 ? KMP_NONE : (uint32_t)place.zone;
	}
	return raw;
}

/* From the ledger's numbers to our own's. */
static struct kmp_error *carry(struct kmp_slots *slots, struct kmp_slot *slot)
{
	struct kmp_page page = kmp_page_blank;

	page.stack = slot->stack;
	page.task = slots->pids ? slot->task : KMP_NONE;
	page.gfp = slot->gfp;
	page.type = slot->type;
	if (!slots->pids && slot->task != KMP_NONE) {
		struct kmp_task task = { -1, -1, KMP_NONE };
		size_t len;
		const char *comm =
			kmp_ledger_text(slots->merge.from, KMP_DICT_COMM, slot->task, &len);

		try(kmp_ledger_add_text(slots->own, KMP_DICT_COMM, comm, len, &task.comm));
		try(kmp_ledger_add_task(slots->own, &task, &slot->task));
	}
	try(kmp_merge_pages(&slots->merge, &page, 1));
	if (slot->stack != KMP_NONE &&
	    kmp_ledger_stack(slots->merge.from, slot->stack)->trace == KMP_NONE)
		try(vec_push(&slots->unresolved, slot->stack));
	slot->stack = page.stack;
	if (slots->pids)
		slot->task = page.task;
	slot->gfp = page.gfp;
	slot->type = page.type;
	return NULL;
}

static struct kmp_error *new_raw(struct kmp_slots *slots, const struct kmp_slot *raw)
{
	struct kmp_slot slot = *raw;
	uint32_t number;

	try(carry(slots, &slot));
	try(kmp_pool_intern(&slots->slots, (const char *)&slot, sizeof(slot), &number));
	while (slots->sums.len <= number)
		try(vec_push(&slots->sums, (struct kmp_slot_sums){ 0 }));
	return vec_push(&slots->slot_of_raw, number);
}

static struct kmp_error *take(struct kmp_slots *slots, const struct kmp_ledger *ledger,
			      const struct kmp_page *page)
{
	struct kmp_slot raw = raw_of(slots, ledger, page);
	uint32_t number;

	try(kmp_pool_intern(&slots->raw, (const char *)&raw, sizeof(raw), &number));
	/* After an error there may be more tuples than slots. */
	while (slots->slot_of_raw.len <= number) {
		const void *next = slots->raw.strings.data[slots->slot_of_raw.len].text;

		try(new_raw(slots, next));
	}
	struct kmp_slot_sums *sums = &slots->sums.data[slots->slot_of_raw.data[number]];

	sums->pages += page->pages;
	sums->records += page->records;
	return NULL;
}

struct kmp_error *kmp_slots_take(struct kmp_slots *slots, struct kmp_ledger *ledger,
				 const struct kmp_page *pages, size_t count)
{
	if (slots->ledger != ledger->serial) {
		if (slots->entries)
			return kmp_error_new(KMP_ERROR_USAGE,
					     "page owners of two ledgers in one sample");
		begin_ledger(slots, ledger);
	}
	for (size_t i = 0; i < count; i++)
		try(take(slots, ledger, &pages[i]));
	slots->entries += count;
	return NULL;
}

struct kmp_error *kmp_slots_resolve(struct kmp_slots *slots, const struct kmp_ledger *ledger,
				    bool *any)
{
	size_t kept = 0;

	*any = false;
	if (slots->ledger != ledger->serial)
		return NULL;
	for (size_t i = 0; i < slots->unresolved.len; i++) {
		uint32_t stack = slots->unresolved.data[i];
		struct kmp_page page;

		if (kmp_ledger_stack(ledger, stack)->trace == KMP_NONE) {
			slots->unresolved.data[kept++] = stack;
			continue;
		}
		page = kmp_page_blank;
		page.stack = stack;
		slots->merge.stacks.data[stack] = KMP_NONE;
		try(kmp_merge_pages(&slots->merge, &page, 1));
		*any = true;
	}
	slots->unresolved.len = kept;
	return NULL;
}

void kmp_slots_clear(struct kmp_slots *slots)
{
	slots->entries = 0;
	if (slots->sums.len)
		memset(slots->sums.data, 0, slots->sums.len * sizeof(*slots->sums.data));
}

void kmp_slots_deinit(struct kmp_slots *slots)
{
	forget_ledger(slots);
	kmp_pool_deinit(&slots->slots);
	vec_deinit(&slots->sums);
	vec_deinit(&slots->slot_of_raw);
	vec_deinit(&slots->unresolved);
	kmp_ledger_destroy(slots->own);
}
