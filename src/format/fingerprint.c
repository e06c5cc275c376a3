// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a stack has in common with the same stack on another machine, after another boot, in another
 * build: its functions and modules in their order. Offsets, sizes and addresses differ there, as do
 * the endings that a compiler gives to its copies of a function.
 */
#include <string.h>
#include <xxhash.h>

#include "format/frame_parts.h"
#include "kmemprof/kmemprof.h"

/* `foo.isra.0`, `foo.constprop.0.cold` and `foo.llvm.123` are foo; an address is some place. */
static size_t plain_length(const char *name, size_t len)
{
	if (len > 2 && name[0] == '0' && name[1] == 'x')
		return 2;
	const char *dot = len > 1 ? memchr(name + 1, '.', len - 1) : NULL;

	return dot ? (size_t)(dot - name) : len;
}

uint64_t kmp_fingerprint(const struct kmp_value *stack)
{
	uint64_t hash = 0;

	if (stack->kind != KMP_VALUE_STACK || !stack->depth)
		return 0;
	for (size_t i = 0; i < stack->depth; i++) {
		struct frame_parts parts;

		kmp_frame_parts(stack->frames[i], &parts);
		hash = XXH64(parts.name, plain_length(parts.name, parts.name_len), hash);
		hash = XXH64(parts.module, parts.module_len, hash);
	}
	return hash ? hash : 1;
}
