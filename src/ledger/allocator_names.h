/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of the kernel's own allocator functions, over its versions: what stands at the inner
 * end of every trace and says nothing of who wanted the memory.
 */
#ifndef KMP_LEDGER_ALLOCATOR_NAMES_H
#define KMP_LEDGER_ALLOCATOR_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Whose function it is. */
enum kmp_allocator_family {
	KMP_FAMILY_NONE, /* no allocator's */
	KMP_FAMILY_PAGE, /* page allocator, page_owner itself, contiguous memory, mempools */
	KMP_FAMILY_SLAB, /* SLUB, SLAB, SLOB and their tags */
	KMP_FAMILY_VMALLOC
};

/*
 * The family of a function by its symbol (without offset). Leading underscores, `_noprof` and
 * the compiler's suffixes (`.constprop.0`, `.isra.0`) do not matter.
 */
enum kmp_allocator_family kmp_allocator_family(const char *symbol, size_t len);

/*
 * Does the function only hand on what its caller asks for? That holds for an allocator's functions
 * and for those that the kernel's own allocation profiling looks through (`_noprof`); not for the
 * ones that fetch what the slab allocator itself needs: the pages behind its objects, its notes.
 */
bool kmp_allocator_passes(const char *symbol, size_t len);

#endif
