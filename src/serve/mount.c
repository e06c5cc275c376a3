// SPDX-License-Identifier: GPL-2.0-only
/* The public way to serve a source, and to end what another process serves. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "serve/fuse.h"
#include "serve/served.h"
#include "source/recorder.h"

struct kmp_mount {
	struct kmp_served served;
	struct kmp_fuse *fuse;
};

/* Commas and backslashes would end the mount option; the rest is only looked at by people. */
static char *mount_name(const char *source)
{
	char *name = strdup(source);

	for (char *p = name; p && *p; p++) {
		if (*p == ',' || *p == '\\' || !isprint((unsigned char)*p))
			*p = '_';
	}
	return name;
}

/* The list of mounts writes blanks and backslashes of a path as \ooo. */
static void decode(char *path)
{
	char *to = path;

	for (const char *p = path; *p; p++) {
		if (p[0] == '\\' && isdigit((unsigned char)p[1]) && isdigit((unsigned char)p[2]) &&
		    isdigit((unsigned char)p[3])) {
			*to++ = (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0'));
			p += 3;
		} else {
			*to++ = *p;
		}
	}
	*to = '\0';
}

/* Is a file system of ours mounted at this path? */
static struct kmp_error *is_ours(const char *path, bool *ours)
{
	auto_file FILE *f = fopen("/proc/self/mounts", "re");
	auto_free char *line = NULL;
	size_t cap = 0;

	*ours = false;
	if (!f)
		return kmp_error_system(errno, "/proc/self/mounts", "cannot open");
	while (getline(&line, &cap, f) > 0) {
		char *save;
		const char *source = strtok_r(line, " ", &save);
		char *where = strtok_r(NULL, " ", &save);
		const char *type = strtok_r(NULL, " ", &save);

		if (!source || !where || !type)
			continue;
		decode(where);
		if (!strcmp(where, path))
			*ours = !strcmp(type, "fuse.kmemprof");
	}
	return NULL;
}

/* FUSE would take a file, and hide what is mounted already. */
static struct kmp_error *check_dir(const char *dir)
{
	auto_free char *path = realpath(dir, NULL);
	struct stat st;
	bool ours;

	if (!path || stat(path, &st))
		return kmp_error_system(errno, dir, "cannot mount here");
	if (!S_ISDIR(st.st_mode))
		return kmp_error_system(ENOTDIR, dir, "cannot mount here");
	try(is_ours(path, &ours));
	return ours ? kmp_error_system(EBUSY, dir, "is a mount of kmemprof already") : NULL;
}

/* What is to be served is there, or err tells why not: mount it. */
static struct kmp_error *finish(struct kmp_mount *mount, struct kmp_error *err, const char *dir,
				const char *name, struct kmp_mount **out)
{
	if (!err)
		err = kmp_fuse_create(&mount->served, dir, name, &mount->fuse);
	if (err)
		kmp_mount_destroy(mount);
	else
		*out = mount;
	return err;
}

struct kmp_error *kmp_mount_create(const char *dir, const char *source,
				   const struct kmp_source_options *options, struct kmp_mount **out)
{
	struct kmp_mount *mount = calloc(1, sizeof(*mount));
	auto_free char *name = mount_name(source);
	struct kmp_error *err = mount && name ? check_dir(dir) : &kmp_error_no_memory;

	if (!err)
		err = kmp_served_init(&mount->served, source, options);
	return finish(mount, err, dir, name, out);
}

struct kmp_error *kmp_mount_create_live(const char *dir, struct kmp_recorder *recorder,
					struct kmp_mount **out)
{
	struct kmp_mount *mount = calloc(1, sizeof(*mount));
	struct kmp_error *err = mount ? check_dir(dir) : &kmp_error_no_memory;

	if (!err)
		err = kmp_served_init_live(&mount->served, recorder);
	recorder->mounted = true;
	return finish(mount, err, dir, "live", out);
}

struct kmp_error *kmp_mount_serve(struct kmp_mount *mount)
{
	struct kmp_recorder *recorder = mount->served.recorder;

	/* Threads stay behind when a process is forked. */
	if (recorder)
		try(kmp_task_numbers_start(&recorder->task_numbers));
	return kmp_fuse_serve(mount->fuse);
}

const struct kmp_ledger *kmp_mount_ledger(const struct kmp_mount *mount)
{
	return mount->served.ledger;
}

struct kmp_error *kmp_mount_losses(struct kmp_mount *mount, struct kmp_ledger *ledger)
{
	struct kmp_served *served = &mount->served;

	return served->ops->losses ? served->ops->losses(served, ledger) : NULL;
}

void kmp_mount_on_loss(struct kmp_mount *mount, void (*tell)(void *arg, const char *line),
		       void *arg)
{
	mount->served.on_loss = tell;
	mount->served.on_loss_arg = arg;
}

void kmp_mount_destroy(struct kmp_mount *mount)
{
	if (!mount)
		return;
	kmp_fuse_destroy(mount->fuse);
	kmp_served_deinit(&mount->served);
	free(mount);
}

/* Who is not root asks the helper of FUSE. */
static struct kmp_error *run_fusermount(const char *path)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return kmp_error_system(errno, NULL, "cannot start fusermount3");
	if (pid == 0) {
		execlp("fusermount3", "fusermount3", "-u", "-z", "--", path, (char *)NULL);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return kmp_error_system(errno, NULL, "cannot wait for fusermount3");
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return NULL;
	return kmp_error_system(0, path, "fusermount3 could not unmount");
}

struct kmp_error *kmp_unmount(const char *dir)
{
	/* A server that crashed makes every look at its root fail: ask for the path above. */
	auto_free char *path = realpath(dir, NULL);
	bool ours;

	if (!path && errno == ENOTCONN) {
		path = *dir == '/' ? strdup(dir) : NULL;
		if (!path) {
			auto_free char *here = getcwd(NULL, 0);

			if (!here || asprintf(&path, "%s/%s", here, dir) < 0) {
				path = NULL;
				return &kmp_error_no_memory;
			}
		}
		size_t len = strlen(path);

		while (len > 1 && path[len - 1] == '/')
			path[--len] = '\0';
	}
	if (!path)
		return kmp_error_system(errno, dir, "cannot unmount");
	try(is_ours(path, &ours));
	if (!ours)
		return kmp_error_system(0, path, "is no mount of kmemprof");
	if (geteuid() != 0)
		return run_fusermount(path);
	/* Readers that are at it keep their files; the server ends when they have closed them. */
	if (umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW))
		return kmp_error_system(errno, path, "cannot unmount");
	return NULL;
}
