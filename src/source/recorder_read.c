// SPDX-License-Identifier: GPL-2.0-only
/* What was recorded, as page owners: stacks and tasks first, then every page frame of the table. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <time.h>

#include "base/cleanup.h"
#include "ledger/ledger.h"
#include "source/bpf/record.skel.h"
#include "source/frame_facts.h"
#include "source/recorder.h"
#include "source/symbols.h"

enum { BATCH = 1024 };

struct reading {
	struct kmp_recorder *r;
	struct kmp_ledger *ledger;
	const struct kmp_sink *sink;
	struct kmp_symbols *symbols;
	struct kmp_frame_facts facts;
	VEC(uint32_t) stacks; /* the ledger's numbers by handle */
	VEC(uint32_t) tasks;  /* and by task number */
	uint32_t types[16];
	struct kmp_page batch[BATCH];
	size_t batched;
};

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

static struct kmp_error *add_stack(struct reading *rd, const struct record_stack *stack)
{
	uint32_t frames[RECORD_DEPTH_MAX];
	uint32_t depth = 0;
	struct kmp_stack added = { .handle = stack->handle, .has_handle = true };
	uint32_t number;

	for (uint32_t i = 0; i < stack->depth && i < rd->r->options.stack_depth; i++) {
		char text[KMP_SYMBOL_TEXT_MAX];
		size_t len = kmp_symbols_print(rd->symbols, stack->ip[i], text, sizeof(text));

		try(kmp_ledger_add_text(rd->ledger, KMP_DICT_FRAME, text, len, &frames[depth++]));
	}
	try(kmp_ledger_add_trace(rd->ledger, frames, depth, &added.trace));
	try(kmp_ledger_add_stack(rd->ledger, &added, &number));
	return set_at(&rd->stacks, stack->handle, number);
}

static struct kmp_error *read_stacks(struct reading *rd)
{
	int fd = bpf_map__fd(rd->r->skel->maps.stacks);
	struct record_stack stack = { 0 };
	uint64_t key;
	uint64_t *last = NULL;

	while (!bpf_map_get_next_key(fd, last, &key)) {
		last = &key;
		if (!bpf_map_lookup_elem(fd, &key, &stack))
			try(add_stack(rd, &stack));
	}
	return NULL;
}

static struct kmp_error *read_tasks(struct reading *rd)
{
	int fd = bpf_map__fd(rd->r->skel->maps.tasks);
	struct record_task key;
	struct record_task *last = NULL;
	uint32_t number;

	while (!bpf_map_get_next_key(fd, last, &key)) {
		struct kmp_task task = { (int32_t)key.pid, (int32_t)key.tgid, KMP_NONE };
		uint32_t added;

		last = &key;
		if (bpf_map_lookup_elem(fd, &key, &number))
			continue;
		try(kmp_ledger_add_text(rd->ledger, KMP_DICT_COMM, key.comm,
					strnlen(key.comm, sizeof(key.comm)), &task.comm));
		try(kmp_ledger_add_task(rd->ledger, &task, &added));
		try(set_at(&rd->tasks, number, added));
	}
	return NULL;
}

static struct kmp_error *name_types(struct reading *rd)
{
	static const char *const names[] = { "Unmovable",  "Movable", "Reclaimable",
					     "HighAtomic", "CMA",     "Isolate" };

	for (size_t i = 0; i < 16; i++) {
		char number[8];
		const char *name = number;

		if (i < sizeof(names) / sizeof(*names))
			name = names[i];
		else
			snprintf(number, sizeof(number), "%zu", i);
		try(kmp_ledger_add_text(rd->ledger, KMP_DICT_TYPE, name, strlen(name),
					&rd->types[i]));
	}
	return NULL;
}

static struct kmp_error *flush(struct reading *rd)
{
	size_t count = rd->batched;

	rd->batched = 0;
	return count ? rd->sink->pages(rd->sink->arg, rd->ledger, rd->batch, count) : NULL;
}

static struct kmp_error *hand_on(struct reading *rd, const struct kmp_page *page)
{
	rd->batch[rd->batched++] = *page;
	return rd->batched == BATCH ? flush(rd) : NULL;
}

