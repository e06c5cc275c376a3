// SPDX-License-Identifier: GPL-2.0-only
/* What was recorded, as page owners, and what was lost. */
#include "source/recorder_tags.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <time.h>

#include "base/cleanup.h"
#include "ledger/ledger.h"
#include "source/bpf/record.skel.h"
#include "source/record_words.h"

enum { BATCH = 1024 };

struct reading {
	struct kmp_record_words words;
	struct kmp_record_cursor cursor;
	struct kmp_page batch[BATCH];
};

struct kmp_error *kmp_recorder_tell(const struct kmp_recorder *r, struct kmp_ledger *ledger)
{
	struct kmp_facts facts = *kmp_ledger_facts(ledger);

	facts.name = "this machine";
	facts.kind = "recorded";
	facts.mode = "stack_handle";
	facts.time = (uint64_t)time(NULL);
	try(kmp_ledger_set_facts(ledger, &facts));
	for (size_t i = 0; i < r->absent.len; i++)
		try(kmp_ledger_warn(ledger, "%s", r->absent.data[i]));
	return NULL;
}

/*
 * To read all names takes longer than to read what was recorded. They stay for the next reading,
 * unless there was none for an address, or they are half a minute old.
 */
static struct kmp_error *know_names(struct kmp_recorder *r)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (r->names && !r->names_old && now.tv_sec - r->names_time < 30)
		return NULL;
	if (!r->names)
		r->names = calloc(1, sizeof(*r->names));
	if (!r->names)
		return &kmp_error_no_memory;
	kmp_kernel_names_deinit(r->names);
	r->names_time = now.tv_sec;
	r->names_old = true;
	try(kmp_kernel_names_init(r->names));
	r->names_old = false;
	return NULL;
}

struct kmp_error *kmp_recorder_read_tags(struct kmp_recorder *r, struct kmp_ledger *ledger)
{
	try(know_names(r));
	return kmp_recorder_tags_read(r, r->names->symbols, ledger);
}

static struct kmp_error *read_all(struct reading *rd, struct kmp_recorder *r,
				  struct kmp_ledger *ledger, const struct kmp_sink *sink)
{
	static const uint32_t of_frames = KMP_COLUMN_BLOCK | KMP_COLUMN_FLAGS | KMP_COLUMN_CHARGE;
	size_t count = 0;
	bool end = false;

	try(kmp_recorder_tell(r, ledger));
	try(know_names(r));
	if (r->options.what & KMP_READ_TAGS)
		try(kmp_recorder_tags_read(r, r->names->symbols, ledger));
	if (!(r->options.what & KMP_READ_PAGES))
		return NULL;
	try(kmp_record_words_init(&rd->words, r, r->names, ledger));
	rd->words.no_frames = !(sink->columns & of_frames);
	kmp_record_cursor_init(&rd->cursor, r, &rd->words.facts);
	__atomic_store_n(&r->stats.unattributed, 0, __ATOMIC_RELAXED);
	for (;;) {
		struct kmp_found found;

		try(kmp_record_cursor_next(&rd->cursor, &found, &end));
		if (count == BATCH || (end && count)) {
			try(sink->pages(sink->arg, ledger, rd->batch, count));
			count = 0;
		}
		if (end)
			return NULL;
		try(kmp_record_words_page(&rd->words, &found, &rd->batch[count++]));
		if (!found.attributed)
			__atomic_add_fetch(&r->stats.unattributed, 1ull << found.order,
					   __ATOMIC_RELAXED);
	}
}

/* Losses as the counters tell them, each with what helps. */
struct kmp_error *kmp_recorder_tell_losses(struct kmp_recorder *r, struct kmp_ledger *ledger)
{
	struct kmp_recorder_stats s = { 0 };

