/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The running kernel's own page_owner, read the cheapest way it offers: as handles where it prints
 * them (7.3), of the wanted nodes alone, by several descriptors at different PFNs (6.1).
 */
#ifndef KMP_SOURCE_NATIVE_H
#define KMP_SOURCE_NATIVE_H

#include "base/vec.h"
#include "kmemprof/kmemprof.h"

struct kmp_pfn_span {
	uint64_t from;
	uint64_t to; /* exclusive */
};

struct kmp_native {
	char *path;
	char *filter;	  /* words to write to each descriptor, NULL: the kernel takes none */
	bool nodes;	  /* the filter has the wanted nodes in it */
	bool seek;	  /* the position is a PFN */
	const char *mode; /* what is printed: `stack`, `handle`, `stack_handle` */
	VEC(struct kmp_pfn_span) ranges; /* where there are pages, one after the other */
	size_t next;			 /* range to hand out */
	uint64_t done;			 /* PFNs handed out */
	uint64_t total;
};

/* Is path the running kernel's file, and no copy of it? */
bool kmp_native_is(const char *path);

/*
 * Find out what the kernel offers. resolved: show_stacks_handles can be read, so that handles do.
 * kmp_native_deinit() also after a failure. KMP_ERROR_USAGE for nodes that the kernel refuses.
 */
struct kmp_error *kmp_native_init(struct kmp_native *native, const char *path, bool resolved,
				  const struct kmp_source_options *options)
	__attribute__((warn_unused_result));
void kmp_native_deinit(struct kmp_native *native);

/* Read all records into ledger and sink, in order, each once. */
struct kmp_error *kmp_native_read(struct kmp_native *native, struct kmp_ledger *ledger,
				  const struct kmp_sink *sink,
				  const struct kmp_source_options *options)
	__attribute__((warn_unused_result));

struct kmp_po_parser;

struct kmp_two_pfns {
	uint64_t first;
	uint64_t last;
};

/*
 * A sink that asks the kernel for the stack of each handle whose trace is not known, at the first
 * page that has it, and hands all on.
 */
struct kmp_unresolved {
	struct kmp_sink sink;
	const struct kmp_sink *next;
	const struct kmp_native *native;
	struct kmp_po_parser *parser;
	int fd;
	VEC(struct kmp_two_pfns) pfns; /* by stack number */
};

/* kmp_unresolved_deinit() also after a failure. */
struct kmp_error *kmp_unresolved_init(struct kmp_unresolved *unresolved,
				      const struct kmp_native *native, struct kmp_ledger *ledger,
				      const struct kmp_sink *next)
	__attribute__((warn_unused_result));
void kmp_unresolved_deinit(struct kmp_unresolved *unresolved);

/* Ask again for what is still not known, by the last page that has it. */
struct kmp_error *kmp_unresolved_ask(struct kmp_unresolved *unresolved, struct kmp_ledger *ledger)
	__attribute__((warn_unused_result));

#endif
