// SPDX-License-Identifier: GPL-2.0-only
#include "source/kpage.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct kmp_error *kmp_kpage_open(const char *path, struct kmp_kpage *file)
{
	file->path = path;
	file->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (file->fd < 0)
		return kmp_error_system(errno, path, "cannot open");
	return NULL;
}

void kmp_kpage_close(struct kmp_kpage *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

struct kmp_error *kmp_kpage_read(const struct kmp_kpage *file, uint64_t first, uint64_t *values,
				 size_t count, size_t *got)
{
	const uint64_t last = INT64_MAX / sizeof(*values);
	size_t bytes = 0;

	*got = 0;
	if (first >= last)
		return NULL;
	if (count > last - first)
		count = (size_t)(last - first);
	while (bytes < count * sizeof(*values)) {
		/* The kernel answers in whole numbers; a file that was cut need not. */
		ssize_t n = pread(file->fd, (char *)values + bytes, count * sizeof(*values) - bytes,
				  (off_t)(first * sizeof(*values) + bytes));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return kmp_error_system(errno, file->path, "cannot read");
		if (n == 0)
			break;
		bytes += (size_t)n;
	}
	*got = bytes / sizeof(*values);
	return NULL;
}
