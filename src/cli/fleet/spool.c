// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/cleanup.h"

enum { FILE_MAX = 256 << 20 };

static const char ending[] = ".sample", half[] = ".half", lock_name[] = "lock";

static void cleanup_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static struct kmp_error *fail(const struct spool *spool, const char *what)
{
	return kmp_error_system(errno, spool->path, "%s", what);
}

static bool ends_with(const char *name, const char *end)
{
	size_t len = strlen(name);

	return len > strlen(end) && !strcmp(name + len - strlen(end), end);
}

/* `TIME-SESSION.sample`, in 16 digits each. */
static bool is_sample(const char *name)
{
	return strlen(name) == 33 + strlen(ending) && name[16] == '-' && ends_with(name, ending) &&
	       strspn(name, "0123456789abcdef") == 16 &&
	       strspn(name + 17, "0123456789abcdef") == 16;
}

static struct kmp_error *lock(struct spool *spool)
{
	spool->lock =
		openat(spool->dir, lock_name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (spool->lock < 0)
		return fail(spool, "cannot be locked");
	if (!flock(spool->lock, LOCK_EX | LOCK_NB))
		return NULL;
	if (errno != EWOULDBLOCK)
		return fail(spool, "cannot be locked");
	return kmp_error_system(0, spool->path, "another process pushes from this spool");
}

struct kmp_error *spool_open(const char *path, struct spool *spool)
{
	struct stat st;

	*spool = (struct spool){ .path = path, .dir = -1, .lock = -1 };
	if (mkdir(path, 0700) && errno != EEXIST)
		return fail(spool, "cannot make the directory");
	spool->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (spool->dir < 0 || fstat(spool->dir, &st))
		return fail(spool, "cannot open the directory");
	/* Who can put files there could push what he likes in our name. */
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return kmp_error_system(0, path, "others may write to this directory: chmod go-w");
	return lock(spool);
}

void spool_close(struct spool *spool)
{
	if (spool->dir >= 0)
		close(spool->dir);
	if (spool->lock >= 0)
		close(spool->lock);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct spool_file *)a)->name, ((const struct spool_file *)b)->name);
}

struct kmp_error *spool_list(const struct spool *spool, struct spool_file **files, size_t *count)
{
	VEC(struct spool_file) list = { 0 };
	int fd = openat(spool->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir cleanup(cleanup_dir) = fd < 0 ? NULL : fdopendir(fd);
	struct kmp_error *err = dir ? NULL : fail(spool, "cannot be read");

	for (struct dirent *entry; !err && (entry = readdir(dir));) {
		struct spool_file file = { 0 };
		struct stat st;

		if (ends_with(entry->d_name, half))
			unlinkat(spool->dir, entry->d_name, 0);
		if (!is_sample(entry->d_name) ||
		    fstatat(spool->dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		memcpy(file.name, entry->d_name, strlen(entry->d_name));
		file.size = (uint64_t)st.st_size;
		err = grow_push(&list, file);
	}
	if (!err && list.len)
		qsort(list.data, list.len, sizeof(*list.data), by_name);
	*files = list.data;
	*count = list.len;
	return err;
}

void spool_name(const struct push_sample *sample, char name[SPOOL_NAME_SIZE])
{
	snprintf(name, SPOOL_NAME_SIZE, "%016" PRIx64 "-%016" PRIx64 "%s", sample->at,
		 sample->session, ending);
}

static bool write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t done = write(fd, bytes, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		bytes += done;
		len -= (size_t)done;
	}
	return true;
}

struct kmp_error *spool_write(const struct spool *spool, const struct push_sample *sample,
			      const struct row_writer *bytes, struct spool_file *file)
{
	char temp[SPOOL_NAME_SIZE + sizeof(half)];

	*file = (struct spool_file){ .size = bytes->bytes.len };
	spool_name(sample, file->name);
	snprintf(temp, sizeof(temp), "%s%s", file->name, half);
	auto_fd int fd = openat(spool->dir, temp,
				O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return fail(spool, "cannot write a sample");
	if (write_all(fd, bytes->bytes.data, bytes->bytes.len) && !fsync(fd) &&
	    !renameat(spool->dir, temp, spool->dir, file->name)) {
		/* The name, too. */
		fsync(spool->dir);
		return NULL;
	}
	struct kmp_error *err = fail(spool, "cannot write a sample");

	unlinkat(spool->dir, temp, 0);
	return err;
}

static struct kmp_error *read_all(const struct spool *spool, const char *name,
				  struct row_writer *bytes)
{
	auto_fd int fd = openat(spool->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return fail(spool, "cannot read a sample");
	if (!S_ISREG(st.st_mode) || st.st_size > FILE_MAX)
		return kmp_error_new(KMP_ERROR_INPUT, "%s: no sample of a spool", name);
	try(grow_reserve(&bytes->bytes, (size_t)st.st_size + 1));
	for (;;) {
		ssize_t got = read(fd, bytes->bytes.data + bytes->bytes.len,
				   bytes->bytes.cap - bytes->bytes.len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail(spool, "cannot read a sample");
		bytes->bytes.len += (size_t)got;
		if (!got || bytes->bytes.len == bytes->bytes.cap)
			return NULL;
	}
}

struct kmp_error *spool_read(const struct spool *spool, const char *name,
			     struct push_sample **sample)
{
	struct row_writer bytes cleanup(row_deinit) = { 0 };
	char key[SPOOL_NAME_SIZE];

	try(read_all(spool, name, &bytes));
	try(push_sample_decode(bytes.bytes.data, bytes.bytes.len, sample));
	spool_name(*sample, key);
	if (!strcmp(key, name))
		return NULL;
	/* A file that was copied would be a second sample of the same key. */
	push_sample_destroy(*sample);
	*sample = NULL;
	return kmp_error_new(KMP_ERROR_INPUT, "%s: holds another sample than it is called", name);
}

void spool_remove(const struct spool *spool, const char *name)
{
	unlinkat(spool->dir, name, 0);
}
