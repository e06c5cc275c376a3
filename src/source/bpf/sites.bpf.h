/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call sites: addresses of code to numbers of tags. A call site inside the allocator (kvmalloc,
 * mempools) says nothing of who wanted the memory: then the stack tells. Included by the BPF
 * program alone.
 */
#ifndef KMP_SOURCE_BPF_SITES_H
#define KMP_SOURCE_BPF_SITES_H

#include "source/bpf/objects.bpf.h"

/* Set by the loader, in order. */
const volatile struct record_range allocators[RECORD_ALLOCATORS_MAX] = {};
const volatile __u32 allocator_count = 0;
const volatile __u32 max_tags = 0;
const volatile struct record_range wanted[RECORD_WANTED_MAX] = {};

__u32 next_tag = 1;

/* While tracing, call sites (and caches, by their addresses) have one of two numbers. */
enum { SITE_WANTED = 1, SITE_OTHER = 2 };

enum { SITE_BITS = 20, SITE_ALLOCATOR = (1 << SITE_BITS) - 1, SITE_CACHE = 4096, SITE_DEPTH = 16 };

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, __u32);
} sites SEC(".maps");

/* The same, by a hash: the address's low bits (the kernel's code has its high ones alike), number.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SITE_CACHE);
	__type(key, __u32);
	__type(value, __u64);
} site_cache SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, ON_CPU_COUNT);
	__type(key, __u32);
	__uint(value_size, SITE_DEPTH * sizeof(__u64));
} site_stacks SEC(".maps");

/*
 * Is this address in one of the allocator's own functions? A global function, as those below: the
 * kernel checks it once, not along each path that leads to it.
 */
__noinline int is_allocator(__u64 ip)
{
	__u32 low = 0;
	__u32 high = allocator_count;

	/* The last range that begins at or before it. */
	for (__u32 i = 0; i < 10; i++) {
		__u32 middle = (low + high) / 2;

		if (low + 1 >= high)
			break;
		if (allocators[middle & (RECORD_ALLOCATORS_MAX - 1)].start <= ip)
			low = middle;
		else
			high = middle;
	}
	low &= RECORD_ALLOCATORS_MAX - 1;
	return ip >= allocators[low].start && ip < allocators[low].end;
}

/* Is this address one of those that are traced? */
__noinline int is_wanted(__u64 ip)
{
	for (__u32 i = 0; i < RECORD_WANTED_MAX; i++) {
		if (ip >= wanted[i].start && ip < wanted[i].end)
			return 1;
	}
	return 0;
}

__noinline __u32 learn_site(__u64 ip)
{
	__u32 *known = bpf_map_lookup_elem(&sites, &ip);
	__u32 tag;

	if (known)
		return *known;
	tag = SITE_ALLOCATOR;
	if (tracing) {
		if (!is_allocator(ip))
			tag = is_wanted(ip) ? SITE_WANTED : SITE_OTHER;
	} else if (!is_allocator(ip)) {
		tag = next_tag < max_tags ? __sync_fetch_and_add(&next_tag, 1) : max_tags;
		if (tag >= max_tags) {
			count(RECORD_SITES_FULL);
			return 0;
		}
	}
	if (!bpf_map_update_elem(&sites, &ip, &tag, BPF_NOEXIST))
		return tag;
	/* Another CPU was quicker: its number is the site's. */
	known = bpf_map_lookup_elem(&sites, &ip);
	if (known)
		return *known;
	count(RECORD_SITES_FULL);
	return 0;
}

__noinline int learn_cache(__u64 cache);

/* The number of a call site (or of a cache), SITE_ALLOCATOR, or 0 where there is no room. */
static __always_inline __u32 known_number(__u64 address, int is_cache)
{
	__u32 at = mix(0, address) >> 52;
	volatile __u64 *cached = bpf_map_lookup_elem(&site_cache, &at);

	if (!cached)
		return 0;
	__u64 entry = *cached;

	if (entry && entry >> SITE_BITS == address << SITE_BITS >> SITE_BITS)
		return entry & SITE_ALLOCATOR;
	__u32 number = is_cache ? (__u32)learn_cache(address) : learn_site(address);

	if (number)
		*cached = address << SITE_BITS | number;
	return number;
}

static __always_inline __u32 site_number(__u64 ip)
{
	return known_number(ip, 0);
}

/* The first frame outside the allocator, beyond those inside; frames of the tracing come first. */
static __noinline __u32 unwound_site(void *ctx, __u32 which)
{
	__u64 *frames = bpf_map_lookup_elem(&site_stacks, &which);
	int inside = 0;

	if (!frames)
		return 0;
	long got = bpf_get_stack(ctx, frames, SITE_DEPTH * sizeof(__u64), 0);

	for (__u32 i = 0; i < SITE_DEPTH; i++) {
		if (got < (long)((i + 1) * sizeof(__u64)))
			break;
		if (is_allocator(frames[i]))
			inside = 1;
		else if (inside)
			return site_number(frames[i]);
	}
	count(RECORD_SITES_FAILED);
	return 0;
}

/* The tag of an allocation that this address asked for; 0: the stack tells. */
static __always_inline __u32 tag_of(void *ctx, __u64 ip, __u32 which)
{
	__u32 number = ip ? site_number(ip) : SITE_ALLOCATOR;

	return number == SITE_ALLOCATOR ? unwound_site(ctx, which) : number;
}

#endif
