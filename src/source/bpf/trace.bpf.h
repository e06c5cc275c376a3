/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing one tag: what is asked first is the call site or the cache, which costs little; only what
 * is wanted has its stack taken. A tag's number is then that of a context: stack, task and size.
 * Included by the BPF program alone.
 */
#ifndef KMP_SOURCE_BPF_TRACE_H
#define KMP_SOURCE_BPF_TRACE_H

#include "source/bpf/sites.bpf.h"

#include <bpf/bpf_core_read.h>

/* Set by the loader; caches that share their memory have several names. */
const volatile char wanted_caches[RECORD_CACHES_MAX][RECORD_CACHE_NAME] = {};
/* kmalloc() tells no cache: objects of this size, or 0. */
const volatile __u32 wanted_kmalloc = 0;

struct kmem_cache {
	unsigned int size;
	const char *name;
} __attribute__((preserve_access_index));

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct record_context);
	__type(value, __u32);
} contexts SEC(".maps");

/* Is this the name of one of the caches that are traced? */
static __always_inline int is_wanted_name(const char *name)
{
	for (__u32 i = 0; i < RECORD_CACHES_MAX; i++) {
		__u32 at = 0;

		if (!wanted_caches[i][0])
			break;
		while (at < RECORD_CACHE_NAME - 1 && name[at] && name[at] == wanted_caches[i][at])
			at++;
		if (at < RECORD_CACHE_NAME && name[at] == wanted_caches[i][at])
			return 1;
	}
	return 0;
}

__noinline int learn_cache(__u64 cache)
{
	__u32 *known = bpf_map_lookup_elem(&sites, &cache);
	char name[RECORD_CACHE_NAME] = {};
	__u32 number;

	if (known)
		return *known;
	bpf_probe_read_kernel_str(name, sizeof(name),
				  BPF_CORE_READ((struct kmem_cache *)cache, name));
	number = is_wanted_name(name) ? SITE_WANTED : SITE_OTHER;
	bpf_map_update_elem(&sites, &cache, &number, BPF_ANY);
	return number;
}

static __always_inline int is_traced(void *ctx, __u64 site, __u64 cache, __u32 bytes, __u32 which)
{
	if (tracing == RECORD_TRACE_SITES) {
		__u32 number = site ? site_number(site) : SITE_ALLOCATOR;

		if (number == SITE_ALLOCATOR)
			number = unwound_site(ctx, which);
		return number == SITE_WANTED;
	}
	if (!cache)
		return wanted_kmalloc && bytes == wanted_kmalloc;
	return known_number(cache, 1) == SITE_WANTED;
}

/* The same of the bulk interface, where the stack alone tells the call site. */
static __always_inline int is_traced_array(void *ctx, __u64 cache, __u32 which)
{
	__u32 number =
		tracing == RECORD_TRACE_SITES ? unwound_site(ctx, which) : known_number(cache, 1);

	return number == SITE_WANTED;
}

/* The number of this allocation's context, or 0. */
static __always_inline __u32 context_of(void *ctx, __u32 bytes, __u32 which)
{
	struct on_cpu *cpu = bpf_map_lookup_elem(&on_cpus, &which);

	if (!cpu) /* there always is one */
		return 0;
	struct record_context context = {
		.stack = stack_handle(ctx, cpu),
		.task = task_number(cpu),
		.bytes = bytes,
	};
	__u32 *known = bpf_map_lookup_elem(&contexts, &context);
	__u32 number;

	if (known)
		return *known;
	number = next_tag < max_tags ? __sync_fetch_and_add(&next_tag, 1) : max_tags;
	if (number < max_tags) {
		if (!bpf_map_update_elem(&contexts, &context, &number, BPF_NOEXIST))
			return number;
		/* Another CPU was quicker: its number is the context's. */
		known = bpf_map_lookup_elem(&contexts, &context);
		if (known)
			return *known;
	}
	count(RECORD_SITES_FULL);
	return 0;
}

#endif
