/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which kernel objects are allocated, and what each tag holds. Included by the BPF program alone.
 *
 * The objects stand in a hash table of buckets, each object in one of two. A hash map of the
 * kernel's would take locks, and so could fail to insert or to delete in an interrupt; here a slot
 * is claimed by one atomic operation and given back by one store. Between its allocation and its
 * free an object belongs to one caller, so that nobody else looks for its address.
 */
#ifndef KMP_SOURCE_BPF_OBJECTS_H
#define KMP_SOURCE_BPF_OBJECTS_H

#include "source/bpf/table.bpf.h"

/* Set by the loader: the number of buckets - 1, of two to the power of something. */
const volatile __u64 bucket_mask = 0;
const volatile __u32 tracing = RECORD_TRACE_NONE;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct record_bucket);
} objects SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct record_sum);
} tag_sums SEC(".maps");

/* Atomic, as an interrupt that frees may come between reading and writing. */
static __always_inline void add_object(struct record_object object, __s64 calls)
{
	__u32 tag = object.tag;
	struct record_sum *sum = bpf_map_lookup_elem(&tag_sums, &tag);

	if (!sum)
		return;
	__sync_fetch_and_add(&sum->bytes, calls * object.bytes);
	__sync_fetch_and_add(&sum->calls, calls);
	if (tracing && calls > 0)
		__sync_fetch_and_add(&sum->made, calls);
}

static __always_inline struct record_bucket *bucket_at(__u64 hash)
{
	__u32 at = hash & bucket_mask;

	return bpf_map_lookup_elem(&objects, &at);
}

static __always_inline int take_from(struct record_bucket *bucket, __u64 pointer)
{
#pragma unroll
	for (__u32 i = 0; i < RECORD_BUCKET_SLOTS; i++) {
		volatile __u64 *slot = &bucket->pointer[i];

		if (*slot != pointer)
			continue;
		struct record_object object = bucket->object[i];

		barrier();
		*slot = 0;
		add_object(object, -1);
		return 1;
	}
	return 0;
}

/* The object is freed: its tag holds it no longer. 0 if it was not recorded. */
static __always_inline int forget_object(__u64 pointer)
{
	__u64 hash = mix(0, pointer);
	struct record_bucket *bucket = bucket_at(hash);

	if (!bucket)
		return 0;
	if (take_from(bucket, pointer))
		return 1;
	if (!bucket->spilled)
		return 0;
	bucket = bucket_at(hash >> 32);
	return bucket && take_from(bucket, pointer);
}

static __always_inline int is_in(struct record_bucket *bucket, __u64 pointer)
{
	int found = 0;

#pragma unroll
	for (__u32 i = 0; i < RECORD_BUCKET_SLOTS; i++)
		found |= *(volatile __u64 *)&bucket->pointer[i] == pointer;
	return found;
}

/* Is the object recorded? */
static __always_inline int has_object(__u64 pointer)
{
	__u64 hash = mix(0, pointer);
	struct record_bucket *bucket = bucket_at(hash);

	if (!bucket || is_in(bucket, pointer))
		return bucket != 0;
	if (!bucket->spilled)
		return 0;
	bucket = bucket_at(hash >> 32);
	return bucket && is_in(bucket, pointer);
}

static __always_inline int put_into(struct record_bucket *bucket, __u64 pointer,
				    struct record_object object)
{
#pragma unroll
	for (__u32 i = 0; i < RECORD_BUCKET_SLOTS; i++) {
		if (*(volatile __u64 *)&bucket->pointer[i] ||
		    __sync_val_compare_and_swap(&bucket->pointer[i], 0, pointer))
			continue;
		bucket->object[i] = object;
		return 1;
	}
	return 0;
}

/* The object is allocated. One that finds no room (0) is not in the sums either. */
static __always_inline int keep_object(__u64 pointer, struct record_object object)
{
	__u64 hash = mix(0, pointer);
	struct record_bucket *bucket = bucket_at(hash);

	if (!bucket)
		return 0;
	if (!put_into(bucket, pointer, object)) {
		bucket->spilled = 1;
		bucket = bucket_at(hash >> 32);
		if (!bucket || !put_into(bucket, pointer, object))
			return 0;
	}
	add_object(object, 1);
	return 1;
}

#endif
