// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/gather-names.h"

#include <string.h>

#include "base/cleanup.h"

DEFINE_CLEANUP(groups, struct kmp_groups *, kmp_groups_destroy)

static void forget_owners(struct gather *gather)
{
	vec_deinit(&gather->owner_of_stack);
	vec_deinit(&gather->owner_of_comm);
	for (int i = 0; i < SCHEMA_KINDS; i++) {
		vec_deinit(&gather->kinds[i].owners);
		ids_deinit(&gather->kinds[i].ids);
		row_deinit(&gather->kinds[i].names);
	}
}

void gather_deinit(struct gather *gather)
{
	vec_deinit(&gather->stacks);
	vec_deinit(&gather->tasks);
	forget_owners(gather);
}

/* As many as the ledger has by now; those that come are 0. */
#define fit(v, count, ...)                                                                         \
	({                                                                                         \
		struct kmp_error *fit_err_ = NULL;                                                 \
		size_t fit_count_ = (count);                                                       \
		while (!fit_err_ && (v)->len < fit_count_)                                         \
			fit_err_ = grow_push(v, __VA_ARGS__);                                      \
		fit_err_;                                                                          \
	})

static void add(struct gather_sums *to, const struct kmp_page *page)
{
	to->pages += page->pages;
	to->records += page->records;
}

static struct kmp_error *take_pages(void *arg, struct kmp_ledger *ledger,
				    const struct kmp_page *pages, size_t count)
{
	struct gather *gather = arg;

	try(fit(&gather->stacks, kmp_ledger_count(ledger, KMP_LIST_STACKS),
		(struct gather_sums){ 0 }));
	try(fit(&gather->tasks, kmp_ledger_count(ledger, KMP_LIST_TASKS),
		(struct gather_sums){ 0 }));
	for (size_t i = 0; i < count; i++) {
		const struct kmp_page *page = &pages[i];

		add(page->stack < gather->stacks.len ? &gather->stacks.data[page->stack]
						     : &gather->no_stack,
		    page);
		add(page->task < gather->tasks.len ? &gather->tasks.data[page->task]
						   : &gather->no_task,
		    page);
	}
	return NULL;
}

struct kmp_sink gather_begin(struct gather *gather)
{
	gather->stacks.len = 0;
	gather->tasks.len = 0;
	gather->no_stack = gather->no_task = (struct gather_sums){ 0 };
	return (struct kmp_sink){ take_pages, gather, KMP_COLUMN_STACK | KMP_COLUMN_TASK };
}

static void charge(struct gather *gather, enum schema_kind kind, uint32_t owner, int64_t bytes,
		   int64_t count)
{
	struct gather_owner *of = &gather->kinds[kind].owners.data[owner];

	of->bytes += bytes;
	of->count += count;
	of->here = true;
}

static void charge_pages(struct gather *gather, enum schema_kind kind, uint32_t owner,
			 const struct gather_sums *sums, const struct push_sample *sample)
{
	charge(gather, kind, owner, (int64_t)(sums->pages * sample->page_size),
	       (int64_t)sums->records);
}

static bool is_nothing(const struct gather_sums *sums)
{
	return !sums->pages && !sums->records;
}

/*
 * The owners of stacks that had none yet. Several stacks, of different handles, can have one trace:
 * the first one stands for all of them.
 */
static struct kmp_error *name_new_stacks(struct gather *gather)
{
	VEC(uint32_t) fresh = { 0 };
	VEC(uint32_t) others = { 0 };
	VEC(uint32_t) first = { 0 };
	struct kmp_error *err =
		fit(&first, kmp_ledger_count(gather->ledger, KMP_LIST_TRACES), KMP_NONE);

	for (uint32_t i = 0; i < gather->stacks.len && !err; i++) {
		uint32_t trace = kmp_ledger_stack(gather->ledger, i)->trace;

		if (trace >= first.len || gather->owner_of_stack.data[i] != KMP_NONE ||
		    is_nothing(&gather->stacks.data[i]))
			continue;
		bool is_first = first.data[trace] == KMP_NONE;

		if (is_first)
			first.data[trace] = i;
		err = is_first ? grow_push(&fresh, i) : grow_push(&others, i);
	}
	if (!err)
		err = gather_name_stacks(gather, fresh.data, fresh.len);
	for (size_t i = 0; i < others.len && !err; i++) {
		uint32_t trace = kmp_ledger_stack(gather->ledger, others.data[i])->trace;

		gather->owner_of_stack.data[others.data[i]] =
			gather->owner_of_stack.data[first.data[trace]];
	}
	vec_deinit(&fresh);
	vec_deinit(&others);
	vec_deinit(&first);
	return err;
}