/* A record that is whole: its info is the same before and after. */
static bool copy_record(const struct record_page *from, struct record_page *to)
{
	for (int tries = 0; tries < 4; tries++) {
		uint32_t info = __atomic_load_n(&from->info, __ATOMIC_ACQUIRE);

		if (!(info & RECORD_VALID))
			return false;
		to->ts = __atomic_load_n(&from->ts, __ATOMIC_ACQUIRE);
		to->stack = __atomic_load_n(&from->stack, __ATOMIC_ACQUIRE);
		to->task = __atomic_load_n(&from->task, __ATOMIC_ACQUIRE);
		to->gfp = __atomic_load_n(&from->gfp, __ATOMIC_ACQUIRE);
		if (__atomic_load_n(&from->info, __ATOMIC_RELAXED) == info) {
			to->info = info;
			return true;
		}
	}
	return false;
}

static struct kmp_error *read_page(struct reading *rd, uint64_t pfn,
				   const struct record_page *record)
{
	uint32_t order = record->info & RECORD_ORDER;
	uint32_t type = record->info >> RECORD_TYPE_SHIFT & RECORD_TYPE;
	struct kmp_page page = {
		.pfn = pfn,
		.ts = record->ts,
		.free_ts = KMP_UNKNOWN,
		.records = 1,
		.pages = 1ull << order,
		.stack = get_at(rd->stacks.data, rd->stacks.len, record->stack),
		.task = get_at(rd->tasks.data, rd->tasks.len, record->task),
		.type = rd->types[type],
		.block_type = rd->types[type],
		.reason = KMP_NONE,
		.charge = KMP_NONE,
		.extra = KMP_NONE,
		.form = KMP_FORM_MASK | KMP_FORM_PID | KMP_FORM_TGID | KMP_FORM_COMM | KMP_FORM_TS |
			KMP_FORM_TS_NS | KMP_FORM_PFN | KMP_FORM_PFN_HEX | KMP_FORM_TRACE |
			KMP_FORM_HANDLE,
		.order = (uint8_t)order,
	};

	try(kmp_frame_facts_gfp(&rd->facts, record->gfp, &page.gfp));
	try(kmp_frame_facts_page(&rd->facts, pfn, &page));
	return hand_on(rd, &page);
}

/* What was in use before the recording began, or came past it. */
static struct kmp_error *read_unattributed(struct reading *rd, uint64_t pfn, uint32_t order)
{
	struct kmp_page page = {
		.pfn = pfn,
		.ts = 0,
		.free_ts = KMP_UNKNOWN,
		.records = 1,
		.pages = 1ull << order,
		.stack = rd->facts.unattributed_stack,
		.task = rd->facts.unattributed_task,
		.type = rd->types[0],
		.block_type = rd->types[0],
		.reason = KMP_NONE,
		.charge = KMP_NONE,
		.extra = KMP_NONE,
		.form = KMP_FORM_MASK | KMP_FORM_PID | KMP_FORM_TGID | KMP_FORM_COMM | KMP_FORM_TS |
			KMP_FORM_TS_NS | KMP_FORM_PFN | KMP_FORM_PFN_HEX | KMP_FORM_TRACE |
			KMP_FORM_HANDLE,
		.order = (uint8_t)order,
	};

	try(kmp_frame_facts_gfp(&rd->facts, 0, &page.gfp));
	try(kmp_frame_facts_page(&rd->facts, pfn, &page));
	return hand_on(rd, &page);
}

static struct kmp_error *read_section(struct reading *rd, size_t index)
{
	const uint64_t size = 1ull << RECORD_SECTION_SHIFT;
	const struct record_page *slots = rd->r->pages + (index << RECORD_SECTION_SHIFT);
	uint64_t start = (uint64_t)rd->r->sections.numbers.data[index] << RECORD_SECTION_SHIFT;
	uint64_t covered = 0; /* frames before this one belong to an allocation before */
	bool all = rd->r->options.all;

	try(kmp_frame_facts_section(&rd->facts, start, size));
	for (uint64_t i = 0; i < size; i++) {
		struct record_page record;

		if (copy_record(&slots[i], &record)) {
			try(read_page(rd, start + i, &record));
			covered = i + (1ull << (record.info & RECORD_ORDER));
		} else if (i >= covered && all) {
			uint32_t order;

			if (!kmp_frame_facts_in_use(&rd->facts, start + i, &order))
				continue;
			try(read_unattributed(rd, start + i, order));
			rd->r->stats.unattributed += 1ull << order;
			covered = i + (1ull << order);
		}
	}
	return NULL;
}

static struct kmp_error *add_facts(struct reading *rd)
{
	struct kmp_facts facts = *kmp_ledger_facts(rd->ledger);