	try(kmp_recorder_stats(r, &s));
	const struct {
		uint64_t count;
		unsigned limit; /* 0: none */
		const char *what;
		const char *option;
	} losses[] = {
		{ s.stacks_full, r->options.max_stacks, "allocations without their stack",
		  "--max-stacks" },
		{ s.tasks_full, r->options.max_tasks, "allocations without their task",
		  "--max-tasks" },
		{ s.stacks_failed, 0,
		  "allocations without their stack: the kernel could not take it", NULL },
		{ s.outside, 0, "pages of memory that came later are not recorded", NULL },
		{ s.pids_full, 0, "child processes were not followed: too many at once", NULL },
		{ s.missed, 0, "events were missed: they interrupted the recording of others",
		  NULL },
		{ s.walked_wrong, 0,
		  "stacks that were compared are not what the kernel's unwinder says: others "
		  "before may be wrong",
		  NULL },
		{ s.objects_full, r->options.max_objects, "kernel objects that are in no tag",
		  "--max-objects" },
		{ s.sites_full, r->options.max_tags, "kernel objects without their call site",
		  "--max-tags" },
		{ s.sites_failed, 0,
		  "kernel objects without their call site: no frame outside the allocator", NULL },
	};

	for (size_t i = 0; i < sizeof(losses) / sizeof(*losses); i++) {
		if (!losses[i].count)
			continue;
		kmp_ledger_add_losses(ledger, losses[i].count, 0);
		if (losses[i].limit)
			try(kmp_ledger_warn(ledger, "%llu %s: there is room for %u; %s raises that",
					    (unsigned long long)losses[i].count, losses[i].what,
					    losses[i].limit, losses[i].option));
		else
			try(kmp_ledger_warn(ledger, "%llu %s", (unsigned long long)losses[i].count,
					    losses[i].what));
	}
	return NULL;
}

struct kmp_error *kmp_recorder_read(struct kmp_recorder *r, struct kmp_ledger *ledger,
				    const struct kmp_sink *sink)
{
	struct reading *rd = calloc(1, sizeof(*rd));

	if (!rd)
		return &kmp_error_no_memory;
	kmp_task_numbers_hold(r);
	struct kmp_error *err = read_all(rd, r, ledger, sink);

	kmp_task_numbers_let_go(r);
	r->names_old |= rd->words.unnamed > 0;
	kmp_record_words_deinit(&rd->words);
	free(rd);
	return err ? err : kmp_recorder_tell_losses(r, ledger);
}

uint32_t kmp_recorder_stacks(const struct kmp_recorder *r)
{
	uint32_t next = __atomic_load_n(&r->skel->data->next_stack, __ATOMIC_ACQUIRE);

	return next < r->options.max_stacks ? next : r->options.max_stacks;
}

/* The sum of a per-CPU map's 64-bit values under a number. */
static struct kmp_error *sum_cpus(const struct bpf_map *map, uint32_t key, uint64_t *values,
				  uint64_t *sum)
{
	int cpus = libbpf_num_possible_cpus();

	if (bpf_map_lookup_elem(bpf_map__fd(map), &key, values))
		return kmp_bpf_error(errno, "cannot read the counters");
	*sum = 0;
	for (int cpu = 0; cpu < cpus; cpu++)
		*sum += values[cpu];
	return NULL;
}

static uint64_t *room_for_cpus(void)
{
	int cpus = libbpf_num_possible_cpus();

	return calloc(cpus > 0 ? (size_t)cpus : 1, sizeof(uint64_t));
}

/* A kernel that does not count these lets none go by. */
static uint64_t misses_of(const struct bpf_program *program)
{
	struct bpf_prog_info info = { 0 };
	uint32_t size = sizeof(info);
	int fd = bpf_program__fd(program);

	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &size) ? info.recursion_misses : 0;
}

/* Events that the second program of each pair saw. */
static struct kmp_error *read_covered(const struct kmp_recorder *r, uint64_t covered[PAIR_COUNT])
{
	int cpus = libbpf_num_possible_cpus();
	auto_free struct record_pair_state *states =
		calloc(cpus > 0 ? (size_t)cpus : 1, sizeof(*states));

