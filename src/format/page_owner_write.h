/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A record as the kernel prints it. The text of a stack is made once and then copied, as most of
 * the output is stacks that came before. An all-zero printer is empty; page_printer_deinit()
 * frees it.
 */
#ifndef KMP_FORMAT_PAGE_OWNER_WRITE_H
#define KMP_FORMAT_PAGE_OWNER_WRITE_H

#include "base/vec.h"

struct kmp_bytes {
	char *data;
	size_t len;
	size_t cap;
};

/* The text of a stack: frames, handle line, or both. */
struct kmp_stack_text {
	char *text;
	size_t len;
	uint32_t trace;	  /* that it was made for: a handle may get its trace later */
	uint32_t variant; /* what was asked of it, see page_owner_write.c; 0: not made yet */
	bool missing;	  /* something asked for was not told */
};

struct kmp_page_printer {
	VEC(struct kmp_stack_text) stacks; /* by stack number */
};

/* Append the text of a page; *missing is set if its stack or handle was asked for and not told. */
struct kmp_error *kmp_page_printer_print(struct kmp_page_printer *printer,
					 const struct kmp_ledger *ledger,
					 const struct kmp_page *page, enum kmp_mode mode,
					 struct kmp_bytes *out, bool *missing) must_check;

/* Append the frames of a trace as current kernels print them, a line each. */
struct kmp_error *kmp_page_print_frames(const struct kmp_ledger *ledger, uint32_t trace,
					struct kmp_bytes *out) must_check;

/* Append what follows the stack: migration, slab, charge, vendor lines and the empty line. */
struct kmp_error *kmp_page_print_trailer(const struct kmp_ledger *ledger,
					 const struct kmp_page *page,
					 struct kmp_bytes *out) must_check;

void kmp_page_printer_deinit(struct kmp_page_printer *printer);

#endif
