// SPDX-License-Identifier: GPL-2.0-only
/*
 * A directory that the kernel's files were copied to, under the kernel's names or with an ending
 * (`page_owner.handle.xz`), or debugfs itself.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/cleanup.h"
#include "source/source.h"

static void cleanup_dir(DIR **d)
{
	if (*d)
		closedir(*d);
}

/* Is name the kernel's file of this name, plain or with an ending that is no description of it? */
static bool is_file(const char *name, const char *kernel_name)
{
	size_t n = strlen(kernel_name);
	size_t len = strlen(name);

	if (strncmp(name, kernel_name, n) != 0 || (name[n] && name[n] != '.'))
		return false;
	return len < 12 || strcmp(name + len - 12, ".expect.json") != 0;
}

/*
 * Of several page_owner files the one that tells most: the kernel's own name, then both stacks and
 * handles, then stacks, then any other; the shorter name of two alike.
 */
static int page_owner_rank(const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	if (!strchr(name, '.'))
		return 0;
	if (strstr(name, "stack_handle"))
		return 1;
	if (strstr(name, "stack"))
		return 2;
	return 3;
}

static bool is_better(const char *path, const char *than)
{
	int a = page_owner_rank(path);
	int b = page_owner_rank(than);

	if (a != b)
		return a < b;
	if (strlen(path) != strlen(than))
		return strlen(path) < strlen(than);
	return strcmp(path, than) < 0;
}

static struct kmp_error *take_page_owner(struct kmp_directory *dir, char *path)
{
	char *other = path;

	if (!dir->page_owner || is_better(path, dir->page_owner)) {
		other = dir->page_owner;
		dir->page_owner = path;
	}
	if (!other)
		return NULL;
	struct kmp_error *err = vec_push(&dir->left_out, other);

	if (err)
		free(other);
	return err;
}

static struct kmp_error *take_file(struct kmp_directory *dir, const char *folder, const char *name)
{
	const struct {
		const char *name;
		char **path;
	} wanted[] = {
		{ "show_stacks", &dir->show_stacks },
		{ "show_handles", &dir->show_handles },
		{ "show_stacks_handles", &dir->show_stacks_handles },
		{ "allocinfo", &dir->allocinfo },
		{ "zoneinfo", &dir->zoneinfo },
		{ "version", &dir->version },
		{ "mem_profiling", &dir->mem_profiling },
	};
	struct stat st;
	auto_free char *path = NULL;

	if (asprintf(&path, "%s/%s", folder, name) < 0) {
		path = NULL;
		return &kmp_error_no_memory;
	}
	if (is_file(name, "page_owner") && !stat(path, &st) && S_ISREG(st.st_mode))
		return take_page_owner(dir, no_free(path));
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		if (!is_file(name, wanted[i].name) || stat(path, &st) || !S_ISREG(st.st_mode))
			continue;
		if (*wanted[i].path && !is_better(path, *wanted[i].path))
			return NULL;
		free(*wanted[i].path);
		*wanted[i].path = no_free(path);
		return NULL;
	}
	return NULL;
}

static struct kmp_error *scan(const char *folder, struct kmp_directory *dir)
{
	DIR *d cleanup(cleanup_dir) = opendir(folder);
	struct dirent *entry;

	if (!d)
		return kmp_error_system(errno, folder, "cannot open");
	while ((errno = 0, entry = readdir(d)) != NULL)
		try(take_file(dir, folder, entry->d_name));
	return errno ? kmp_error_system(errno, folder, "cannot read") : NULL;
}

/* The running kernel's debugfs or /proc itself: what is not there stands under /proc. */
static struct kmp_error *complete_from_proc(struct kmp_directory *dir)
{
	const struct {
		const char *path;
		char **to;
	} files[] = {
		{ "/proc/allocinfo", &dir->allocinfo },
		{ "/proc/zoneinfo", &dir->zoneinfo },
		{ "/proc/version", &dir->version },
		{ "/proc/sys/vm/mem_profiling", &dir->mem_profiling },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		if (*files[i].to || access(files[i].path, F_OK) != 0)
			continue;
		*files[i].to = strdup(files[i].path);
		if (!*files[i].to)
			return &kmp_error_no_memory;
	}
	return NULL;
}

static struct kmp_error *scan_all(const char *path, struct kmp_directory *dir)
{
	auto_free char *below = NULL;
	struct statfs fs;
	struct stat st;

	try(scan(path, dir));
	if (asprintf(&below, "%s/page_owner_stacks", path) < 0) {
		below = NULL;
		return &kmp_error_no_memory;
	}
	if (!stat(below, &st) && S_ISDIR(st.st_mode))
		try(scan(below, dir));
	if (!statfs(path, &fs) && (fs.f_type == DEBUGFS_MAGIC || fs.f_type == PROC_SUPER_MAGIC))
		try(complete_from_proc(dir));
	if (!dir->page_owner && !dir->show_stacks && !dir->show_handles && !dir->allocinfo)
		return kmp_error_input(path, 0, NULL, 0,
				       "none of the kernel's files is in this directory "
				       "(page_owner, show_stacks, show_handles, allocinfo)");
	return NULL;
}

struct kmp_error *kmp_directory_scan(const char *path, struct kmp_directory *dir)
{
	*dir = (struct kmp_directory){ 0 };
	struct kmp_error *err = scan_all(path, dir);

	if (err)
		kmp_directory_deinit(dir);
	return err;
}

void kmp_directory_deinit(struct kmp_directory *dir)
{
	free(dir->page_owner);
	free(dir->show_stacks);
	free(dir->show_handles);
	free(dir->show_stacks_handles);
	free(dir->allocinfo);
	free(dir->zoneinfo);
	free(dir->version);
	free(dir->mem_profiling);
	for (size_t i = 0; i < dir->left_out.len; i++)
		free(dir->left_out.data[i]);
	vec_deinit(&dir->left_out);
	*dir = (struct kmp_directory){ 0 };
}
