/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracing one tag: what its name stands for on this kernel. */
#ifndef KMP_SOURCE_RECORDER_TRACE_H
#define KMP_SOURCE_RECORDER_TRACE_H

#include "source/bpf/record.h"
#include "source/symbols.h"

struct kmp_trace_target {
	enum record_trace kind;
	struct record_range ranges[RECORD_WANTED_MAX]; /* of code */
	uint32_t range_count;
	char caches[RECORD_CACHES_MAX][RECORD_CACHE_NAME]; /* as the kernel calls them */
	uint32_t cache_count;
	uint32_t kmalloc; /* what a cache of kmalloc() has of bytes, or 0 */
	char note[256];	  /* what else is traced with it, or "" */
};

/*
 * A line (`file:line`), a function (`name`, `name [module]`, `[module]name`), or else a cache of
 * kernel objects. KMP_ERROR_USAGE if there is none, KMP_ERROR_INPUT for a line without debug
 * information.
 */
struct kmp_error *kmp_trace_resolve(const char *tag, const struct kmp_symbols *symbols,
				    struct kmp_trace_target *target) must_check;

/* Is this address of code traced? */
bool kmp_trace_wants(const struct kmp_trace_target *target, uint64_t ip);

#endif
