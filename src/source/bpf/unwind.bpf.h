/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks without the kernel's unwinder: its own rules applied to a copy of the stack, which takes a
 * tenth of the time. A program's context lies on the stack at a known distance from the return
 * address of the function that calls programs: from there on every frame follows from the one
 * before it. Included by the BPF program alone.
 */
#ifndef KMP_SOURCE_BPF_UNWIND_H
#define KMP_SOURCE_BPF_UNWIND_H

#include "source/bpf/orc.bpf.h"
#include "source/bpf/table.bpf.h"

/* Set by the loader. */
const volatile struct record_anchor anchor = {};
const volatile __u32 check_mask = 0; /* every so many walks are compared with the unwinder's */

/* Set when a walk was not what the kernel's unwinder says: no more of them. */
__u32 walks_off = 0;

/* Words read at first, for most stacks are short; those of this size are left to the unwinder. */
enum { WALK_FIRST = 160, WALK_WORDS = 512, WALK_FRAMES = RECORD_DEPTH_MAX + 8 };

/* Walks that are compared before any is believed. */
enum { WALKS_CHECKED = 64 };

struct walk {
	__u64 base; /* where the words are from */
	__u32 have;
	__u32 most; /* as many as there are, or there is room for */
	__u32 count;
	/* The frame that it is at: what is called there, and where SP and BP stood. */
	__u64 ip;
	__u64 call;
	__u64 sp; /* as a place among the words */
	__u64 bp;
	__u32 skip;
	__u32 depth;
	__u32 ended; /* all frames are there */
	__u64 words[WALK_WORDS];
};

/* As on_cpus has them; the bulk allocator's program is at another place of the stack. */
enum { WALK_KINDS = ON_CPU_ALLOC + 1 };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WALK_KINDS);
	__type(key, __u32);
	__type(value, struct walk);
} walks SEC(".maps");

struct task_struct___stack {
	void *stack;
} __attribute__((preserve_access_index));

struct pt_regs___kernel {
	unsigned long bp;
	unsigned long ip;
	unsigned long cs;
	unsigned long sp;
} __attribute__((preserve_access_index));

/* Of what was interrupted, as words. */
#define REGS_WORD(name) (bpf_core_field_offset(struct pt_regs___kernel, name) / sizeof(__u64))
#define REGS_WORDS	(bpf_core_type_size(struct pt_regs___kernel) / sizeof(__u64))

/* The rest of a long stack. */
__noinline int read_rest(__u32 which)
{
	struct walk *walk = bpf_map_lookup_elem(&walks, &which);

	if (!walk || walk->have >= walk->most || walk->most > WALK_WORDS)
		return 0;
	__u32 most = walk->most;

	if (bpf_probe_read_kernel(walk->words, most * sizeof(__u64), (void *)walk->base))
		return 0;
	walk->have = most;
	return 1;
}

static __always_inline __u64 word_at(const struct walk *walk, __u64 at)
{
	return walk->words[at % WALK_WORDS];
}

/* Where an address of the stack is among the words; beyond them if it is none. */
static __always_inline __u64 place_of(const struct walk *walk, __u64 address)
{
	return address & 7 ? WALK_WORDS : (address - walk->base) / sizeof(__u64);
}

/* The BP of who called the function that calls programs, 0 if that has not saved it. */
static __always_inline __u64 first_bp(const struct walk *walk, __u32 sp)
{
	__u32 rule = rule_of(anchor.runner);
	__u32 down = rule >> RULE_BP_SHIFT & RULE_WORDS;

	return (rule & RULE_KIND) == RULE_CALL && down && down <= sp ? word_at(walk, sp - down) : 0;
}

/* A frame of the kernel's that was interrupted: its caller is where its registers say. */
static __always_inline int enter_interrupted(struct walk *walk, __u64 regs, __u32 kind)
{
	__u64 sp = place_of(walk, word_at(walk, regs + REGS_WORD(sp)));

	if (sp < regs + REGS_WORDS || sp >= WALK_WORDS)
		return 1;
	walk->sp = sp;
	walk->bp = word_at(walk, regs + REGS_WORD(bp));
	walk->ip = word_at(walk, regs + REGS_WORD(ip));
	walk->call = kind == RULE_REGS ? walk->ip + 1 : walk->ip;
	return 0;
}

static __always_inline int is_read(struct walk *walk, __u64 end, __u32 which)
{
	return end <= walk->have || (read_rest(which) && end <= walk->have);
}

/* Where the caller's frame begins, or the registers of what was interrupted; WALK_WORDS: unknown.
 */
static __always_inline __u64 frame_end(struct walk *walk, __u32 rule, __u32 which)
{
	__u64 words = rule >> RULE_UP_SHIFT & RULE_WORDS;
	__u64 at = rule & RULE_FROM_BP ? place_of(walk, walk->bp) : walk->sp;

	if (at < walk->sp || at >= WALK_WORDS)
		return WALK_WORDS;
	if (!(rule & RULE_NOTED))
		return at + words;
	if (at < words || !is_read(walk, at + 1, which))
		return WALK_WORDS;
	walk->bp = word_at(walk, at);
	return place_of(walk, word_at(walk, at - words));
}

