// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a stack has in common with the same stack on another machine, after another boot, in another
 * build: its functions and modules in their order. Offsets, sizes and addresses differ there, as do
 * the endings that a compiler gives to its copies of a function.
 */
#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

#include "format/frame_parts.h"
#include "kmemprof/kmemprof.h"

/* `foo.isra.0`, `foo.constprop.0.cold` and `foo.llvm.123` are foo; an address is some place. */
size_t kmp_fingerprint_length(const char *name, size_t len)
{
	if (len > 2 && name[0] == '0' && name[1] == 'x')
		return 2;
	for (size_t i = 1; i < len; i++) {
		if (name[i] == '.')
			return i;
	}
	return len;
}

/* The parts of `name+0x12/0x34 [module]`, which nearly all frames are; false for another form. */
static bool plain_parts(const char *frame, struct frame_parts *parts)
{
	const char *plus = strchr(frame, '+');

	if (!plus || plus == frame || plus[1] != '0' || plus[2] != 'x')
		return false;
	const char *blank = plus + 3 + strspn(plus + 3, "0123456789abcdefx/");

	*parts = (struct frame_parts){ .name = frame, .name_len = (size_t)(plus - frame) };
	if (!*blank)
		return true;
	size_t len = blank[1] == '[' ? strcspn(blank + 2, "] \n") : 0;

	if (*blank != ' ' || !len || strcmp(blank + 2 + len, "]") != 0)
		return false;
	parts->module = blank + 2;
	parts->module_len = len;
	return true;
}

uint64_t kmp_fingerprint(const struct kmp_value *stack)
{
	uint64_t hash = 0;

	if (stack->kind != KMP_VALUE_STACK || !stack->depth)
		return 0;
	for (size_t i = 0; i < stack->depth; i++) {
		struct frame_parts parts;

		if (!plain_parts(stack->frames[i], &parts))
			kmp_frame_parts(stack->frames[i], &parts);
		hash = XXH64(parts.name, kmp_fingerprint_length(parts.name, parts.name_len), hash);
		hash = XXH64(parts.module, parts.module_len, hash);
	}
	return hash ? hash : 1;
}
