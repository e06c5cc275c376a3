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

static __always_inline void allocated(void *ctx, __u64 site, __u64 pointer, __u32 bytes,
				      __u64 cache)
{
	if (!pointer)
		return;
	if (forget_object(pointer))
		count(RECORD_OBJECTS_REUSED);
	if (!in_scope())
		return;
	if (tracing && !is_traced(ctx, site, cache, bytes))
		return;
	count(RECORD_OBJECTS);
	keep_object(pointer, (struct record_object){
				     tracing ? context_of(ctx, bytes) : tag_of(ctx, site), bytes });
}

static __always_inline void freed(__u64 pointer)
{
	if (pointer && forget_object(pointer))
		count(RECORD_OBJECTS_FREED);
}

static __always_inline int kmalloc_event(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 bytes;

	/* The kernel knows an argument by its place: two must not become one whose place varies. */
	if (kmalloc_bytes_arg == 4) {
		bytes = ctx->args[4];
		barrier();
	} else {
		bytes = ctx->args[3];
	}
	if (bytes <= KMALLOC_SLAB_MAX)
		allocated(ctx, ctx->args[0], ctx->args[1], (__u32)bytes, 0);
	return 0;
}

static __always_inline int cache_event(struct bpf_raw_tracepoint_args *ctx)
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
	allocated(ctx, ctx->args[0], ctx->args[1], (__u32)bytes, cache);
	return 0;
}

SEC("raw_tp/kmalloc")
int tags_kmalloc(struct bpf_raw_tracepoint_args *ctx)
{
	return kmalloc_event(ctx);
}

SEC("raw_tp/kmalloc_node")
int tags_kmalloc_node(struct bpf_raw_tracepoint_args *ctx)
{
	return kmalloc_event(ctx);
}

SEC("raw_tp/kmem_cache_alloc")
int tags_cache_alloc(struct bpf_raw_tracepoint_args *ctx)
{
	return cache_event(ctx);
}

SEC("raw_tp/kmem_cache_alloc_node")
int tags_cache_alloc_node(struct bpf_raw_tracepoint_args *ctx)
{
	return cache_event(ctx);
}

SEC("raw_tp/kfree")
int tags_kfree(struct bpf_raw_tracepoint_args *ctx)
{
	freed(ctx->args[1]);
	return 0;
}

SEC("raw_tp/kmem_cache_free")
int tags_cache_free(struct bpf_raw_tracepoint_args *ctx)
{
	freed(ctx->args[1]);
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
	keep_object(pointer, (struct record_object){ tag, bytes });
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
	if (tracing && !is_traced_array(ctx, cache))
		return 0;
	array.object.tag = tracing ? context_of(ctx, array.object.bytes) : unwound_site(ctx);
	number = (__u32)number;
	bpf_loop(number > OBJECTS_AT_ONCE ? OBJECTS_AT_ONCE : (__u32)number, keep_one, &array, 0);
	return 0;
}

/* kvfree_call_rcu(head, pointer): from here on nobody holds it, whenever it is freed. */
SEC("fentry")
int tags_free_rcu(__u64 *ctx)
{
	__u64 head = 0;
	__u64 pointer = 0;

	bpf_get_func_arg(ctx, 0, &head);
	bpf_get_func_arg(ctx, 1, &pointer);
	freed(rcu_by_offset && head ? head - pointer : pointer);
	return 0;
}