/* To the caller's frame; 1 where there is none, or none that we know. */
static __always_inline int leave_frame(struct walk *walk, __u32 which)
{
	__u32 rule = rule_of(walk->call);
	__u32 kind = rule & RULE_KIND;
	__u32 down = rule >> RULE_BP_SHIFT & RULE_WORDS;

	walk->ended = kind == RULE_END;
	if (kind > RULE_REGS_AT_ONCE)
		return 1;
	__u64 up = frame_end(walk, rule, which);
	__u64 end = kind == RULE_CALL ? up : up + REGS_WORDS;

	if (end <= walk->sp || end >= WALK_WORDS || !is_read(walk, end, which))
		return 1;
	if (kind != RULE_CALL) {
		/* From user space: there the kernel's stack begins. */
		walk->ended = word_at(walk, up + REGS_WORD(cs)) & 3;
		return walk->ended || enter_interrupted(walk, up, kind);
	}
	if (down > up)
		return 1;
	if (down)
		walk->bp = word_at(walk, up - down);
	walk->ip = walk->call = word_at(walk, up - 1);
	walk->sp = up;
	return 0;
}

struct walker {
	struct walk *walk;
	struct on_cpu *cpu;
	__u32 which;
};

static long walk_frame(__u32 index, struct walker *walker)
{
	struct walk *walk = walker->walk;

	if (walk->skip)
		walk->skip--;
	else if (walk->depth || walk->ip - iterator >= iterator_size)
		walker->cpu->ip[walk->depth++ % RECORD_DEPTH_MAX] = walk->ip;
	if (walk->depth < stack_depth)
		return leave_frame(walk, walker->which);
	walk->ended = 1;
	return 1;
}

/* The frames of the words that were read; 0 where that is for the kernel's unwinder to say. */
__noinline __u32 walk_words(__u32 which)
{
	struct walker walker = {
		.walk = bpf_map_lookup_elem(&walks, &which),
		.cpu = bpf_map_lookup_elem(&on_cpus, &which),
		.which = which,
	};
	struct walk *walk = walker.walk;

	if (!walk || !walker.cpu)
		return 0;
	walk->skip = anchor.skip;
	walk->depth = 0;
	walk->ended = 0;
	walk->sp = anchor.first + 1;
	walk->bp = first_bp(walk, anchor.first + 1);
	walk->ip = walk->call = word_at(walk, anchor.first);
	bpf_loop(WALK_FRAMES, walk_frame, &walker, 0);
	return walk->ended ? walk->depth : 0;
}

/* With a pointer nothing may be counted; what is read from memory is a number. */
static __always_inline __u64 number_of(__u64 *place, const void *pointer)
{
	*(const void *volatile *)place = pointer;
	return *(volatile __u64 *)place;
}

/* The frames of a raw tracepoint's program; 0 as above, and where it is no task's own stack. */
static __always_inline __u32 walk_stack(void *ctx, __u32 which)
{
	struct walk *walk = bpf_map_lookup_elem(&walks, &which);
	struct task_struct___stack *task = (void *)bpf_get_current_task_btf();

	if (!orc.count || walks_off || !walk)
		return 0;
	__u64 stack = number_of(&walk->base, task->stack);
	__u64 below = number_of(&walk->base, ctx) - stack;

	if (below >= RECORD_KERNEL_STACK)
		return 0;
	__u32 size = RECORD_KERNEL_STACK - (__u32)below;

	walk->most = size / sizeof(__u64) < WALK_WORDS ? size / sizeof(__u64) : WALK_WORDS;
	if (size > WALK_FIRST * sizeof(__u64))
		size = WALK_FIRST * sizeof(__u64);
	walk->have = size / sizeof(__u64);
	return bpf_probe_read_kernel(walk->words, size, ctx) ? 0 : walk_words(which);
}

/* Every so often both ways are gone; what the kernel's unwinder says is right. */
static __always_inline int is_checked(__u32 which)
{
	struct walk *walk = bpf_map_lookup_elem(&walks, &which);
	__u32 count = walk ? walk->count++ : 0;

	return count < WALKS_CHECKED || !(count & check_mask);
}

/* As stack_handle(), of a raw tracepoint's program. */
static __always_inline __u32 walked_handle(void *ctx, struct on_cpu *cpu, __u32 which)
{
	__u32 depth = walk_stack(ctx, which);
	__u32 first = 0;
	__u64 hash = 0;

	count(depth ? RECORD_WALKED : RECORD_UNWOUND);
	if (depth && is_checked(which)) {
		hash = hash_of(cpu->ip, depth);
		depth = 0;
	}
	if (!depth) {
		__u32 more = one_more;

		depth = unwound_stack(ctx, cpu, &first);
		/* Of another depth, while it was not known whether others trace the same. */
		if (hash && depth && more == first && hash != hash_of(cpu->ip + first, depth)) {
			count(RECORD_WALKED_WRONG);
			walks_off = 1;
		}
	}
	return depth ? find_stack(cpu, cpu->ip + first, depth) : 0;
}

#endif
