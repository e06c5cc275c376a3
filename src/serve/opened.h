/* SPDX-License-Identifier: GPL-2.0-only */
/* The open files of a mount: each used by one thread at a time, and released with the last user. */
#ifndef KMP_SERVE_OPENED_H
#define KMP_SERVE_OPENED_H

#include <pthread.h>
#include <stdatomic.h>

#include "serve/file.h"

struct kmp_opened {
	const struct kmp_file_ops *ops;
	struct kmp_open_file *file;
	pthread_mutex_t lock;
	atomic_uint users;
	struct kmp_opened_list *list;
	struct kmp_opened *next;
	struct kmp_opened **from; /* what points here */
};

struct kmp_opened_list {
	pthread_mutex_t lock;
	struct kmp_opened *first;
};

/* No file is open. */
void kmp_opened_list_init(struct kmp_opened_list *list);

/* Release what is still open: nobody uses it any more. */
void kmp_opened_list_deinit(struct kmp_opened_list *list);

/* A descriptor of its own, with one user: it itself. Returns 0 or a negative errno. */
int kmp_opened_create(struct kmp_opened_list *list, struct kmp_served *served,
		      const struct kmp_file_ops *ops, struct kmp_opened **opened);

/* One user less; with the last one the file is released. */
void kmp_opened_put(struct kmp_opened *opened);

/* Be a user, and the only one that is at it, until kmp_opened_leave(). */
void kmp_opened_enter(struct kmp_opened *opened);
void kmp_opened_leave(struct kmp_opened *opened);

#endif
