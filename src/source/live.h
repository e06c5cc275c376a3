/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's page_owner files over a recording that goes on. A descriptor has a ledger of its
 * own, which holds the words of what it has told, so that descriptors do not wait for each other
 * and what they took is given back when they close.
 */
#ifndef KMP_SOURCE_LIVE_H
#define KMP_SOURCE_LIVE_H

#include "source/recorder.h"

struct kmp_live;

/* The recorder must outlive it. */
struct kmp_error *kmp_live_create(struct kmp_recorder *recorder, struct kmp_live **live) must_check;

/* Its files must be closed; NULL is accepted. */
void kmp_live_destroy(struct kmp_live *live);

/* A descriptor of page_owner; used by one thread at a time. */
struct kmp_live_file;

struct kmp_error *kmp_live_open(struct kmp_live *live, struct kmp_live_file **file) must_check;
void kmp_live_close(struct kmp_live_file *file);

/*
 * As kmp_pages_write() and kmp_pages_read(). Each record is as it was at one moment of the read;
 * what a machine refuses to tell of it is a negative errno, too.
 */
int64_t kmp_live_write(struct kmp_live_file *file, const char *text, size_t len);
int64_t kmp_live_read(struct kmp_live_file *file, uint64_t *pfn, char *buf, size_t size);

/*
 * Every stack with the pages it holds now, by `stack,handle`, the newest first. Pages that are not
 * attributed are in none. Free the groups with kmp_groups_destroy().
 */
struct kmp_error *kmp_live_stacks(struct kmp_live *live, struct kmp_groups **groups) must_check;

/* The negative errno for an error, which is destroyed; 0 for none. */
int kmp_live_errno(struct kmp_error *err);

#endif
