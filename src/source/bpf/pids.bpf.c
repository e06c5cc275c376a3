// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which numbers processes have in the kernel's first PID namespace, whose numbers recording knows:
 * the loader runs this itself, in the namespace whose numbers it has.
 */
#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

#define kernel_type __attribute__((preserve_access_index))

struct pid_namespace;

struct upid {
	int nr;
	struct pid_namespace *ns;
} kernel_type;

struct pid {
	unsigned int level;
	struct upid numbers[1]; /* one for each level */
} kernel_type;

struct list_head {
	struct list_head *next;
} kernel_type;

struct task_struct {
	struct list_head tasks;
	int tgid;
	struct task_struct *group_leader;
	struct pid *thread_pid;
} kernel_type;

/* By the number in the loader's namespace; the loader puts those in that it asks for. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} numbers SEC(".maps");

struct walk {
	struct task_struct *first;
	struct task_struct *next;
	__u32 level;
	struct pid_namespace *ns;
};

static __always_inline struct pid_namespace *number_at(struct pid *pid, __u32 level, __u32 *nr)
{
	struct upid *at = (void *)__builtin_preserve_access_index(&pid->numbers) +
			  (__u64)level * bpf_core_type_size(struct upid);

	*nr = (__u32)BPF_CORE_READ(at, nr);
	return BPF_CORE_READ(at, ns);
}

static long visit(__u32 index, struct walk *walk)
{
	struct task_struct *task = walk->next;
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	__u32 nr = 0;

	if (pid && BPF_CORE_READ(pid, level) >= walk->level &&
	    number_at(pid, walk->level, &nr) == walk->ns) {
		__u32 *asked = bpf_map_lookup_elem(&numbers, &nr);

		if (asked)
			*asked = (__u32)BPF_CORE_READ(task, tgid);
	}
	walk->next = (void *)BPF_CORE_READ(task, tasks.next) -
		     bpf_core_field_offset(struct task_struct, tasks);
	return walk->next == walk->first;
}

enum { TASKS_MAX = 1 << 22 }; /* as many as there can be */

SEC("raw_tp")
int find(void *ctx)
{
	struct task_struct *self = (void *)bpf_get_current_task();
	struct pid *pid = BPF_CORE_READ(self, thread_pid);
	struct walk walk = { .level = BPF_CORE_READ(pid, level) };
	__u32 nr;

	walk.first = walk.next = BPF_CORE_READ(self, group_leader);
	walk.ns = number_at(pid, walk.level, &nr);
	bpf_loop(TASKS_MAX, visit, &walk, 0);
	return 0;
}
