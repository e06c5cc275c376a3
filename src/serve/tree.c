// SPDX-License-Identifier: GPL-2.0-only
#include "serve/tree.h"

#include <string.h>
#include <unistd.h>

static const char stacks_name[] = "page_owner_stacks";

static const struct kmp_file files[] = {
	{ "page_owner", 0600, false, &kmp_page_owner_ops },
	{ "allocinfo", 0400, false, &kmp_allocinfo_ops },
	{ "kmemprof_status", 0400, false, &kmp_status_ops },
	{ "show_stacks", 0400, true, &kmp_show_stacks_ops },
	{ "show_handles", 0400, true, &kmp_show_handles_ops },
	{ "show_stacks_handles", 0400, true, &kmp_show_stacks_handles_ops },
	{ "count_threshold", 0600, true, &kmp_count_threshold_ops },
};

enum { FILES = sizeof(files) / sizeof(*files) };

const struct kmp_file *kmp_tree_file(uint64_t inode)
{
	if (inode < KMP_INODE_FIRST_FILE || inode >= KMP_INODE_FIRST_FILE + FILES)
		return NULL;
	return &files[inode - KMP_INODE_FIRST_FILE];
}

static uint64_t directory_of(const struct kmp_file *file)
{
	return file->in_stacks ? KMP_INODE_STACKS : KMP_INODE_ROOT;
}

uint64_t kmp_tree_lookup(uint64_t directory, const char *name)
{
	if (directory == KMP_INODE_ROOT && !strcmp(name, stacks_name))
		return KMP_INODE_STACKS;
	for (size_t i = 0; i < FILES; i++) {
		if (directory_of(&files[i]) == directory && !strcmp(files[i].name, name))
			return KMP_INODE_FIRST_FILE + i;
	}
	return 0;
}

bool kmp_tree_stat(uint64_t inode, struct stat *st)
{
	const struct kmp_file *file = kmp_tree_file(inode);

	memset(st, 0, sizeof(*st));
	st->st_ino = inode;
	st->st_uid = getuid();
	st->st_gid = getgid();
	if (file) {
		/* As debugfs and procfs have it, the size is 0 whatever there is to read. */
		st->st_mode = S_IFREG | file->mode;
		st->st_nlink = 1;
	} else if (inode == KMP_INODE_ROOT || inode == KMP_INODE_STACKS) {
		st->st_mode = S_IFDIR | 0700;
		st->st_nlink = 2 + (inode == KMP_INODE_ROOT);
	} else {
		return false;
	}
	return true;
}

bool kmp_tree_entry(uint64_t directory, size_t position, const char **name, struct stat *st)
{
	if (position < 2) {
		*name = position ? ".." : ".";
		return kmp_tree_stat(position ? KMP_INODE_ROOT : directory, st);
	}
	position -= 2;
	if (directory == KMP_INODE_ROOT && position-- == 0) {
		*name = stacks_name;
		return kmp_tree_stat(KMP_INODE_STACKS, st);
	}
	for (size_t i = 0; i < FILES; i++) {
		if (directory_of(&files[i]) != directory)
			continue;
		if (position-- == 0) {
			*name = files[i].name;
			return kmp_tree_stat(KMP_INODE_FIRST_FILE + i, st);
		}
	}
	return false;
}
