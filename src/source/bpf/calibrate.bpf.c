// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the loader must know before it records: which pointers the kernel gives the pages that this
 * process is given, and how many frames of a stack are the tracing itself.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "source/bpf/calibrate.h"

char LICENSE[] SEC("license") = "GPL";

/* The process that loads this, by the number that it has here, whatever namespace it is in. */
__u32 self = 0;

/* Set when the pages of interest are about to be allocated. */
__u32 armed = 0;

struct calibration seen = {};

/* The loader runs this itself. */
SEC("raw_tp")
int learn_self(void *ctx)
{
	self = bpf_get_current_pid_tgid() >> 32;
	return 0;
}

SEC("raw_tp/mm_page_alloc")
int calibrate(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 at = seen.count;

	if (!armed || (__u32)(bpf_get_current_pid_tgid() >> 32) != self || at >= CALIBRATE_PAGES)
		return 0;
	if (!at) {
		bpf_get_stack(ctx, seen.stack, sizeof(seen.stack), 0);
		bpf_probe_read_kernel(seen.words, sizeof(seen.words), ctx);
	}
	seen.pages[at & (CALIBRATE_PAGES - 1)] = ctx->args[0];
	seen.count = at + 1;
	return 0;
}

/* With two programs the tracepoint calls them by a function of its own, which must be known. */
SEC("raw_tp/mm_page_alloc")
int second(struct bpf_raw_tracepoint_args *ctx)
{
	return 0;
}

__u64 peek_from = 0;
__u32 peek_size = 0;
char peeked[CALIBRATE_PEEK] = {};

/* The kernel's memory for the loader, which runs this itself: where there is none, an error. */
SEC("raw_tp")
int peek(void *ctx)
{
	__u32 size = peek_size;

	if (size > sizeof(peeked))
		return 1;
	return bpf_probe_read_kernel(peeked, size, (void *)peek_from) ? 1 : 0;
}
