// SPDX-License-Identifier: GPL-2.0-only
#include "source/native.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "source/zones.h"

/*
 * A range that one parser reads at a time: its text and records stay in the processor's cache, and
 * the last parser is not waited for long.
 */
enum { RANGE_PFNS = 2048 };

bool kmp_native_is(const char *path)
{
	struct statfs fs;
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !statfs(path, &fs) &&
	       fs.f_type == DEBUGFS_MAGIC;
}

static bool takes(int fd, const char *words)
{
	size_t len = strlen(words);

	return write(fd, words, len) == (ssize_t)len;
}

static const char *mode_name(enum kmp_mode mode, bool resolved)
{
	switch (mode) {
	case KMP_MODE_STACK:
		return "stack";
	case KMP_MODE_HANDLE:
		return "handle";
	case KMP_MODE_STACK_HANDLE:
		return "stack_handle";
	case KMP_MODE_AS_READ:
		break;
	}
	return resolved ? "handle" : "stack";
}

/*
 * Each capability is tried, not told by a version. Filters: "mm/page_owner: add print_mode" and its
 * followers, 7.3.
 */
static struct kmp_error *probe_filter(struct kmp_native *n, int fd, bool resolved,
				      const struct kmp_source_options *options)
{
	const char *mode = mode_name(options->mode, resolved);
	auto_free char *words = NULL;

	n->mode = "stack";
	if (!takes(fd, "mode=stack"))
		return NULL;
	n->mode = mode;
	if (asprintf(&words, "mode=%s%s%s", mode, options->nodes ? " nid=" : "",
		     options->nodes ? options->nodes : "") < 0) {
		words = NULL;
		return &kmp_error_no_memory;
	}
	if (!takes(fd, words))
		return kmp_error_system(errno, n->path,
					"the kernel refuses the nodes %s; have they memory?",
					options->nodes ? options->nodes : "");
	n->nodes = options->nodes != NULL;
	n->filter = no_free(words);
	return NULL;
}

/*
 * Positions that are PFNs: "mm/page_owner: support llseek", 6.1. Before, a position counts from
 * the lowest PFN, or cannot be set.
 */
static bool probe_seek(int fd)
{
	char record[65536];
	off_t first;
	off_t again;

	if (read(fd, record, sizeof(record)) <= 0)
		return false;
	first = lseek(fd, 0, SEEK_CUR);
	if (first <= 0 || lseek(fd, first - 1, SEEK_SET) != first - 1)
		return false;
	char *pfn = memmem(record, sizeof(record), "\nPFN ", 5);
	uint64_t printed = pfn ? strtoull(pfn + 5, NULL, 0) : UINT64_MAX;

	if (read(fd, record, sizeof(record)) <= 0)
		return false;
	again = lseek(fd, 0, SEEK_CUR);
	return again == first && printed == (uint64_t)first - 1;
}

static struct kmp_error *add_ranges(struct kmp_native *n, uint64_t from, uint64_t to)
{
	/* Zones may overlap where nodes are interleaved: what was there is not read again. */
	if (n->ranges.len && from < n->ranges.data[n->ranges.len - 1].to)
		from = n->ranges.data[n->ranges.len - 1].to;
	for (uint64_t end; from < to; from = end) {
		end = (from / RANGE_PFNS + 1) * RANGE_PFNS;
		if (end > to)
			end = to;
		n->total += end - from;
		try(vec_push(&n->ranges, (struct kmp_pfn_span){ from, end }));
	}
	return NULL;
}

static struct kmp_error *find_ranges(struct kmp_native *n)
{
	struct kmp_zones zones cleanup(kmp_zones_deinit) = { 0 };

	if (n->seek)
		try(kmp_zones_load("/proc/zoneinfo", &zones));
	for (size_t i = 0; i < zones.zones.len; i++) {
		const struct kmp_zone *z = &zones.zones.data[i];

		try(add_ranges(n, z->first, z->first + z->count));
	}
	/* Whatever zoneinfo leaves out: memory that came later, or all of it without seeking. */
	uint64_t end = n->ranges.len ? n->ranges.data[n->ranges.len - 1].to : 0;

	return vec_push(&n->ranges, (struct kmp_pfn_span){ end, UINT64_MAX });
}

struct kmp_error *kmp_native_init(struct kmp_native *n, const char *path, bool resolved,
				  const struct kmp_source_options *options)
{
	*n = (struct kmp_native){ .path = strdup(path) };
	if (!n->path)
		return &kmp_error_no_memory;
	auto_fd int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		try(probe_filter(n, fd, resolved, options));
	else
		n->mode = "stack";
	if (fd < 0) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return kmp_error_system(errno, path, "cannot open");
	}
	n->seek = probe_seek(fd);
	return find_ranges(n);
}

void kmp_native_deinit(struct kmp_native *n)
{
	free(n->path);
	free(n->filter);
	vec_deinit(&n->ranges);
}
