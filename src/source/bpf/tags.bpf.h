/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who allocates kernel objects: the tracepoints of the slab allocator, and function probes for what
 * has none (the bulk interface, kfree_rcu()). Pages, those of large kmalloc() among them, come
 * from the page table. Included by record.bpf.c alone.
 */
#include "source/bpf/trace.bpf.h"

/* Set by the loader: where the tracepoints have what. 0: they do not have it. */
const volatile __u32 kmalloc_bytes_arg = 3;
const volatile __u32 cache_bytes_arg = 0;
/* kvfree_call_rcu() of before 6.2 has an offset, or the pointer where there is no head. */
const volatile __u32 rcu_by_offset = 0;

/* kmalloc() of more than this takes pages. */
enum { KMALLOC_SLAB_MAX = 8192 };

static __always_inline void keep_new(void *ctx, __u64 site, __u64 pointer, __u32 bytes, __u64 cache,
				     __u32 which)
{
	if (!in_scope() || (tracing && !is_traced(ctx, site, cache, bytes, which)))
		return;
	struct record_object object = {
		.tag = tracing ? context_of(ctx, bytes, which) : tag_of(ctx, site, which),
		.bytes = bytes,
	};
	int kept = keep_object(pointer, object);

	count(RECORD_OBJECTS);
	if (!kept)
		count(RECORD_OBJECTS_FULL);
}

static __always_inline void allocated(void *ctx, __u64 site, __u64 pointer, __u32 bytes,
				      __u64 cache, __u32 which)
{
	if (!pointer)
		return;
	if (forget_object(pointer))
		count(RECORD_OBJECTS_REUSED);
	keep_new(ctx, site, pointer, bytes, cache, which);
}

/*
 * In the second program of a pair: what the first one noted can have been lost when it was
 * interrupted. The object is nobody else's yet, its record is that of the first one.
 */
static __always_inline void allocated_again(void *ctx, __u64 site, __u64 pointer, __u32 bytes,
					    __u64 cache, __u32 which)
{
	if (pointer && !has_object(pointer))
		keep_new(ctx, site, pointer, bytes, cache, which);
}

static __always_inline void freed(__u64 pointer)
{
	if (pointer && forget_object(pointer))
		count(RECORD_OBJECTS_FREED);
}

static __always_inline int kmalloc_event(struct bpf_raw_tracepoint_args *ctx, __u32 which,
					 int again)
{
	__u64 bytes;

	/* The kernel knows an argument by its place: two must not become one whose place varies. */
	if (kmalloc_bytes_arg == 4) {
		bytes = ctx->args[4];
		barrier();
	} else {
		bytes = ctx->args[3];
	}
	if (bytes > KMALLOC_SLAB_MAX)
		return 0;
	if (again)
		allocated_again(ctx, ctx->args[0], ctx->args[1], (__u32)bytes, 0, which);
	else
		allocated(ctx, ctx->args[0], ctx->args[1], (__u32)bytes, 0, which);
	return 0;
}

static __always_inline int cache_event(struct bpf_raw_tracepoint_args *ctx, __u32 which, int again)
{
	__u64 cache = 0;
	__u64 bytes;

	if (cache_bytes_arg == 3) {
		bytes = ctx->args[3];
		barrier();
	} else if (cache_bytes_arg == 4) {
		bytes = ctx->args[4];
		barrier();
	} else {
		cache = ctx->args[2];
		bytes = BPF_CORE_READ((struct kmem_cache *)cache, size);
	}
	if (again)
		allocated_again(ctx, ctx->args[0], ctx->args[1], (__u32)bytes, cache, which);
	else
		allocated(ctx, ctx->args[0], ctx->args[1], (__u32)bytes, cache, which);
	return 0;
}

SEC("raw_tp/kmalloc")
int tags_kmalloc(struct bpf_raw_tracepoint_args *ctx)
{
	first_sees(PAIR_KMALLOC, ctx->args[1]);
	return kmalloc_event(ctx, ON_CPU_KMALLOC, 0);
}

