/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a mount: two directories and what is in them, numbered as FUSE wants it. */
#ifndef KMP_SERVE_TREE_H
#define KMP_SERVE_TREE_H

#include <sys/stat.h>

#include "serve/file.h"

enum { KMP_INODE_ROOT = 1, KMP_INODE_STACKS = 2, KMP_INODE_FIRST_FILE = 3 };

/* The file of an inode number, or NULL for the directories and what is not there. */
const struct kmp_file *kmp_tree_file(uint64_t inode);

/* The inode number of a name in a directory, 0 if there is none. */
uint64_t kmp_tree_lookup(uint64_t directory, const char *name);

/* Fill what stat() says. False if there is no such inode. */
bool kmp_tree_stat(uint64_t inode, struct stat *st);

/* The entry of a directory at this position, `.` and `..` first; false behind the last. */
bool kmp_tree_entry(uint64_t directory, size_t position, const char **name, struct stat *st);

#endif