	if (!states)
		return &kmp_error_no_memory;
	for (uint32_t pair = 0; pair < PAIR_COUNT; pair++) {
		if (bpf_map_lookup_elem(bpf_map__fd(r->skel->maps.pairs), &pair, states))
			return kmp_bpf_error(errno, "cannot read the counters");
		covered[pair] = 0;
		for (int cpu = 0; cpu < cpus; cpu++)
			covered[pair] += states[cpu].covered;
	}
	return NULL;
}

/*
 * Events that came while the program for them was at work on the same CPU, which the kernel passes
 * over, but for what a second program saw instead. Asked of that last: it was never more.
 */
static struct kmp_error *count_missed(const struct kmp_recorder *r, uint64_t *missed)
{
	const struct record *skel = r->skel;
	const struct bpf_program *const first[PAIR_COUNT] = {
		[PAIR_FREE] = skel->progs.record_free,
		[PAIR_KMALLOC] = skel->progs.tags_kmalloc,
		[PAIR_KMALLOC_NODE] = skel->progs.tags_kmalloc_node,
		[PAIR_CACHE_ALLOC] = skel->progs.tags_cache_alloc,
		[PAIR_CACHE_ALLOC_NODE] = skel->progs.tags_cache_alloc_node,
		[PAIR_KFREE] = skel->progs.tags_kfree,
		[PAIR_CACHE_FREE] = skel->progs.tags_cache_free,
	};
	/* Functions: one kernel crashed when it went from one program to two. */
	const struct bpf_program *const alone[] = {
		skel->progs.record_alloc,	  skel->progs.record_bulk,
		skel->progs.record_split,	  skel->progs.record_split_owner,
		skel->progs.record_migrate,	  skel->progs.record_fork,
		skel->progs.record_exit,	  skel->progs.tags_nolock,
		skel->progs.tags_free_nolock,	  skel->progs.tags_free_bulk,
		skel->progs.tags_alloc_bulk,	  skel->progs.tags_free_rcu,
		skel->progs.tags_free_rcu_nolock,
	};
	uint64_t by_pair[PAIR_COUNT];
	uint64_t covered[PAIR_COUNT];

	*missed = 0;
	for (size_t i = 0; i < sizeof(alone) / sizeof(*alone); i++)
		*missed += misses_of(alone[i]);
	for (size_t i = 0; i < PAIR_COUNT; i++)
		by_pair[i] = misses_of(first[i]);
	try(read_covered(r, covered));
	for (size_t i = 0; i < PAIR_COUNT; i++)
		*missed += by_pair[i] > covered[i] ? by_pair[i] - covered[i] : 0;
	return NULL;
}

struct kmp_error *kmp_recorder_stats(struct kmp_recorder *r, struct kmp_recorder_stats *stats)
{
	auto_free uint64_t *values = room_for_cpus();
	uint64_t sums[RECORD_COUNTERS] = { 0 };

	if (!values)
		return &kmp_error_no_memory;
	for (uint32_t i = 0; i < RECORD_COUNTERS; i++)
		try(sum_cpus(r->skel->maps.counters, i, values, &sums[i]));
	uint64_t missed;

	try(count_missed(r, &missed));
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
		.pids_full = sums[RECORD_PIDS_FULL],
		.missed = missed,
		.walked = sums[RECORD_WALKED],
		.unwound = sums[RECORD_UNWOUND],
		.walked_wrong = sums[RECORD_WALKED_WRONG],
		.unattributed = __atomic_load_n(&r->stats.unattributed, __ATOMIC_RELAXED),
		.objects = sums[RECORD_OBJECTS],
		.objects_freed = sums[RECORD_OBJECTS_FREED],
		.objects_bulk = sums[RECORD_OBJECTS_BULK],
		.objects_reused = sums[RECORD_OBJECTS_REUSED],
		.objects_full = sums[RECORD_OBJECTS_FULL],
		.sites_full = sums[RECORD_SITES_FULL],
		.sites_failed = sums[RECORD_SITES_FAILED],
	};
	return NULL;
}
