// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who allocates pages: a record by page frame in a table that the loader maps. Raw tracepoints give
 * the page's pointer, from which the frame's number follows (the loader measured the base). Stacks
 * and tasks are interned here; nothing waits for user space.
 *
 * What tracepoints do not show comes from function probes, each loaded where the kernel has the
 * function: the bulk allocator, splits, migration.
 *
 * Whatever fails is counted. A record without its stack or task is still a record, and sums are
 * kept by handle, handle 0 for lost stacks: a failure never leaves a sum raised.
 */
#include "source/bpf/unwind.bpf.h"

char LICENSE[] SEC("license") = "GPL";

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live; /* threads */
} __attribute__((preserve_access_index));

struct task_struct {
	int tgid;
	struct signal_struct *signal;
} __attribute__((preserve_access_index));

SEC("raw_tp/mm_page_alloc")
int record_alloc(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 page = ctx->args[0];

	if (!page || !in_scope())
		return 0;
	__u32 which = ON_CPU_ALLOC;
	struct on_cpu *cpu = bpf_map_lookup_elem(&on_cpus, &which);
	struct record_page *slot = page_at(pfn_of(page));

	count(RECORD_ALLOCS);
	if (!slot || !cpu) {
		count(RECORD_OUTSIDE);
		return 0;
	}
	struct record_page record = {
		.ts = bpf_ktime_get_ns(),
		.stack = walked_handle(ctx, cpu, which),
		.task = task_number(cpu),
		.gfp = (__u32)ctx->args[2],
		.info = ((__u32)ctx->args[1] & RECORD_ORDER) | ((__u32)ctx->args[3] & RECORD_TYPE)
								       << RECORD_TYPE_SHIFT,
	};

	write_page(slot, &record);
	return 0;
}

enum { NO_SLOT = 0xffffffff };

/*
 * The slot of an allocation that covers this one, which has none of its own. Sections are larger
 * than allocations, and aligned in the table as in memory, so that slots stand for PFNs. A global
 * function, as are the next: the kernel checks it once, not along each path that leads to it.
 */
__noinline __u32 slot_of_whole(__u32 slot)
{
	for (__u32 order = 1; order <= RECORD_ORDER_MAX; order++) {
		__u32 start = slot & ~((1u << order) - 1);
		struct record_page *head = bpf_map_lookup_elem(&pages, &start);

		if (head && (head->info & RECORD_VALID) && (head->info & RECORD_ORDER) >= order)
			return start;
	}
	return NO_SLOT;
}

/*
 * A part of the allocation at start is freed. What is left becomes allocations of their own, as the
 * kernel's own splitting would have it: halves of what holds the freed part. Tells its order.
 */
__noinline __u32 free_part(__u32 start, __u32 slot, __u32 order)
{
	struct record_page *head = bpf_map_lookup_elem(&pages, &start);

	if (!head)
		return 0;
	struct record_page whole = *head;
	__u32 have = whole.info & RECORD_ORDER;

	forget(head);
	count(RECORD_FREES);
	if (have <= order)
		return have;
	count(RECORD_SPLITS);
	for (__u32 piece = 0; piece < RECORD_ORDER_MAX; piece++) {
		if (piece < order || piece >= have)
			continue;
		__u32 other = (slot & ~((1u << piece) - 1)) ^ (1u << piece);
		struct record_page *page = bpf_map_lookup_elem(&pages, &other);

		whole.info = (whole.info & ~RECORD_ORDER) | piece;
		if (page)
			write_page(page, &whole);
	}
	return have;
}

static long forget_slot(__u32 index, const __u32 *first)
{
	__u32 slot = *first + index;
	struct record_page *page = bpf_map_lookup_elem(&pages, &slot);

	if (page && (page->info & RECORD_VALID)) {
		count(RECORD_FREES);
		forget(page);
	}
	return 0;
}

/* What is freed is not what was allocated. */
__noinline int free_otherwise(__u32 slot, __u32 order)
{
	struct record_page *page = bpf_map_lookup_elem(&pages, &slot);
	__u32 start = page && (page->info & RECORD_VALID) ? slot : slot_of_whole(slot);

	if (start != NO_SLOT && free_part(start, slot, order) >= order)
		return 0;
	/* Allocated in several pieces, or before we were there: whatever is in it goes. */
	if (order && order <= RECORD_ORDER_MAX)
		bpf_loop(1u << order, forget_slot, &slot, 0);
	return 0;
}

static __always_inline int free_page(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 order = (__u32)ctx->args[1] & RECORD_ORDER;
	__u32 slot;

	if (!slot_at(pfn_of(ctx->args[0]), &slot))
		return 0;
	struct record_page *page = bpf_map_lookup_elem(&pages, &slot);

	if (page && (page->info & RECORD_VALID) && (page->info & RECORD_ORDER) == order) {
		count(RECORD_FREES);
		forget(page);
	} else {
		free_otherwise(slot, order);
	}
	return 0;
}

SEC("raw_tp/mm_page_free")
int record_free(struct bpf_raw_tracepoint_args *ctx)
{
	first_sees(PAIR_FREE, ctx->args[0]);
	return free_page(ctx);
}

