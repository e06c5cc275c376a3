/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for the inode numbers that /proc/kpagecgroup tells: the memory cgroup's last path
 * component, `/` for the root, as page_owner prints them.
 *
 * kpagecgroup tells the nearest cgroup above that still exists: a removed one appears only if it
 * goes between that answer and the look for its name. It is called offline then, and `inode N`.
 */
#ifndef KMP_SOURCE_MEMCG_NAMES_H
#define KMP_SOURCE_MEMCG_NAMES_H

#include "base/error.h"

struct kmp_memcg_names;

struct kmp_memcg_name {
	const char *name; /* as long as the table */
	bool offline;
};

/*
 * Where memory cgroups are mounted, from a text like /proc/self/mounts: the memory controller of
 * version 1, else version 2. path (size bytes) is "" if there is neither.
 */
struct kmp_error *kmp_memcg_mount(const char *mounts, char *path, size_t size) must_check;

/* A table of the cgroups below root, which is copied; nothing is read yet. */
struct kmp_error *kmp_memcg_names_create(const char *root,
					 struct kmp_memcg_names **names) must_check;
void kmp_memcg_names_destroy(struct kmp_memcg_names *names);

/*
 * The cgroup of this inode number, which is not 0. The tree is read at the first question, and
 * again for each number that it does not know, since cgroups come and go; answers are kept.
 */
struct kmp_error *kmp_memcg_names_find(struct kmp_memcg_names *names, uint64_t inode,
				       struct kmp_memcg_name *out) must_check;

#endif
