/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables of the recorder and what is done with them: page frames, stacks, tasks, sums,
 * counters. Included by the BPF program alone.
 */
#ifndef KMP_SOURCE_BPF_TABLE_H
#define KMP_SOURCE_BPF_TABLE_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "source/bpf/record.h"

/* Set by the loader. */
const volatile __u64 vmemmap = 0;
const volatile __u64 page_struct_size = 64;
const volatile __u32 page_struct_shift = 0; /* 0: the size is no power of two */
const volatile __u32 max_stacks = 0;
const volatile __u32 max_tasks = 0;
const volatile __u32 shares = 1; /* of the sums, so that CPUs do not fight; a power of two */
const volatile __u32 stack_depth = 16;
const volatile __u32 stack_skip = 0;
const volatile __u64 iterator = 0;
const volatile __u32 iterator_size = 0;
const volatile __u32 scope_pids = 0;
const volatile __u32 scope_cgroup = 0;
const volatile __u32 follow_forks = 0;
const volatile __u32 bulk_array_arg = 4;

__u32 next_stack = 1;
__u32 next_task = 1;

/* Another one: what is known of tasks on a CPU may be wrong. How many numbers were used again. */
__u32 task_epoch = 0;
__u32 tasks_again = 0;

/* Somebody else traced the same when a stack was taken last: it has a frame more. */
__u32 one_more = 0;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct record_page);
} pages SEC(".maps");

/* By section: the slot of its first frame + 1. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} sections SEC(".maps");

/* Handles by the hash of the frames. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, __u32);
} stacks SEC(".maps");

/* By handle. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__uint(value_size, sizeof(struct record_stack));
} stack_table SEC(".maps");

/* Base pages by handle, once for each share: the sum over the shares is right. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __s64);
} stack_pages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct record_task);
	__type(value, __u32);
} tasks SEC(".maps");

/* By number. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct record_task);
} task_table SEC(".maps");

/* Numbers that are free again. */
struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 1);
	__type(value, __u32);
} free_tasks SEC(".maps");

enum { KNOWN_STACKS = 64 };

/*
 * What a program needs while it runs, and what it found last: mostly the same again. Handles stay
 * what they are, numbers of tasks within an epoch, so that what is kept here is never wrong.
 */
struct on_cpu {
	__u32 depth;
	__u64 ip[RECORD_DEPTH_MAX + 1]; /* room for the tracepoint's own */
	struct record_task task;
	__u32 task_number;
	__u32 task_epoch;
	struct {
		__u64 hash;
		__u32 handle; /* 0: none */
	} known[KNOWN_STACKS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct on_cpu);
} on_cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RECORD_PIDS_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u8);
} pids SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} cgroups SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RECORD_COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

static __always_inline void count(__u32 counter)
{
	__u64 *value = bpf_map_lookup_elem(&counters, &counter);

	if (value)
		(*value)++;
}

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, PAIR_COUNT);
	__type(key, __u32);
	__type(value, struct record_pair_state);
} pairs SEC(".maps");

static __always_inline void first_sees(__u32 pair, __u64 what)
{
	volatile struct record_pair_state *state = bpf_map_lookup_elem(&pairs, &pair);

	if (!state)
		return;
	state->before = state->noted;
	state->noted = what;
}

/* Was it passed over by the first program? Then this one is there for it. */
static __always_inline int first_missed(__u32 pair, __u64 what)
{
	volatile struct record_pair_state *state = bpf_map_lookup_elem(&pairs, &pair);

	if (!state)
		return 0;
	if (state->noted == what) {
		state->noted = state->before;
		return 0;
	}
	state->covered++;
	return 1;
}

/* Where a page frame stands in the table; 0 if it does not. */
static __always_inline int slot_at(__u64 pfn, __u32 *slot)
{
	__u32 section = pfn >> RECORD_SECTION_SHIFT;
	__u32 *base = bpf_map_lookup_elem(&sections, &section);

	if (!base || !*base)
		return 0;
	*slot = *base - 1 + (pfn & ((1 << RECORD_SECTION_SHIFT) - 1));
	return 1;
}

/* The record of a page frame, or NULL if the table does not have it. */
static __always_inline struct record_page *page_at(__u64 pfn)
{
	__u32 slot;

	return slot_at(pfn, &slot) ? bpf_map_lookup_elem(&pages, &slot) : 0;
}

static __always_inline __u64 pfn_of(__u64 page)
{
	/* Division takes ten times as long. */
	return page_struct_shift ? (page - vmemmap) >> page_struct_shift
				 : (page - vmemmap) / page_struct_size;
}

static __always_inline void add_pages(__u32 handle, __s64 count_of)
{
	__u32 share = bpf_get_smp_processor_id() & (shares - 1);
	__u32 at = share * max_stacks + handle;
	__s64 *sum = bpf_map_lookup_elem(&stack_pages, &at);

	if (sum)
		__sync_fetch_and_add(sum, count_of);
}

static __always_inline int in_scope(void)
{
	if (scope_pids) {
		__u32 tgid = bpf_get_current_pid_tgid() >> 32;

		if (!bpf_map_lookup_elem(&pids, &tgid))
			return 0;
	}
	if (scope_cgroup && bpf_current_task_under_cgroup(&cgroups, 0) != 1)
		return 0;
	return 1;
}

