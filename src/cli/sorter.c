// SPDX-License-Identifier: GPL-2.0-only
/* Collecting the records. */
#include "cli/sorter.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* What stands on the PFN line, which is no part of the text. */
enum {
	PFN_LINE = KMP_FORM_PFN | KMP_FORM_PFN_HEX | KMP_FORM_OLD_PFN | KMP_FORM_FALLBACK,
	NO_TEXT = PFN_LINE | KMP_FORM_CUT | KMP_FORM_DEPTH_LIMIT | KMP_FORM_APPROXIMATE
};

void sorter_init(struct sorter *sorter, const struct sort_rules *rules, struct kmp_ledger *ledger)
{
	*sorter = (struct sorter){ .rules = rules, .ledger = ledger };
}

void sorter_deinit(struct sorter *sorter)
{
	for (size_t i = 0; i < sorter->count; i++) {
		free(sorter->entries[i].text);
		free(sorter->entries[i].stack);
	}
	free(sorter->entries);
	free(sorter->sorted);
	free(sorter->slots);
}

struct kmp_task sorter_task(const struct kmp_ledger *ledger, const struct kmp_page *page)
{
	const struct kmp_task *task = kmp_ledger_task(ledger, page->task);

	return task ? *task : (struct kmp_task){ -1, -1, KMP_NONE };
}

static bool has_word(const struct kmp_ledger *ledger, enum kmp_dict dict, uint32_t number,
		     const char *word)
{
	const char *text = kmp_ledger_text(ledger, dict, number, NULL);

	return text && strstr(text, word);
}

/* vmalloc's pages come from a function of its own that calls the page allocator. */
static bool is_vmalloc(const struct kmp_ledger *ledger, uint32_t number)
{
	const struct kmp_stack *stack = kmp_ledger_stack(ledger, number);
	struct kmp_trace trace = kmp_ledger_trace(ledger, stack ? stack->trace : KMP_NONE);

	for (uint32_t i = 0; i < trace.depth; i++) {
		if (has_word(ledger, KMP_DICT_FRAME, trace.frames[i], "__vmalloc_node_range"))
			return i &&
			       has_word(ledger, KMP_DICT_FRAME, trace.frames[i - 1], "alloc_pages");
	}
	return false;
}

uint32_t sorter_allocator(const struct kmp_ledger *ledger, const struct kmp_page *page)
{
	uint32_t bits = 0;

	if (has_word(ledger, KMP_DICT_TYPE, page->type, "CMA") ||
	    has_word(ledger, KMP_DICT_TYPE, page->block_type, "CMA"))
		bits |= ALLOCATOR_CMA;
	if (has_word(ledger, KMP_DICT_FLAGS, page->flags, "slab"))
		bits |= ALLOCATOR_SLAB;
	if (is_vmalloc(ledger, page->stack))
		bits |= ALLOCATOR_VMALLOC;
	return bits ? bits : ALLOCATOR_OTHERS;
}

static bool has_number(const struct sort_numbers *list, int64_t number)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->numbers[i] == number)
			return true;
	}
	return !list->given;
}

static bool has_name(const struct sort_names *list, const char *name)
{
	for (size_t i = 0; name && i < list->count; i++) {
		if (!strcmp(list->names[i], name))
			return true;
	}
	return !list->given;
}

static bool is_wanted(const struct sorter *sorter, const struct kmp_page *page,
		      const struct kmp_task *task)
{
	const struct sort_rules *rules = sorter->rules;

	if (rules->in_use_only && (page->form & KMP_FORM_FREE_TS) && page->ts < page->free_ts)
		return false;
	return has_number(&rules->pids, task->pid) && has_number(&rules->tgids, task->tgid) &&
	       has_name(&rules->names,
			kmp_ledger_text(sorter->ledger, KMP_DICT_COMM, task->comm, NULL));
}

static bool keeps_time(const struct sort_rules *rules)
{
	return rules->order_count && rules->order[0].key == SORT_ALLOC_TIME;
}

/* What makes the text: page_owner_sort leaves the time out of it unless it sorts by time. */
static void text_key(const struct sort_rules *rules, const struct kmp_page *page, uint64_t *key)
{
	key[0] = (uint64_t)(page->form & ~(uint32_t)NO_TEXT) << 8 | page->order;
	key[1] = (uint64_t)page->gfp << 32 | page->task;
	key[2] = (uint64_t)page->stack << 32 | page->charge;
	key[3] = (uint64_t)page->reason << 32 | page->extra;
	key[4] = page->form & KMP_FORM_FREE_TS ? page->free_ts : 0;
	key[5] = keeps_time(rules) ? page->ts : 0;
}

