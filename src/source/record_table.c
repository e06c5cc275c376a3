// SPDX-License-Identifier: GPL-2.0-only
/* The recorder's tables, which BPF programs write while they are read here. */
#include <stddef.h>
#include <string.h>

#include "source/recorder.h"

/*
 * The record says when it was written, which is never twice the same, and its info is written
 * last: what stands between two equal readings of both is one record.
 */
bool kmp_record_copy(const struct record_page *from, struct record_page *to)
{
	for (;;) {
		uint32_t info = __atomic_load_n(&from->info, __ATOMIC_ACQUIRE);

		if (!(info & RECORD_VALID))
			return false;
		to->ts = __atomic_load_n(&from->ts, __ATOMIC_ACQUIRE);
		to->stack = __atomic_load_n(&from->stack, __ATOMIC_ACQUIRE);
		to->task = __atomic_load_n(&from->task, __ATOMIC_ACQUIRE);
		to->gfp = __atomic_load_n(&from->gfp, __ATOMIC_ACQUIRE);
		to->info = __atomic_load_n(&from->info, __ATOMIC_ACQUIRE);
		if (to->info == info && __atomic_load_n(&from->ts, __ATOMIC_RELAXED) == to->ts)
			return true;
	}
}

bool kmp_recorder_stack(const struct kmp_recorder *r, uint32_t handle, struct record_stack *stack)
{
	if (handle == 0 || handle >= r->options.max_stacks)
		return false;
	const struct record_stack *from =
		(const void *)(r->stacks + handle * kmp_record_stack_size(&r->options));
	uint32_t depth = __atomic_load_n(&from->depth, __ATOMIC_ACQUIRE);

	if (depth == 0 || depth > r->options.stack_depth)
		return false;
	stack->depth = depth;
	memcpy(stack->ip, from->ip, depth * sizeof(*stack->ip));
	return true;
}

bool kmp_recorder_task(const struct kmp_recorder *r, uint32_t number, struct record_task *task)
{
	if (number == 0 || number >= r->options.max_tasks)
		return false;
	*task = r->tasks[number];
	return true;
}

uint64_t kmp_recorder_stack_pages(const struct kmp_recorder *r, uint32_t handle)
{
	int64_t sum = 0;

	for (uint32_t share = 0; share < r->shares; share++)
		sum += __atomic_load_n(&r->stack_pages[share * r->options.max_stacks + handle],
				       __ATOMIC_RELAXED);
	/* A page can be given back by another CPU while we add up. */
	return sum > 0 ? (uint64_t)sum : 0;
}
