/* SPDX-License-Identifier: GPL-2.0-only */
/* The recorder's inside: BPF programs loaded, the table of page frames, what is read from it. */
#ifndef KMP_SOURCE_RECORDER_H
#define KMP_SOURCE_RECORDER_H

#include <time.h>

#include "base/vec.h"
#include "source/debug_lines.h"
#include "source/kernel_names.h"
#include "source/recorder_trace.h"
#include "source/task_numbers.h"

/* What kmp_calibrate() measures. */
struct kmp_calibration {
	uint64_t vmemmap;	   /* where the kernel's array of struct page begins */
	uint32_t page_struct_size; /* bytes of one */
	uint32_t stack_skip;	   /* frames of the tracing itself on top of a stack */
	uint64_t iterator;	   /* one more, if others trace the same */
	uint32_t iterator_size;
	struct record_orc orc; /* count 0: stacks are left to the kernel's unwinder */
	struct record_anchor anchor;
};

/* Sections of page frames that there are, in the order of their slots. */
struct kmp_sections {
	VEC(uint32_t) numbers;
	uint32_t last; /* the highest number */
};

struct kmp_recorder {
	struct record *skel;
	struct kmp_recorder_options options;
	struct kmp_calibration calibration;
	struct kmp_sections sections;
	VEC(struct record_range) allocators; /* code, in order; for tags alone */
	struct kmp_trace_target trace;
	bool has_pages;		       /* pages are recorded */
	struct kmp_debug_lines *lines; /* of the kernel's code; NULL: not installed */
	bool lines_sought;
	/* Mapped: by slot, by handle, by number. */
	const struct record_page *pages;
	const char *stacks;	    /* of kmp_record_stack_size() each */
	const int64_t *stack_pages; /* for each share, by handle */
	const struct record_task *tasks;
	uint32_t shares;
	struct kmp_task_numbers task_numbers;
	int cgroup_fd;
	bool attached;
	bool mounted; /* kmp_mount_serve() starts what threads there are, in its own process */
	struct kmp_recorder_stats stats; /* of the last reading */
	VEC(char *) absent;		 /* what this kernel lacks, a line each */
	struct kmp_kernel_names *names;	 /* of the last reading, or NULL */
	bool names_old;			 /* an address had none: a module may have come since */
	time_t names_time;		 /* when they were read */
};

/* Bytes that a stack takes in its table. */
static inline size_t kmp_record_stack_size(const struct kmp_recorder_options *options)
{
	return offsetof(struct record_stack, ip) + options->stack_depth * sizeof(uint64_t);
}

/* How many page frames the table has room for. */
static inline size_t kmp_recorder_slots(const struct kmp_recorder *recorder)
{
	return (size_t)recorder->sections.numbers.len << RECORD_SECTION_SHIFT;
}

/* A record that is whole, though the programs go on; false if the frame has none. */
bool kmp_record_copy(const struct record_page *from, struct record_page *to);

/* The stack of a handle, the task of a number; false if there is none. */
bool kmp_recorder_stack(const struct kmp_recorder *recorder, uint32_t handle,
			struct record_stack *stack);
bool kmp_recorder_task(const struct kmp_recorder *recorder, uint32_t number,
		       struct record_task *task);

/* One more than the highest handle there is; the pages that a handle's stack holds. */
uint32_t kmp_recorder_stacks(const struct kmp_recorder *recorder);
uint64_t kmp_recorder_stack_pages(const struct kmp_recorder *recorder, uint32_t handle);

/* Does this kernel allow functions to be probed? */
bool kmp_recorder_can_probe(void);

/* Tell a ledger where its facts come from, and what this kernel lacks. */
struct kmp_error *kmp_recorder_tell(const struct kmp_recorder *recorder,
				    struct kmp_ledger *ledger) must_check;

/* Tell a ledger what was lost, and which option helps. */
struct kmp_error *kmp_recorder_tell_losses(struct kmp_recorder *recorder,
					   struct kmp_ledger *ledger) must_check;

/* Choose the programs that this kernel can have; probe its functions, or do without. */
struct kmp_error *kmp_recorder_choose(struct kmp_recorder *recorder, bool functions) must_check;

/* Note what this kernel lacks. */
struct kmp_error *kmp_recorder_absent(struct kmp_recorder *recorder, const char *what) must_check;

/* Measure by allocating some pages. KMP_ERROR_SYSTEM without the right to load BPF. */
struct kmp_error *kmp_calibrate(struct kmp_calibration *calibration) must_check;

/* Which sections have memory. */
struct kmp_error *kmp_sections_find(struct kmp_sections *sections) must_check;
void kmp_sections_deinit(struct kmp_sections *sections);

/* A system call of BPF failed: which right is missing, if that is why. */
struct kmp_error *kmp_bpf_error(int err, const char *what) must_check;

#endif
