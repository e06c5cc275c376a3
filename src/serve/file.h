/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A served file: what FUSE asks of an open one, without FUSE, so that tests and fuzzers ask the
 * same. Answers are the kernel's: a count, or a negative errno. An open file is asked by one thread
 * at a time.
 */
#ifndef KMP_SERVE_FILE_H
#define KMP_SERVE_FILE_H

#include "serve/served.h"

struct kmp_open_file;

/* How the bytes of a read are handed on; returns what FUSE answered. */
typedef int (*kmp_reply_fn)(void *arg, const char *bytes, size_t len);

struct kmp_file_ops {
	/* A descriptor of its own. */
	int (*open)(struct kmp_served *served, struct kmp_open_file **file);
	bool slow_open; /* it makes all the text */
	void (*release)(struct kmp_open_file *file);
	/*
	 * Reply with what stands at the offset, or return a negative errno and nothing was replied.
	 * It may work on after the reply.
	 */
	int (*read)(struct kmp_open_file *file, uint64_t offset, size_t size, kmp_reply_fn reply,
		    void *arg);
	/*
	 * Or NULL. The kernel's files take a write anywhere, and it moves no position; FUSE moves
	 * the descriptor's from offset by what was taken.
	 */
	int64_t (*write)(struct kmp_open_file *file, const char *bytes, size_t len,
			 uint64_t offset);
	/* in: what the request carries; out: room for what it answers. Or NULL. */
	int (*ioctl)(struct kmp_open_file *file, unsigned request, const void *in, size_t in_len,
		     void *out, size_t out_len);
};

struct kmp_file {
	const char *name;
	unsigned mode;
	bool in_stacks; /* below page_owner_stacks/ */
	const struct kmp_file_ops *ops;
};

extern const struct kmp_file_ops kmp_page_owner_ops;
extern const struct kmp_file_ops kmp_show_stacks_ops;
extern const struct kmp_file_ops kmp_show_handles_ops;
extern const struct kmp_file_ops kmp_show_stacks_handles_ops;
extern const struct kmp_file_ops kmp_count_threshold_ops;
extern const struct kmp_file_ops kmp_allocinfo_ops;
extern const struct kmp_file_ops kmp_status_ops;

#endif
