/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a mount serves: pages, stacks and tags, as the kernel's files show them; of a source that
 * was read, or of a recording that goes on.
 */
#ifndef KMP_SERVE_SERVED_H
#define KMP_SERVE_SERVED_H

#include <stdatomic.h>

#include "base/error.h"

struct kmp_live;
struct kmp_live_tags;
struct kmp_recorder;
struct kmp_served;

/* How the files are read, by what they are read from. */
struct kmp_served_ops {
	bool moves; /* text that was made a moment ago is old */
	/* A descriptor of page_owner; its functions are as kmp_pages_open() and so on. */
	struct kmp_error *(*open)(struct kmp_served *served, void **file);
	void (*close)(void *file);
	int64_t (*write)(void *file, const char *text, size_t len);
	int64_t (*read)(void *file, uint64_t *pfn, char *buf, size_t size);
	/* Print a file of page_owner_stacks, as it is now. */
	struct kmp_error *(*print_stacks)(struct kmp_served *served, enum kmp_stacks_file which,
					  FILE *out);
	/*
	 * Around each question to the tags; text: its beginning is read. Returns 0 or a negative
	 * errno, and then they were not entered. Or NULL both.
	 */
	int (*enter_tags)(struct kmp_served *served, bool text);
	void (*leave_tags)(struct kmp_served *served);
	/* What was lost so far, into a ledger, each with a warning. NULL: no more than was told. */
	struct kmp_error *(*losses)(struct kmp_served *served, struct kmp_ledger *ledger);
	/* More lines of kmemprof_status. Or NULL. */
	struct kmp_error *(*print_figures)(struct kmp_served *served, FILE *out);
};

struct kmp_served {
	const struct kmp_served_ops *ops;
	struct kmp_ledger *ledger;
	struct kmp_pages *pages;   /* of a source that was read */
	struct kmp_groups *stacks; /* by stack and handle, the kernel's own figures where told */
	struct kmp_groups *all_stacks; /* for show_stacks_handles, if it lists more */
	struct kmp_recorder *recorder; /* of a recording */
	struct kmp_live *live;
	struct kmp_tags *tags;
	struct kmp_live_tags *live_tags; /* of a recording with tags */
	_Atomic uint64_t threshold;	 /* count_threshold */
	/* Who wants to be told of losses, or NULL; when they were looked for last, what was told.
	 */
	void (*on_loss)(void *arg, const char *line);
	void *on_loss_arg;
	_Atomic uint64_t looked;
	_Atomic uint64_t told;
};

/* Read a whole source. kmp_served_deinit() also after a failure. */
struct kmp_error *kmp_served_init(struct kmp_served *served, const char *path,
				  const struct kmp_source_options *options) must_check;

/* The same for a recording, which must outlive it. */
struct kmp_error *kmp_served_init_live(struct kmp_served *served,
				       struct kmp_recorder *recorder) must_check;
void kmp_served_deinit(struct kmp_served *served);

/* Print groups by stack and handle as a file of page_owner_stacks; none are an empty file. */
struct kmp_error *kmp_served_print(const struct kmp_served *served, const struct kmp_groups *groups,
				   enum kmp_stacks_file which, FILE *out) must_check;

/* Tell who wants to know if something was lost for the first time; looks once a second at most. */
void kmp_served_look(struct kmp_served *served);

#endif
