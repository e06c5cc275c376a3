// SPDX-License-Identifier: GPL-2.0-only
/* The least that whoever records stacks must pay: a stack for each page, and nothing done with it.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

enum { DEPTH = 16 };

char LICENSE[] SEC("license") = "GPL";

const volatile __u32 pid = 0;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__uint(value_size, DEPTH * sizeof(__u64));
} room SEC(".maps");

SEC("raw_tp/mm_page_alloc")
int take_stack(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 zero = 0;
	void *stack;

	if (bpf_get_current_pid_tgid() >> 32 != pid)
		return 0;
	stack = bpf_map_lookup_elem(&room, &zero);
	if (stack)
		bpf_get_stack(ctx, stack, DEPTH * sizeof(__u64), 0);
	return 0;
}

SEC("raw_tp/mm_page_free")
int nothing(struct bpf_raw_tracepoint_args *ctx)
{
	return 0;
}
