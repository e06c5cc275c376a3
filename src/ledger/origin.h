/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is not printed but follows from what is: the function and module that a trace blames, the
 * allocator that handed the memory out, and the names inside masks and flags.
 */
#ifndef KMP_LEDGER_ORIGIN_H
#define KMP_LEDGER_ORIGIN_H

#include "base/vec.h"
#include "kmemprof/kmemprof.h"

/* Bytes in a text of the ledger. */
struct kmp_span {
	const char *text; /* NULL: nothing */
	size_t len;
};

/* The symbol of a frame, without offset; the whole text if it is an address. */
struct kmp_span kmp_frame_symbol(const char *frame, size_t len);

/* The module of a frame, without build id; NULL for built-in code. */
struct kmp_span kmp_frame_module(const char *frame, size_t len);

/*
 * The function that wanted the memory: the innermost one outside the allocators; the outermost
 * one where all are the allocators'. NULL for a trace without frames.
 */
struct kmp_span kmp_trace_function(const struct kmp_ledger *ledger, uint32_t trace);

/* The innermost module in a trace, `kernel` if there is none. NULL for a trace without frames. */
struct kmp_span kmp_trace_module(const struct kmp_ledger *ledger, uint32_t trace);

/* Is one of these names between the parentheses of a mask or flags text (or 3.19's letters)? */
bool kmp_flags_have(const char *text, size_t len, const char *name, size_t name_len);

/* Is the order told? Counts of show_stacks are of pages, or of allocations, of any orders. */
static inline bool kmp_order_is_told(const struct kmp_page *page)
{
	return page->records && !(page->form & KMP_FORM_APPROXIMATE);
}

/* Who handed the memory out, in the sense of page_owner_sort; the first that holds. */
enum kmp_allocator {
	KMP_ALLOCATOR_CMA,
	KMP_ALLOCATOR_SLAB,
	KMP_ALLOCATOR_VMALLOC,
	KMP_ALLOCATOR_OTHERS,
	KMP_ALLOCATOR_UNRESOLVED /* the trace would tell, but only the handle is known as yet */
};

/* `CMA`, `SLAB`, `VMALLOC`, `OTHERS`; NULL for unresolved. */
const char *kmp_allocator_name(enum kmp_allocator allocator);

/* Answers remembered by number: 0 not asked yet, 1 no, 2 yes. All zero is empty. */
struct kmp_memo {
	VEC(uint8_t) answers;
};

/* The columns that kmp_allocator_of() looks at. */
enum {
	KMP_ALLOCATOR_COLUMNS = KMP_COLUMN_STACK | KMP_COLUMN_FLAGS | KMP_COLUMN_TYPE |
				KMP_COLUMN_BLOCK_TYPE | KMP_COLUMN_FORM
};

struct kmp_allocator_memo {
	struct kmp_memo types;
	struct kmp_memo flags;
	struct kmp_memo traces;
};

enum kmp_allocator kmp_allocator_of(struct kmp_allocator_memo *memo,
				    const struct kmp_ledger *ledger, const struct kmp_page *page);

void kmp_allocator_memo_deinit(struct kmp_allocator_memo *memo);

/* The answer for this number. */
static inline uint8_t kmp_memo_get(const struct kmp_memo *memo, uint32_t number)
{
	return number < memo->answers.len ? memo->answers.data[number] : 0;
}

/* Note an answer and return it; without memory it is only returned. */
bool kmp_memo_note(struct kmp_memo *memo, uint32_t number, bool answer);

#endif