	facts.name = "this machine";
	facts.kind = "recorded";
	facts.mode = "stack_handle";
	facts.time = (uint64_t)time(NULL);
	try(kmp_ledger_set_facts(rd->ledger, &facts));
	for (size_t i = 0; i < rd->r->absent.len; i++)
		try(kmp_ledger_warn(rd->ledger, "%s", rd->r->absent.data[i]));
	return NULL;
}

static struct kmp_error *read_all(struct reading *rd)
{
	try(add_facts(rd));
	try(kmp_symbols_load("/proc/kallsyms", &rd->symbols));
	try(kmp_frame_facts_init(&rd->facts, rd->ledger));
	try(name_types(rd));
	try(read_stacks(rd));
	try(read_tasks(rd));
	rd->r->stats.unattributed = 0;
	for (size_t i = 0; i < rd->r->sections.numbers.len; i++)
		try(read_section(rd, i));
	return flush(rd);
}

/* Losses as the counters tell them, each with the option that helps. */
static struct kmp_error *tell_losses(struct kmp_recorder *r, struct kmp_ledger *ledger)
{
	struct kmp_recorder_stats s = { 0 };

	try(kmp_recorder_stats(r, &s));
	kmp_ledger_add_losses(ledger, s.stacks_full + s.stacks_failed + s.tasks_full, 0);
	if (s.stacks_full)
		try(kmp_ledger_warn(ledger,
				    "%llu allocations without their stack: more than %u different "
				    "ones; --max-stacks raises that",
				    (unsigned long long)s.stacks_full, r->options.max_stacks));
	if (s.tasks_full)
		try(kmp_ledger_warn(ledger,
				    "%llu allocations without their task: more than %u different "
				    "ones; --max-tasks raises that",
				    (unsigned long long)s.tasks_full, r->options.max_tasks));
	if (s.stacks_failed)
		try(kmp_ledger_warn(ledger,
				    "%llu allocations without their stack: the kernel could not "
				    "take it",
				    (unsigned long long)s.stacks_failed));
	if (s.outside)
		try(kmp_ledger_warn(ledger, "%llu pages of memory that came later are not recorded",
				    (unsigned long long)s.outside));
	return NULL;
}

struct kmp_error *kmp_recorder_read(struct kmp_recorder *r, struct kmp_ledger *ledger,
				    const struct kmp_sink *sink)
{
	struct reading *rd = calloc(1, sizeof(*rd));

	if (!rd)
		return &kmp_error_no_memory;
	rd->r = r;
	rd->ledger = ledger;
	rd->sink = sink;
	struct kmp_error *err = read_all(rd);

	kmp_symbols_destroy(rd->symbols);
	kmp_frame_facts_deinit(&rd->facts);
	vec_deinit(&rd->stacks);
	vec_deinit(&rd->tasks);
	free(rd);
	return err ? err : tell_losses(r, ledger);
}

struct kmp_error *kmp_recorder_stats(struct kmp_recorder *r, struct kmp_recorder_stats *stats)
{
	int fd = bpf_map__fd(r->skel->maps.counters);
	int cpus = libbpf_num_possible_cpus();
	auto_free uint64_t *values = calloc(cpus > 0 ? (size_t)cpus : 1, sizeof(*values));
	uint64_t sums[RECORD_COUNTERS] = { 0 };

	if (!values)
		return &kmp_error_no_memory;
	for (uint32_t i = 0; i < RECORD_COUNTERS; i++) {
		if (bpf_map_lookup_elem(fd, &i, values))
			return kmp_bpf_error(errno, "cannot read the counters");
		for (int cpu = 0; cpu < cpus; cpu++)
			sums[i] += values[cpu];
	}
	*stats = (struct kmp_recorder_stats){
		.allocations = sums[RECORD_ALLOCS],
		.frees = sums[RECORD_FREES],
		.bulk = sums[RECORD_BULK],
		.splits = sums[RECORD_SPLITS],
		.migrations = sums[RECORD_MIGRATIONS],
		.reused = sums[RECORD_REUSED],
		.outside = sums[RECORD_OUTSIDE],
		.stacks_full = sums[RECORD_STACKS_FULL],
		.stacks_failed = sums[RECORD_STACKS_FAILED],
		.tasks_full = sums[RECORD_TASKS_FULL],
		.unattributed = r->stats.unattributed,
	};
	return NULL;
}