/* An interrupt can free hundreds of pages. The page is not given back before we return. */
SEC("raw_tp/mm_page_free")
int record_free_again(struct bpf_raw_tracepoint_args *ctx)
{
	return first_missed(PAIR_FREE, ctx->args[0]) ? free_page(ctx) : 0;
}

struct bulk {
	struct record_page record;
	__u64 array;
};

static long bulk_page(__u32 index, struct bulk *bulk)
{
	__u64 page = 0;

	if (bpf_probe_read_kernel(&page, sizeof(page), (void *)(bulk->array + index * 8ull)) ||
	    !page)
		return 0;
	struct record_page *slot = page_at(pfn_of(page));

	if (!slot) {
		count(RECORD_OUTSIDE);
		return 0;
	}
	/* Pages that were in the array before, and the one that the tracepoint showed. */
	if (slot->info & RECORD_VALID)
		return 0;
	count(RECORD_ALLOCS);
	count(RECORD_BULK);
	write_page(slot, &bulk->record);
	return 0;
}

/* The bulk allocator, behind vmalloc and page pools, fires no tracepoint. */
SEC("fexit")
int record_bulk(__u64 *ctx)
{
	struct bulk bulk = {};
	__u32 which = ON_CPU_BULK;
	struct on_cpu *cpu = bpf_map_lookup_elem(&on_cpus, &which);
	__u64 gfp = 0;
	__u64 populated = 0;

	if (!cpu || !in_scope() || bpf_get_func_ret(ctx, &populated) ||
	    bpf_get_func_arg(ctx, bulk_array_arg, &bulk.array) || !bulk.array || !populated)
		return 0;
	bpf_get_func_arg(ctx, 0, &gfp);
	bulk.record.ts = bpf_ktime_get_ns();
	bulk.record.stack = stack_handle(ctx, cpu);
	bulk.record.task = task_number(cpu);
	bulk.record.gfp = (__u32)gfp;
	bpf_loop(populated > 1024 ? 1024 : (__u32)populated, bulk_page, &bulk, 0);
	return 0;
}

struct split {
	struct record_page record;
	__u64 pfn;
	__u32 order; /* of the pieces */
};

static long split_piece(__u32 index, struct split *split)
{
	struct record_page *slot = page_at(split->pfn + ((__u64)index << split->order));

	if (slot)
		write_page(slot, &split->record);
	return 0;
}

static __always_inline void split_record(__u64 page, __u32 order)
{
	struct split split = { .pfn = pfn_of(page), .order = order };
	struct record_page *slot = page_at(split.pfn);

	if (!slot || !(slot->info & RECORD_VALID) || (slot->info & RECORD_ORDER) <= order)
		return;
	__u32 have = slot->info & RECORD_ORDER;

	split.record = *slot;
	split.record.info = (slot->info & ~RECORD_ORDER) | order;
	forget(slot);
	count(RECORD_SPLITS);
	bpf_loop(1u << ((have - order) & 0x1f), split_piece, &split, 0);
}

/* split_page(page, order): into single pages. */
SEC("fentry")
int record_split(__u64 *ctx)
{
	__u64 page = 0;

	bpf_get_func_arg(ctx, 0, &page);
	split_record(page, 0);
	return 0;
}

/* __split_page_owner(page, old_order, new_order), where the kernel has page_owner itself. */
SEC("fentry")
int record_split_owner(__u64 *ctx)
{
	__u64 page = 0;
	__u64 order = 0;

	bpf_get_func_arg(ctx, 0, &page);
	bpf_get_func_arg(ctx, 2, &order);
	split_record(page, (__u32)order & RECORD_ORDER);
	return 0;
}

/* folio_migrate_flags(to, from): the new page has the old one's owner, as page_owner has it. */
SEC("fexit")
int record_migrate(__u64 *ctx)
{
	__u64 to = 0;
	__u64 from = 0;

	bpf_get_func_arg(ctx, 0, &to);
	bpf_get_func_arg(ctx, 1, &from);
	struct record_page *old = page_at(pfn_of(from));
	struct record_page *new = page_at(pfn_of(to));

	if (!old || !new || !(old->info & RECORD_VALID))
		return 0;
	struct record_page record = *old;

	record.info |= RECORD_MIGRATED;
	count(RECORD_MIGRATIONS);
	if (new->info & RECORD_VALID)
		forget(new);
	write_page(new, &record);
	return 0;
}

/* The children of who is recorded are recorded. */
SEC("raw_tp/sched_process_fork")
int record_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *child = (struct task_struct *)ctx->args[1];
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	__u32 new_tgid;
	__u8 one = 1;

	if (!follow_forks || !bpf_map_lookup_elem(&pids, &tgid))
		return 0;
	new_tgid = (__u32)BPF_CORE_READ(child, tgid);
	if (bpf_map_update_elem(&pids, &new_tgid, &one, BPF_ANY))
		count(RECORD_PIDS_FULL);
	return 0;
}

/* Another process may get its number. */
SEC("raw_tp/sched_process_exit")
int record_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx->args[0];
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;

	if (scope_pids && BPF_CORE_READ(task, signal, live.counter) == 0)
		bpf_map_delete_elem(&pids, &tgid);
	return 0;
}

/* In this object, so that both share the scope, stacks and tasks. */
#include "source/bpf/tags.bpf.h"
