// SPDX-License-Identifier: GPL-2.0-only
#include "cli/kernel-filter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/common.h"

static struct kmp_error *copy_records(int fd, const char *path, FILE *out)
{
	enum { RECORD_MAX = 64 * 1024 };
	char buf[RECORD_MAX];

	for (;;) {
		/* One record a read; the kernel refuses to cut one. */
		ssize_t got = read(fd, buf, sizeof(buf));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return kmp_error_system(errno, path, "cannot read");
		if (!got)
			return NULL;
		if (fwrite(buf, 1, (size_t)got, out) != (size_t)got)
			return kmp_error_system(errno, "output", "cannot write");
	}
}

static bool set_filter(int fd, const char *name, const char *value)
{
	char words[4096];
	int len = snprintf(words, sizeof(words), "%s%s", name, value);

	if ((size_t)len < sizeof(words))
		return write(fd, words, (size_t)len) == len;
	errno = EINVAL;
	return false;
}

/* No ordinary file refuses a byte for want of room, and none must be written to. */
static bool is_page_owner(int fd)
{
	struct stat st;
	char byte;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && !st.st_size && read(fd, &byte, 1) < 0 &&
	       errno == ENOMEM;
}

static struct kmp_error *path_of(const char *from, char **path)
{
	struct stat st;

	if (!from)
		from = CLI_KERNEL;
	if (asprintf(path, !stat(from, &st) && S_ISDIR(st.st_mode) ? "%s/page_owner" : "%s",
		     from) >= 0)
		return NULL;
	*path = NULL;
	return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
}

struct kmp_error *cli_kernel_filter(struct cli_args *args, const char *from, const char *mode,
				    const char *nodes, bool *done)
{
	struct cli_output output cleanup(cli_output_deinit) = { 0 };
	auto_free char *path = NULL;

	try(path_of(from, &path));
	auto_fd int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT && !from)
		return kmp_error_system(ENOENT, path,
					"this kernel was not booted with page_owner=on, or debugfs "
					"is not mounted");
	if (fd < 0 || !is_page_owner(fd))
		return NULL;
	/* Older kernels have no filter. */
	if (!set_filter(fd, "mode=", mode ? mode : "stack"))
		return NULL;
	if (nodes && !set_filter(fd, "nid=", nodes))
		return kmp_error_system(
			errno, path, "the kernel refuses the nodes %s; have they memory?", nodes);
	try(cli_output_open(args, &output));
	try(copy_records(fd, path, output.file));
	try(cli_output_commit(&output));
	*done = true;
	return NULL;
}
