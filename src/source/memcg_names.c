// SPDX-License-Identifier: GPL-2.0-only
#include "source/memcg_names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/lines.h"
#include "base/pool.h"

/* Deeper trees the kernel allows; nobody makes them, and each level takes a descriptor. */
enum { DEPTH_MAX = 128 };

struct known {
	uint64_t inode;
	uint32_t name;
	bool offline;
};

struct kmp_memcg_names {
	char *root;
	VEC(struct known) known;
	struct kmp_index by_inode;
	struct kmp_pool pool;
};

DEFINE_CLEANUP(input, struct kmp_input *, kmp_input_destroy)
DEFINE_CLEANUP(lines, struct kmp_lines *, kmp_lines_destroy)

static void cleanup_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* A mount's place in that text: blanks, newlines and backslashes are written `\040`. */
static bool decode(const char *text, char *out, size_t size)
{
	size_t len = 0;

	for (; *text; text++) {
		char c = *text;

		if (c == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] >= '0' &&
		    text[2] <= '7' && text[3] >= '0' && text[3] <= '7') {
			c = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0'));
			text += 3;
		}
		if (len + 1 >= size)
			return false;
		out[len++] = c;
	}
	out[len] = '\0';
	return true;
}

static bool has_option(const char *options, const char *option)
{
	size_t len = strlen(option);

	for (const char *p = options; *p; p += strcspn(p, ",")) {
		p += *p == ',';
		if (strcspn(p, ",") == len && !strncmp(p, option, len))
			return true;
	}
	return false;
}

/* `cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0`. */
struct kmp_error *kmp_memcg_mount(const char *mounts, char *path, size_t size)
{
	struct kmp_input *input cleanup(cleanup_input) = NULL;
	struct kmp_lines *lines cleanup(cleanup_lines) = NULL;

	*path = '\0';
	try(kmp_input_open(mounts, &input));
	try(kmp_lines_create(input, &lines));
	for (;;) {
		static const char blank[] = " \t";
		const char *line;
		size_t len;
		char *save;

		try(kmp_lines_next(lines, &line, &len));
		if (!line)
			return NULL;
		auto_free char *text = strdup(line);
		if (!text)
			return &kmp_error_no_memory;
		strtok_r(text, blank, &save);
		const char *place = strtok_r(NULL, blank, &save);
		const char *type = strtok_r(NULL, blank, &save);
		const char *options = strtok_r(NULL, blank, &save);
		if (!options)
			continue;
		if (!strcmp(type, "cgroup") && has_option(options, "memory") &&
		    decode(place, path, size))
			return NULL;
		if (!strcmp(type, "cgroup2") && !*path && !decode(place, path, size))
			*path = '\0';
	}
}

struct kmp_error *kmp_memcg_names_create(const char *root, struct kmp_memcg_names **out)
{
	struct kmp_memcg_names *names = calloc(1, sizeof(*names));

	if (!names || !(names->root = strdup(root))) {
		free(names);
		return &kmp_error_no_memory;
	}
	*out = names;
	return NULL;
}

void kmp_memcg_names_destroy(struct kmp_memcg_names *names)
{
	if (!names)
		return;
	free(names->root);
	vec_deinit(&names->known);
	kmp_index_deinit(&names->by_inode);
	kmp_pool_deinit(&names->pool);
	free(names);
}

/* Inode numbers are counted up: multiplied, they differ in the index's upper half too. */
static uint64_t hash(uint64_t inode)
{
	return inode * 0x9e3779b97f4a7c15;
}

static uint64_t hash_of(const void *arg, uint32_t number)
{
	const struct kmp_memcg_names *names = arg;

	return hash(names->known.data[number].inode);
}

static const struct known *lookup(const struct kmp_memcg_names *names, uint64_t inode)
{
	struct kmp_index_cursor cursor = index_start(&names->by_inode, hash(inode));
	uint32_t i;

	while ((i = index_next(&names->by_inode, &cursor)) != KMP_NONE) {
		if (names->known.data[i].inode == inode)
			return &names->known.data[i];
	}
	return NULL;
}

static struct kmp_error *add(struct kmp_memcg_names *names, uint64_t inode, const char *name,
			     bool offline)
{
	struct known known = { .inode = inode, .offline = offline };

	if (lookup(names, inode))
		return NULL;
	try(kmp_pool_intern(&names->pool, name, strlen(name), &known.name));
	try(vec_push(&names->known, known));
	return kmp_index_add(&names->by_inode, hash(inode), (uint32_t)names->known.len - 1, hash_of,
			     names);
}

static struct kmp_error *walk(struct kmp_memcg_names *names, int at, const char *path,
			      unsigned depth);

/* A cgroup that is removed while we read is no error: what is not found has no name. */
static struct kmp_error *take_entry(struct kmp_memcg_names *names, int dir,
				    const struct dirent *entry, unsigned depth)
{
	struct stat st;

	if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
	    (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN) ||
	    fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode))
		return NULL;
	try(add(names, st.st_ino, entry->d_name, false));
	return depth < DEPTH_MAX ? walk(names, dir, entry->d_name, depth + 1) : NULL;
}

static struct kmp_error *walk(struct kmp_memcg_names *names, int at, const char *path,
			      unsigned depth)
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir cleanup(cleanup_dir) = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;

	if (!dir) {
		int errnum = errno;

		if (fd >= 0)
			close(fd);
		if (errnum == EMFILE || errnum == ENFILE || (depth == 0 && errnum != ENOENT))
			return kmp_error_system(errnum, names->root, "cannot read its cgroups");
		return NULL;
	}
	while ((entry = readdir(dir)))
		try(take_entry(names, dirfd(dir), entry, depth));
	return NULL;
}

static struct kmp_error *walk_root(struct kmp_memcg_names *names)
{
	struct stat st;

	if (stat(names->root, &st) != 0)
		return kmp_error_system(errno, names->root, "cannot read its cgroups");
	try(add(names, st.st_ino, "/", false));
	return walk(names, AT_FDCWD, names->root, 0);
}

struct kmp_error *kmp_memcg_names_find(struct kmp_memcg_names *names, uint64_t inode,
				       struct kmp_memcg_name *out)
{
	const struct known *known = lookup(names, inode);

	if (!known) {
		char number[32];

		try(walk_root(names));
		snprintf(number, sizeof(number), "inode %llu", (unsigned long long)inode);
		try(add(names, inode, number, true));
		known = lookup(names, inode);
	}
	*out = (struct kmp_memcg_name){
		.name = names->pool.strings.data[known->name].text,
		.offline = known->offline,
	};
	return NULL;
}