static void cull_key(const struct sorter *sorter, const struct kmp_page *page,
		     const struct kmp_task *task, uint64_t *key)
{
	const struct kmp_stack *stack = kmp_ledger_stack(sorter->ledger, page->stack);
	uint32_t cull = sorter->rules->cull;

	if ((cull & 1 << SORT_STACK) && !stack)
		key[0] = UINT64_MAX;
	else if (cull & 1 << SORT_STACK)
		key[0] =
			stack->trace != KMP_NONE ? stack->trace : (uint64_t)1 << 32 | stack->handle;
	if (cull & 1 << SORT_PID)
		key[1] = (uint64_t)task->pid;
	if (cull & 1 << SORT_TGID)
		key[2] = (uint64_t)task->tgid;
	if (cull & 1 << SORT_NAME)
		key[3] = task->comm;
	if (cull & 1 << SORT_FREE_TIME)
		key[4] = page->free_ts != 0;
	if (cull & 1 << SORT_ALLOCATOR)
		key[5] = sorter_allocator(sorter->ledger, page);
}

static size_t hash_of(const struct sort_entry *entry)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < sizeof(entry->key) / sizeof(*entry->key); i++) {
		hash = (hash ^ entry->key[i]) * 0x9e3779b97f4a7c15;
		hash ^= hash >> 29;
	}
	return (size_t)hash;
}

/* The slot of the entry with this key, or the free one where it belongs. */
static uint32_t *find_slot(const struct sorter *sorter, const struct sort_entry *entry)
{
	size_t at = hash_of(entry);

	for (;; at++) {
		uint32_t *slot = &sorter->slots[at & (sorter->slot_count - 1)];

		if (!*slot ||
		    !memcmp(sorter->entries[*slot - 1].key, entry->key, sizeof(entry->key)))
			return slot;
	}
}

static struct kmp_error *grow(struct sorter *sorter)
{
	size_t cap = sorter->cap ? sorter->cap * 2 : 1024;

	if (cap >= UINT32_MAX)
		return kmp_error_new(KMP_ERROR_LIMIT, "too many different records");
	struct sort_entry *entries = realloc(sorter->entries, cap * sizeof(*entries));

	if (!entries)
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	sorter->entries = entries;
	uint32_t *slots = calloc(cap * 2, sizeof(*slots));

	if (!slots)
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	free(sorter->slots);
	sorter->slots = slots;
	sorter->slot_count = cap * 2;
	sorter->cap = cap;
	for (size_t i = 0; i < sorter->count; i++)
		*find_slot(sorter, &entries[i]) = (uint32_t)i + 1;
	return NULL;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static struct kmp_error *add(struct sorter *sorter, const struct kmp_page *page)
{
	struct kmp_task task = sorter_task(sorter->ledger, page);
	struct sort_entry entry = { .page = *page };

	if (!is_wanted(sorter, page, &task))
		return NULL;
	if (!page->records && !sorter->rules->cull)
		return kmp_error_new(KMP_ERROR_INPUT,
				     "the source counts pages by stack and has no records to "
				     "sort; '--cull stacktrace' would do");
	sorter->loaded = sum(sorter->loaded, page->records);
	if (sorter->rules->cull)
		cull_key(sorter, page, &task, entry.key);
	else
		text_key(sorter->rules, page, entry.key);
	if (sorter->count == sorter->cap)
		try(grow(sorter));
	uint32_t *slot = find_slot(sorter, &entry);

	if (*slot) {
		struct kmp_page *known = &sorter->entries[*slot - 1].page;

		known->records = sum(known->records, page->records);
		known->pages = sum(known->pages, page->pages);
		return NULL;
	}
	entry.allocator = sorter_allocator(sorter->ledger, page);
	entry.page.form &= ~(uint32_t)PFN_LINE;
	sorter->entries[sorter->count++] = entry;
	*slot = (uint32_t)sorter->count;
	return NULL;
}

static struct kmp_error *take_pages(void *arg, struct kmp_ledger *ledger,
				    const struct kmp_page *pages, size_t count)
{
	for (size_t i = 0; i < count; i++)
		try(add(arg, &pages[i]));
	return NULL;
}

struct kmp_sink sorter_sink(struct sorter *sorter)
{
	uint32_t columns = KMP_COLUMN_ALL & ~(KMP_COLUMN_PFN | KMP_COLUMN_BLOCK | KMP_COLUMN_TS);
	bool times = sorter->rules->in_use_only;

	for (size_t i = 0; i < sorter->rules->order_count; i++)
		times |= sorter->rules->order[i].key == SORT_ALLOC_TIME;
	if (times)
		columns |= KMP_COLUMN_TS;
	return (struct kmp_sink){ .pages = take_pages, .arg = sorter, .columns = columns };
}
