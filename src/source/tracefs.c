// SPDX-License-Identifier: GPL-2.0-only
#include "source/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/vec.h"

enum { FILE_MAX_BYTES = 4 << 20, STEP = 64 << 10 };

static int open_mounted(void)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		int dir = open(places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (dir >= 0 && faccessat(dir, "events", R_OK, 0) == 0)
			return dir;
		if (dir >= 0)
			close(dir);
	}
	return -1;
}

/* A mount that stands nowhere (Linux 5.2: "vfs: syscall: Add fsmount()"). */
static int open_detached(void)
{
	int fs auto_fd = fsopen("tracefs", FSOPEN_CLOEXEC);

	if (fs < 0 || fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0)
		return -1;
	return fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY);
}

struct kmp_error *kmp_tracefs_open(int *dir)
{
	*dir = open_mounted();
	if (*dir < 0)
		*dir = open_detached();
	if (*dir < 0)
		return kmp_error_system(errno, "tracefs",
					"not mounted, and cannot be without CAP_SYS_ADMIN");
	return NULL;
}

static void cleanup_bytes(char **text)
{
	free(*text);
}

struct kmp_error *kmp_tracefs_read(int dir, const char *name, char **out, size_t *len)
{
	int fd auto_fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	char *text cleanup(cleanup_bytes) = NULL;
	size_t cap = 0;
	size_t have = 0;

	if (fd < 0)
		return kmp_error_system(errno, name, "cannot open");
	for (;;) {
		if (have + STEP >= cap)
			try(kmp_vec_grow((void **)&text, &cap, have + STEP + 1, 1));
		ssize_t got = read(fd, text + have, STEP);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return kmp_error_system(errno, name, "cannot read");
		if (got == 0)
			break;
		have += (size_t)got;
		if (have > FILE_MAX_BYTES)
			return kmp_error_new(KMP_ERROR_LIMIT, "%s: more than 4 MiB", name);
	}
	text[have] = '\0';
	*out = no_free(text);
	*len = have;
	return NULL;
}