SEC("raw_tp/kmalloc")
int tags_kmalloc_again(struct bpf_raw_tracepoint_args *ctx)
{
	return first_missed(PAIR_KMALLOC, ctx->args[1])
		       ? kmalloc_event(ctx, ON_CPU_KMALLOC_AGAIN, 1)
		       : 0;
}

SEC("raw_tp/kmalloc_node")
int tags_kmalloc_node(struct bpf_raw_tracepoint_args *ctx)
{
	first_sees(PAIR_KMALLOC_NODE, ctx->args[1]);
	return kmalloc_event(ctx, ON_CPU_KMALLOC_NODE, 0);
}

SEC("raw_tp/kmalloc_node")
int tags_kmalloc_node_again(struct bpf_raw_tracepoint_args *ctx)
{
	return first_missed(PAIR_KMALLOC_NODE, ctx->args[1])
		       ? kmalloc_event(ctx, ON_CPU_KMALLOC_NODE_AGAIN, 1)
		       : 0;
}

SEC("raw_tp/kmem_cache_alloc")
int tags_cache_alloc(struct bpf_raw_tracepoint_args *ctx)
{
	first_sees(PAIR_CACHE_ALLOC, ctx->args[1]);
	return cache_event(ctx, ON_CPU_CACHE, 0);
}

SEC("raw_tp/kmem_cache_alloc")
int tags_cache_alloc_again(struct bpf_raw_tracepoint_args *ctx)
{
	return first_missed(PAIR_CACHE_ALLOC, ctx->args[1])
		       ? cache_event(ctx, ON_CPU_CACHE_AGAIN, 1)
		       : 0;
}

SEC("raw_tp/kmem_cache_alloc_node")
int tags_cache_alloc_node(struct bpf_raw_tracepoint_args *ctx)
{
	first_sees(PAIR_CACHE_ALLOC_NODE, ctx->args[1]);
	return cache_event(ctx, ON_CPU_CACHE_NODE, 0);
}

SEC("raw_tp/kmem_cache_alloc_node")
int tags_cache_alloc_node_again(struct bpf_raw_tracepoint_args *ctx)
{
	return first_missed(PAIR_CACHE_ALLOC_NODE, ctx->args[1])
		       ? cache_event(ctx, ON_CPU_CACHE_NODE_AGAIN, 1)
		       : 0;
}

SEC("raw_tp/kfree")
int tags_kfree(struct bpf_raw_tracepoint_args *ctx)
{
	first_sees(PAIR_KFREE, ctx->args[1]);
	freed(ctx->args[1]);
	return 0;
}

SEC("raw_tp/kfree")
int tags_kfree_again(struct bpf_raw_tracepoint_args *ctx)
{
	if (first_missed(PAIR_KFREE, ctx->args[1]))
		freed(ctx->args[1]);
	return 0;
}

SEC("raw_tp/kmem_cache_free")
int tags_cache_free(struct bpf_raw_tracepoint_args *ctx)
{
	first_sees(PAIR_CACHE_FREE, ctx->args[1]);
	freed(ctx->args[1]);
	return 0;
}

SEC("raw_tp/kmem_cache_free")
int tags_cache_free_again(struct bpf_raw_tracepoint_args *ctx)
{
	if (first_missed(PAIR_CACHE_FREE, ctx->args[1]))
		freed(ctx->args[1]);
	return 0;
}

/* What kmalloc() takes for so many bytes. */
static __always_inline __u32 kmalloc_size(__u32 bytes)
{
	__u32 size = 8;

	if (bytes > 64 && bytes <= 96)
		return 96;
	if (bytes > 128 && bytes <= 192)
		return 192;
	for (__u32 i = 0; i < 16 && size < bytes; i++)
		size *= 2;
	return size;
}

/* kmalloc_nolock() has no tracepoint; the function below it, which others call too. */
SEC("fexit")
int tags_nolock(__u64 *ctx)
{
	__u64 pointer = 0;
	__u64 bytes = 0;

	/* For no bytes the kernel gives 16, which is no address. */
	if (bpf_get_func_ret(ctx, &pointer) || pointer <= 16 || bpf_get_func_arg(ctx, 0, &bytes))
		return 0;
	__u32 size = kmalloc_size((__u32)bytes);

	allocated(ctx, 0, pointer, size, 0, ON_CPU_NOLOCK);
	return 0;
}

