// SPDX-License-Identifier: GPL-2.0-only
#include "store/temp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"

enum {
	NAME_KEPT = 200, /* of the target's name, so that the temporary one is not too long */
	STALE_AGE = 60	 /* seconds; a younger file's writer may be about to lock it */
};

static const char suffix[] = ".tmp";

/* Only a file, or nothing, may be replaced: never a device, a pipe or a directory. */
static struct kmp_error *resolve(const char *target, char **out)
{
	struct stat st;

	if (lstat(target, &st)) {
		if (errno != ENOENT)
			return kmp_error_system(errno, target, "cannot write");
		*out = strdup(target);
		return *out ? NULL : &kmp_error_no_memory;
	}
	char *real = realpath(target, NULL);

	if (!real)
		return kmp_error_system(errno, target, "cannot write");
	if (stat(real, &st) || !S_ISREG(st.st_mode)) {
		free(real);
		return kmp_error_system(0, target, "cannot be replaced: not a regular file");
	}
	*out = real;
	return NULL;
}

/* `DIR/.NAME.` with a slash in it always; the name's length goes to *prefix. */
static struct kmp_error *temporary_name(const char *target, char **path, size_t *dir_len)
{
	const char *slash = strrchr(target, '/');
	const char *name = slash ? slash + 1 : target;
	int dir = slash ? (int)(slash - target) : 1;

	if (!*name)
		return kmp_error_system(EISDIR, target, "cannot write");
	*dir_len = (size_t)dir + 1;
	if (asprintf(path, "%.*s/.%.*s.XXXXXX%s", dir, slash ? target : ".", NAME_KEPT, name,
		     suffix) < 0) {
		*path = NULL;
		return &kmp_error_no_memory;
	}
	return NULL;
}

/*
 * Temporary files of this target whose writer was killed: it held a lock while it lived. Whatever
 * goes wrong here is no failure of what we were asked to do.
 */
static void remove_stale(const char *template, size_t dir_len)
{
	auto_free char *dir = strndup(template, dir_len);
	size_t prefix = strlen(template + dir_len) - strlen("XXXXXX") - strlen(suffix);
	DIR *d = dir ? opendir(dir) : NULL;
	struct dirent *e;

	if (!d)
		return;
	while ((e = readdir(d))) {
		if (strlen(e->d_name) != strlen(template + dir_len) ||
		    strncmp(e->d_name, template + dir_len, prefix) != 0 ||
		    strcmp(e->d_name + strlen(e->d_name) - strlen(suffix), suffix) != 0)
			continue;
		auto_fd int fd =
			openat(dirfd(d), e->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

		struct stat st;

		if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		    time(NULL) - st.st_mtime > STALE_AGE && !flock(fd, LOCK_EX | LOCK_NB))
			unlinkat(dirfd(d), e->d_name, 0);
	}
	closedir(d);
}

static bool is_at(int fd, const char *path)
{
	struct stat a, b;

	return !fstat(fd, &a) && !stat(path, &b) && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

static struct kmp_error *lock_old(struct kmp_temp *temp)
{
	do {
		if (temp->old_fd >= 0)
			close(temp->old_fd);
		temp->old_fd = open(temp->target, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (temp->old_fd < 0)
			return errno == ENOENT
				       ? NULL
				       : kmp_error_system(errno, temp->target, "cannot open");
		if (flock(temp->old_fd, LOCK_EX | LOCK_NB))
			return kmp_error_system(errno, temp->target,
						"another process is appending to it");
		/* Who had the lock before us may have put another file in its place. */
	} while (!is_at(temp->old_fd, temp->target));
	return NULL;
}

/* A file that is appended to stays whose it is, as far as we may, and as private as it is. */
static struct kmp_error *keep_owner(const struct kmp_temp *temp)
{
	struct stat st;

	if (temp->old_fd < 0)
		return NULL;
	if (fstat(temp->old_fd, &st))
		return kmp_error_system(errno, temp->target, "cannot read");
	if (fchown(temp->fd, st.st_uid, st.st_gid) && st.st_uid != geteuid())
		return NULL;
	if (fchmod(temp->fd, st.st_mode & 0777))
		return kmp_error_system(errno, temp->target, "cannot write");
	return NULL;
}

static struct kmp_error *create(struct kmp_temp *temp, const char *target, bool lock)
{
	size_t dir_len;

	try(resolve(target, &temp->target));
	if (lock)
		try(lock_old(temp));
	try(temporary_name(temp->target, &temp->path, &dir_len));
	remove_stale(temp->path, dir_len);
	temp->fd = mkostemps(temp->path, (int)strlen(suffix), O_CLOEXEC);
	if (temp->fd < 0) {
		struct kmp_error *err = kmp_error_system(errno, temp->target, "cannot write");

		free(temp->path);
		temp->path = NULL;
		return err;
	}
	/* Tells remove_stale() of others that we live. */
	flock(temp->fd, LOCK_EX | LOCK_NB);
	return keep_owner(temp);
}

struct kmp_error *kmp_temp_create(struct kmp_temp *temp, const char *target, bool lock)
{
	*temp = (struct kmp_temp){ .fd = -1, .old_fd = -1 };
	struct kmp_error *err = create(temp, target, lock);

	if (err)
		kmp_temp_deinit(temp);
	return err;
}

/* No error if that fails: the file is in place, and some file systems cannot do it. */
static void sync_directory(const char *path)
{
	auto_free char *dir = strndup(path, (size_t)(strrchr(path, '/') - path) + 1);
	auto_fd int fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0)
		fsync(fd);
}

struct kmp_error *kmp_temp_commit(struct kmp_temp *temp)
{
	if (fsync(temp->fd))
		return kmp_error_system(errno, temp->target, "cannot write");
	if (rename(temp->path, temp->target))
		return kmp_error_system(errno, temp->target, "cannot put the file in place");
	sync_directory(temp->path);
	free(temp->path);
	temp->path = NULL;
	return NULL;
}

void kmp_temp_deinit(struct kmp_temp *temp)
{
	if (temp->path)
		unlink(temp->path);
	if (temp->fd >= 0)
		close(temp->fd);
	if (temp->old_fd >= 0)
		close(temp->old_fd);
	free(temp->path);
	free(temp->target);
	*temp = (struct kmp_temp){ .fd = -1, .old_fd = -1 };
}
