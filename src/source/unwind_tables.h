/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the kernel has its rules of unwinding (ORC) and how it writes them, so that BPF programs
 * can follow them themselves, and where on the stack they begin.
 */
#ifndef KMP_SOURCE_UNWIND_TABLES_H
#define KMP_SOURCE_UNWIND_TABLES_H

#include "source/bpf/calibrate.h"
#include "source/recorder.h"
#include "source/symbols.h"

struct btf;

enum { KMP_UNWIND_PLACE_COUNT = 12 };

/* What must be sought in kallsyms: a copy of kmp_unwind_places. */
struct kmp_unwind_places {
	struct kmp_symbol_place all[KMP_UNWIND_PLACE_COUNT];
};

extern const struct kmp_unwind_places kmp_unwind_places;

/* What is asked of a kernel. */
struct kmp_unwind_kernel {
	const struct btf *btf;
	const struct kmp_symbols *symbols;
	const struct kmp_unwind_places *places;
	/* Its memory, up to CALIBRATE_PEEK bytes; false where there is none. */
	bool (*peek)(void *arg, uint64_t from, size_t size, void *out);
	void *arg;
};

/*
 * Fill in the calibration's rules and anchor from the stack of a page fault that was seen. Where
 * this kernel has no such rules, or what was seen is not clear, count stays 0.
 */
void kmp_unwind_find(const struct kmp_unwind_kernel *kernel, const struct calibration *seen,
		     struct kmp_calibration *calibration);

#endif