static __always_inline __u64 mix(__u64 hash, __u64 value)
{
	hash ^= value;
	hash *= 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

/* A handle for a stack that is new; 0 if there is no room. */
static __always_inline __u32 add_stack(__u64 hash, const __u64 *ip, __u32 depth)
{
	/* Not counted on when full, for a count that goes on would come round one day. */
	__u32 handle = next_stack < max_stacks ? __sync_fetch_and_add(&next_stack, 1) : max_stacks;
	struct record_stack *place = bpf_map_lookup_elem(&stack_table, &handle);
	__u32 *known;

	if (place) {
		for (__u32 i = 0; i < RECORD_DEPTH_MAX && i < stack_depth; i++) {
			if (i < depth)
				place->ip[i] = ip[i];
		}
		barrier();
		place->depth = depth;
		if (!bpf_map_update_elem(&stacks, &hash, &handle, BPF_NOEXIST))
			return handle;
		/* Another CPU was quicker: its handle is the stack's. */
		place->depth = 0;
		known = bpf_map_lookup_elem(&stacks, &hash);
		if (known)
			return *known;
	}
	count(RECORD_STACKS_FULL);
	return 0;
}

static __always_inline __u64 hash_of(const __u64 *ip, __u32 depth)
{
	__u64 hash = depth;

	for (__u32 i = 0; i < RECORD_DEPTH_MAX && i < depth; i++)
		hash = mix(hash, ip[i]);
	return hash;
}

static __always_inline __u32 find_stack(struct on_cpu *cpu, const __u64 *ip, __u32 depth)
{
	__u64 hash = hash_of(ip, depth);
	__u32 slot = hash >> 32 & (KNOWN_STACKS - 1);

	if (cpu->known[slot].hash == hash && cpu->known[slot].handle)
		return cpu->known[slot].handle;
	__u32 *known = bpf_map_lookup_elem(&stacks, &hash);
	__u32 handle = known ? *known : add_stack(hash, ip, depth);

	cpu->known[slot].hash = hash;
	cpu->known[slot].handle = handle;
	return handle;
}

/* The kernel's unwinder: the frames from cpu->ip[*first] on. */
static __always_inline __u32 unwound_stack(void *ctx, struct on_cpu *cpu, __u32 *first)
{
	__u32 more = one_more != 0;
	__u32 size = (stack_depth + more) * sizeof(__u64);

	*first = 0;
	if (size > sizeof(cpu->ip))
		size = sizeof(cpu->ip);
	long got = bpf_get_stack(ctx, cpu->ip, size, stack_skip & BPF_F_SKIP_FIELD_MASK);

	if (got <= 0) {
		count(RECORD_STACKS_FAILED);
		return 0;
	}
	__u32 depth = (__u32)got / sizeof(__u64);

	*first = cpu->ip[0] - iterator < iterator_size;
	if (more != *first)
		one_more = *first;
	if (*first)
		return depth - 1;
	return depth < stack_depth ? depth : stack_depth;
}

static __always_inline __u32 stack_handle(void *ctx, struct on_cpu *cpu)
{
	__u32 first;
	__u32 depth = unwound_stack(ctx, cpu, &first);

	return depth ? find_stack(cpu, cpu->ip + first, depth) : 0;
}

/* The next number, or one that is free again; max_tasks: there is none. */
static __always_inline __u32 new_number(void)
{
	__u32 number = next_task < max_tasks ? __sync_fetch_and_add(&next_task, 1) : max_tasks;

	if (number < max_tasks)
		return number;
	if (bpf_map_pop_elem(&free_tasks, &number))
		return max_tasks;
	__sync_fetch_and_add(&tasks_again, 1);
	return number;
}

/* A number for a task that is new; 0 if there is no room. */
static __always_inline __u32 add_task(const struct record_task *task)
{
	__u32 number = new_number();
	struct record_task *place = bpf_map_lookup_elem(&task_table, &number);
	__u32 *known;

	if (place) {
		*place = *task;
		if (!bpf_map_update_elem(&tasks, task, &number, BPF_NOEXIST))
			return number;
		/* Another CPU was quicker; the number is found to be free one day. */
		known = bpf_map_lookup_elem(&tasks, task);
		if (known)
			return *known;
	}
	count(RECORD_TASKS_FULL);
	return 0;
}

static __always_inline __u32 task_number(struct on_cpu *cpu)
{
	/* Read before the number is: one of before must not look like one of after. */
	__u32 epoch = *(volatile __u32 *)&task_epoch;
	struct record_task task = {};
	__u64 id = bpf_get_current_pid_tgid();

	task.pid = (__u32)id;
	task.tgid = id >> 32;
	bpf_get_current_comm(task.comm, sizeof(task.comm));

	const __u64 *a = (const __u64 *)&task;
	const __u64 *b = (const __u64 *)&cpu->task;

	if (cpu->task_number && cpu->task_epoch == epoch && a[0] == b[0] && a[1] == b[1] &&
	    a[2] == b[2])
		return cpu->task_number;
	__u32 *known = bpf_map_lookup_elem(&tasks, &task);
	__u32 number = known ? *known : add_task(&task);

	cpu->task = task;
	cpu->task_number = number;
	cpu->task_epoch = epoch;
	return number;
}

/* Forget a record; its pages leave its stack's sum. */
static __always_inline void forget(struct record_page *page)
{
	add_pages(page->stack, -(1ll << (page->info & RECORD_ORDER)));
	page->info &= ~RECORD_VALID;
	/* A reader must not take what is written next for this one's. */
	barrier();
}

static __always_inline void write_page(struct record_page *page, const struct record_page *from)
{
	__u32 generation = (page->info >> RECORD_GENERATION_SHIFT) + 1;

	if (page->info & RECORD_VALID) {
		count(RECORD_REUSED);
		forget(page);
	}
	page->ts = from->ts;
	page->stack = from->stack;
	page->task = from->task;
	page->gfp = from->gfp;
	barrier();
	page->info = (from->info & ((1 << RECORD_GENERATION_SHIFT) - 1)) |
		     (generation << RECORD_GENERATION_SHIFT) | RECORD_VALID;
	add_pages(from->stack, 1ll << (from->info & RECORD_ORDER));
}

#endif