static struct kmp_error *sum_stacks(struct gather *gather, const struct push_sample *sample)
{
	uint32_t nobody;

	try(fit(&gather->owner_of_stack, gather->stacks.len, KMP_NONE));
	try(name_new_stacks(gather));
	for (size_t i = 0; i < gather->stacks.len; i++) {
		const struct gather_sums *sums = &gather->stacks.data[i];
		uint32_t owner = gather->owner_of_stack.data[i];

		if (is_nothing(sums))
			continue;
		if (owner != KMP_NONE) {
			charge_pages(gather, SCHEMA_STACK, owner, sums, sample);
			continue;
		}
		gather->no_stack.pages += sums->pages;
		gather->no_stack.records += sums->records;
	}
	if (is_nothing(&gather->no_stack))
		return NULL;
	try(gather_nobody(gather, SCHEMA_STACK, &nobody));
	charge_pages(gather, SCHEMA_STACK, nobody, &gather->no_stack, sample);
	return NULL;
}

static struct kmp_error *sum_tasks(struct gather *gather, const struct push_sample *sample)
{
	uint32_t nobody;

	try(fit(&gather->owner_of_comm, kmp_ledger_dict_count(gather->ledger, KMP_DICT_COMM),
		KMP_NONE));
	for (uint32_t i = 0; i < gather->tasks.len; i++) {
		const struct gather_sums *sums = &gather->tasks.data[i];
		uint32_t comm = kmp_ledger_task(gather->ledger, i)->comm, owner = KMP_NONE;

		if (is_nothing(sums))
			continue;
		if (comm != KMP_NONE)
			owner = gather->owner_of_comm.data[comm];
		if (owner == KMP_NONE)
			try(gather_name_comm(gather, comm, &owner));
		if (comm != KMP_NONE)
			gather->owner_of_comm.data[comm] = owner;
		charge_pages(gather, SCHEMA_TASK, owner, sums, sample);
	}
	if (is_nothing(&gather->no_task))
		return NULL;
	try(gather_nobody(gather, SCHEMA_TASK, &nobody));
	charge_pages(gather, SCHEMA_TASK, nobody, &gather->no_task, sample);
	return NULL;
}

static struct kmp_error *sum_tags(struct gather *gather, struct push_sample *sample)
{
	struct kmp_groups *groups cleanup(cleanup_groups) = NULL;
	uint32_t owner;

	if (!(sample->holds & KMP_READ_TAGS))
		return NULL;
	try(kmp_tags_group(gather->ledger, "module,file,line,function", NULL, &groups));
	for (size_t i = 0; i < groups->count; i++) {
		const struct kmp_group *group = &groups->groups[i];

		if (!group->now.bytes && !group->now.records)
			continue;
		try(gather_name_tag(gather, group->key, &owner));
		charge(gather, SCHEMA_TAG, owner, group->now.bytes, group->now.records);
	}
	sample->tags_bytes = groups->total.bytes;
	return NULL;
}

static struct kmp_error *take_kind(struct gather *gather, enum schema_kind number,
				   struct push_sample *sample)
{
	struct gather_kind *kind = &gather->kinds[number];

	for (size_t i = 0; i < kind->owners.len; i++) {
		struct gather_owner *owner = &kind->owners.data[i];
		struct push_figure figure = { owner->id, owner->bytes, owner->count,
					      (uint8_t)number };

		if (!owner->here)
			continue;
		owner->here = false;
		owner->bytes = owner->count = 0;
		try(grow_push(&sample->figures, figure));
		if (!owner->told || gather->all_names)
			try(grow_append(&sample->names[number].bytes,
					kind->names.bytes.data + owner->name, owner->name_len));
		owner->told = true;
		if (number == SCHEMA_STACK)
			sample->pages_bytes += figure.bytes;
	}
	return NULL;
}

struct kmp_error *gather_end(struct gather *gather, struct kmp_ledger *ledger, bool forget,
			     struct push_sample *sample)
{
	const struct kmp_losses *losses = kmp_ledger_losses(ledger);

	gather->ledger = ledger;
	if (forget)
		forget_owners(gather);
	sample->page_size = kmp_ledger_facts(ledger)->page_size;
	sample->lost = losses->skipped + losses->dropped + losses->cut;
	if (sample->holds & KMP_READ_PAGES) {
		try(sum_stacks(gather, sample));
		try(sum_tasks(gather, sample));
	}
	try(sum_tags(gather, sample));
	for (int i = 0; i < SCHEMA_KINDS; i++)
		try(take_kind(gather, (enum schema_kind)i, sample));
	if (sample->figures.len >= CLICKHOUSE_ROWS)
		return kmp_error_new(KMP_ERROR_LIMIT, "a sample has %zu figures, too many",
				     sample->figures.len);
	return NULL;
}