SEC("fentry")
int tags_free_nolock(__u64 *ctx)
{
	__u64 pointer = 0;

	bpf_get_func_arg(ctx, 0, &pointer);
	freed(pointer);
	return 0;
}

/* The same for arrays of objects, as functions of their own: the kernel checks them once. */
__noinline int freed_in_array(__u64 pointer)
{
	freed(pointer);
	return 0;
}

__noinline int allocated_in_array(__u64 pointer, __u32 tag, __u32 bytes)
{
	if (forget_object(pointer))
		count(RECORD_OBJECTS_REUSED);
	count(RECORD_OBJECTS);
	count(RECORD_OBJECTS_BULK);
	if (!keep_object(pointer, (struct record_object){ tag, bytes }))
		count(RECORD_OBJECTS_FULL);
	return 0;
}

struct object_array {
	__u64 pointers;
	struct record_object object;
};

enum { OBJECTS_AT_ONCE = 1 << 16 };

static __always_inline __u64 pointer_at(const struct object_array *array, __u32 index)
{
	__u64 pointer = 0;

	bpf_probe_read_kernel(&pointer, sizeof(pointer), (void *)(array->pointers + index * 8ull));
	return pointer;
}

static long free_one(__u32 index, struct object_array *array)
{
	return freed_in_array(pointer_at(array, index));
}

/* kmem_cache_free_bulk(cache, count, pointers), also what kfree_rcu() has collected. */
SEC("fentry")
int tags_free_bulk(__u64 *ctx)
{
	struct object_array array = {};
	__u64 number = 0;

	bpf_get_func_arg(ctx, 1, &number);
	bpf_get_func_arg(ctx, 2, &array.pointers);
	bpf_loop(number > OBJECTS_AT_ONCE ? OBJECTS_AT_ONCE : (__u32)number, free_one, &array, 0);
	return 0;
}

static long keep_one(__u32 index, struct object_array *array)
{
	__u64 pointer = pointer_at(array, index);

	return pointer ? allocated_in_array(pointer, array->object.tag, array->object.bytes) : 0;
}

/* kmem_cache_alloc_bulk(cache, gfp, count, pointers) returns how many it got: all or none. */
SEC("fexit")
int tags_alloc_bulk(__u64 *ctx)
{
	struct object_array array = {};
	__u64 cache = 0;
	__u64 number = 0;

	if (!in_scope() || bpf_get_func_ret(ctx, &number) || !(__u32)number)
		return 0;
	bpf_get_func_arg(ctx, 0, &cache);
	bpf_get_func_arg(ctx, 3, &array.pointers);
	array.object.bytes = BPF_CORE_READ((struct kmem_cache *)cache, size);
	if (tracing && !is_traced_array(ctx, cache, ON_CPU_ARRAY))
		return 0;
	array.object.tag = tracing ? context_of(ctx, array.object.bytes, ON_CPU_ARRAY)
				   : unwound_site(ctx, ON_CPU_ARRAY);
	number = (__u32)number;
	bpf_loop(number > OBJECTS_AT_ONCE ? OBJECTS_AT_ONCE : (__u32)number, keep_one, &array, 0);
	return 0;
}

static __always_inline int free_rcu(__u64 *ctx)
{
	__u64 head = 0;
	__u64 pointer = 0;

	bpf_get_func_arg(ctx, 0, &head);
	bpf_get_func_arg(ctx, 1, &pointer);
	if (rcu_by_offset && head)
		pointer = head - pointer;
	freed(pointer);
	return 0;
}

/* kvfree_call_rcu(head, pointer): from here on nobody holds it, whenever it is freed. */
SEC("fentry")
int tags_free_rcu(__u64 *ctx)
{
	return free_rcu(ctx);
}

/* kfree_call_rcu_nolock(head, pointer), the same from where no lock may be taken. */
SEC("fentry")
int tags_free_rcu_nolock(__u64 *ctx)
{
	return free_rcu(ctx);
}
