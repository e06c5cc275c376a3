// SPDX-License-Identifier: GPL-2.0-only
/* page_owner: the words it takes, what is read after them, positions, sizes of buffers. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

enum { RECORD_MAX = 4096, ALL = 1 << 20 };

static const char *path;

/* What a record shows of the filter. */
struct shape {
	bool stack;
	bool handle;
	int node;
};

struct record {
	const char *text;
	size_t len;
	uint64_t pfn;
	struct shape shape;
};

/* The first of the records in len bytes; false where they begin with none that is whole. */
static bool parse(const char *text, size_t len, struct record *record)
{
	static const char begin[] = "Page allocated via order ";
	const char *end = memmem(text, len, "\n\n", 2);

	if (!end || strncmp(text, begin, strlen(begin)))
		return false;
	record->text = text;
	record->len = (size_t)(end + 2 - text);

	const char *pfn = memmem(text, record->len, "\nPFN 0x", 7);
	const char *node = memmem(text, record->len, "node=", 5);

	if (!pfn)
		return false;
	record->pfn = strtoull(pfn + 7, NULL, 16);
	record->shape.stack = memmem(text, record->len, "\n ", 2);
	record->shape.handle = memmem(text, record->len, "\nhandle: ", 9);
	record->shape.node = node ? atoi(node + 5) : -1;
	return true;
}

static bool read_record(int fd, struct record *record)
{
	static char buffer[2 * RECORD_MAX];
	ssize_t len = read(fd, buffer, sizeof(buffer));

	return len > 0 && parse(buffer, (size_t)len, record);
}

static void check_shape(int fd, const char *what, struct shape want)
{
	struct record r = { .pfn = UINT64_MAX };
	bool read = read_record(fd, &r);

	if (!check(read && !memcmp(&r.shape, &want, sizeof(want)), "%s: stack=%d handle=%d node=%d",
		   what, want.stack, want.handle, want.node))
		printf("#  got stack=%d handle=%d node=%d PFN %#" PRIx64 "\n", r.shape.stack,
		       r.shape.handle, r.shape.node, r.pfn);
}

/* Everything that is to be known: the PFNs, by records of any number a read. */
static uint64_t *pfns;
static size_t pfn_count;

static void read_all(void)
{
	int fd = open_or_die(path, O_RDWR);
	char *buffer = malloc(ALL);
	bool whole = true;
	ssize_t len = write(fd, "mode=handle", 11);

	while (whole && (len = read(fd, buffer, ALL)) > 0) {
		struct record r;

		for (const char *p = buffer; whole && p < buffer + len; p += r.len) {
			whole = parse(p, (size_t)(buffer + len - p), &r);
			if (!(pfn_count & (pfn_count - 1)))
				pfns = realloc(pfns,
					       (pfn_count ? 2 * pfn_count : 1) * sizeof(*pfns));
			if (whole)
				pfns[pfn_count++] = r.pfn;
		}
	}
	check_call("the last read", len, 0, 0);
	for (size_t i = 1; i < pfn_count; i++)
		whole = whole && pfns[i] > pfns[i - 1];
	check(whole && pfn_count > 1000, "all of handle mode is whole records in order");
	free(buffer);
	close(fd);
}

/* The first allocation at or after a PFN: exactly, where nothing changes meanwhile. */
static bool is_first_from(uint64_t got, uint64_t from)
{
	size_t i = 0;

	if (!on_fuse)
		return got >= from;
	while (i < pfn_count && pfns[i] < from)
		i++;
	return i < pfn_count && pfns[i] == got;
}

struct input {
	const char *text;
	int error; /* 0: it is taken */
	struct shape shape;
	size_t len; /* 0: that of the text */
};

static const struct shape plain = { true, false, 0 };

#define TAKEN(text, stack, handle, node)                                                           \
	{                                                                                          \
		text, 0, { stack, handle, node }, 0                                                \
	}
#define REFUSED(text, error)                                                                       \
	{                                                                                          \
		text, error, { true, false, 0 }, 0                                                 \
	}

static const struct input inputs[] = {
	/* As recorded. */
	TAKEN("mode=stack", 1, 0, 0),
	TAKEN("mode=handle", 0, 1, 0),
	TAKEN("mode=stack_handle", 1, 1, 0),
	TAKEN("mode=handle\n", 0, 1, 0),
	TAKEN(" mode=handle  nid=1\n", 0, 1, 1),
	TAKEN("nid=1\nmode=handle\n", 0, 1, 1),
	REFUSED("mode=HANDLE", EINVAL),
	REFUSED("mode=", EINVAL),
	REFUSED("mode=stac", EINVAL),
	TAKEN("mode=handle mode=stack", 1, 0, 0),
	TAKEN("nid=0", 1, 0, 0),
	TAKEN("nid=1", 1, 0, 1),
	TAKEN("nid=0,1", 1, 0, 0),
	TAKEN("nid=0-1", 1, 0, 0),
	TAKEN("nid=0-1,1", 1, 0, 0),
	REFUSED("nid=", EINVAL),
	REFUSED("nid=2", EINVAL),
	REFUSED("nid=1-0", EINVAL),
	REFUSED("nid=-1", EINVAL),
	REFUSED("nid=0-", EINVAL),
	REFUSED("nid=a", EINVAL),
	REFUSED("nid=all", EINVAL),
	TAKEN("nid=0-1:1/2", 1, 0, 0),
	REFUSED("nid=N", EINVAL),
	REFUSED("nid=0x1", EINVAL),
	TAKEN("nid=01", 1, 0, 1),
	REFUSED("nid= 1", EINVAL),
	REFUSED("foo", EINVAL),
	REFUSED("mode=handle foo", EINVAL),
	TAKEN("nid=1 nid=0", 1, 0, 0),
	TAKEN("", 1, 0, 0),
	TAKEN(" ", 1, 0, 0),
	TAKEN("\n\n", 1, 0, 0),
	REFUSED("mode=handle,nid=1", EINVAL),
	TAKEN("nid=,1", 1, 0, 1),
	TAKEN("nid=1,", 1, 0, 1),
	REFUSED("nid=99999999999", EOVERFLOW),
	{ "mode=handle\0nid=1", 0, { false, true, 0 }, 17 },
	/* Asked of the same kernel for this table. */
	TAKEN("\tmode=handle\tnid=1\t", 0, 1, 1),
	TAKEN("nid=0,,1", 1, 0, 0),
	TAKEN("nid=00001", 1, 0, 1),
	TAKEN("nid=1-1", 1, 0, 1),
	TAKEN("nid=1-1:1/1", 1, 0, 1),
	TAKEN("nid=0-1:2/2", 1, 0, 0),
	TAKEN("nid=0-1:1/3", 1, 0, 0),
	TAKEN("nid=1\r", 1, 0, 1),
	TAKEN("nid=\v1", 1, 0, 1),
	TAKEN("nid=\xa0"
	      "1",
	      1, 0, 1),
	TAKEN("nid=0-0:1/1,1-1:1/1", 1, 0, 0),
	{ "nid=1\0,0", 0, { true, false, 1 }, 8 },
	{ "\0nid=7", 0, { true, false, 0 }, 6 },
	REFUSED("mode=handle\r", EINVAL),
	REFUSED("mode=handle\v", EINVAL),
	REFUSED("MODE=handle", EINVAL),
	REFUSED("mode =handle", EINVAL),
	REFUSED("mode=handle nid=2", EINVAL),
	REFUSED("nid=1 mode=", EINVAL),
	REFUSED("nid=1:1/1", EINVAL),
	REFUSED("nid=0-1:3/2", EINVAL),
	REFUSED("nid=0-1:0/1", EINVAL),
	REFUSED("nid=0-1:0/0", EINVAL),
	REFUSED("nid=0-1:1/", EINVAL),
	REFUSED("nid=0-1:/2", EINVAL),
	REFUSED("nid=0-1/2", EINVAL),
	REFUSED("nid=+1", EINVAL),
	REFUSED("nid=1;0", EINVAL),
	REFUSED("nid=ALL", EINVAL),
	REFUSED("nid=all:1/2", EINVAL),
	REFUSED("nid=n", EINVAL),
	REFUSED("nid=0-N", EINVAL),
	REFUSED("nid=63", EINVAL),
	REFUSED("nid=64", ERANGE),
	REFUSED("nid=0-64", ERANGE),
	REFUSED("nid=4294967294", ERANGE),
	REFUSED("nid=4294967295", EINVAL),
	REFUSED("nid=4294967296", EOVERFLOW),
	REFUSED("nid=0-1:1/4294967296", EOVERFLOW),
	REFUSED("nid=99999999999999999999", EOVERFLOW),
};

static void check_inputs(void)
{
	for (size_t i = 0; i < sizeof(inputs) / sizeof(*inputs); i++) {
		const struct input *in = &inputs[i];
		size_t len = in->len ? in->len : strlen(in->text);
		int fd = open_or_die(path, O_RDWR);
		char what[600];

		snprintf(what, sizeof(what), "write \"%s\"", shown(in->text, len));
		check_call(what, write(fd, in->text, len), in->error ? -1 : (long)len, in->error);
		check_shape(fd, "  then the first record", in->shape);
		close(fd);
	}
}

static void check_longest(void)
{
	long longest = 32 + 6 * max_nodes;
	size_t huge = 3 << 20;
	char *blanks = malloc(huge);
	int fd = open_or_die(path, O_RDWR);

	memset(blanks, ' ', huge);
	check_call("write of the longest text", write(fd, blanks, (size_t)longest), longest, 0);
	check_shape(fd, "  moves no position", plain);
	check_call("a byte more", write(fd, blanks, (size_t)longest + 1), -1, EINVAL);
	check_call("3 MiB", write(fd, blanks, huge), -1, EINVAL);
	check_call("write from a bad pointer", write(fd, bad_pointer, 10), -1, EFAULT);
	free(blanks);
	close(fd);
}

/* The next record of a descriptor must be the one from this PFN on. */
static void check_next(int fd, const char *what, uint64_t from)
{
	struct record r = { 0 };
	bool read = read_record(fd, &r);

	if (!check(read && is_first_from(r.pfn, from), "%s: the first from PFN %" PRIu64, what,
		   from))
		printf("#  got PFN %" PRIu64 "\n", r.pfn);
}

static void check_descriptors(void)
{
	const struct shape handle = { false, true, 1 }, stack = { true, false, 1 };
	int fd = open_or_die(path, O_RDWR), other = open_or_die(path, O_RDWR);
	int copy;
	struct record r;

	check_call("handle and node 1", write(fd, "mode=handle nid=1", 17), 17, 0);
	check_call("one bad word", write(fd, "mode=stack nid=0 foo", 20), -1, EINVAL);
	check_shape(fd, "  changes nothing", handle);
	check_call("in mid-read", write(fd, "mode=stack", 10), 10, 0);
	check_shape(fd, "  the next record is of the new mode", stack);
	check_shape(other, "another descriptor", plain);
	copy = dup(other);
	check_call("handle", write(other, "mode=handle", 11), 11, 0);
	check(read_record(copy, &r) && r.shape.handle && !r.shape.stack, "dup() shares");
	close(copy);
	close(other);
	close(fd);
	fd = open_or_die(path, O_RDONLY);
	check_call("write on O_RDONLY", write(fd, "mode=handle", 11), -1, EBADF);
	close(fd);
	fd = open_or_die(path, O_WRONLY);
	check_call("read on O_WRONLY", read(fd, &r, 1), -1, EBADF);
	close(fd);
}

/* A buffer must have room for the record and a byte more. */
static void check_sizes(void)
{
	static char buffer[2 * RECORD_MAX];
	int fd = open_or_die(path, O_RDWR);
	ssize_t len = pread(fd, buffer, sizeof(buffer), 0);
	struct record first = { 0 }, r;

	if (!check(len > 0 && parse(buffer, (size_t)len, &first), "the first record"))
		return;
	/* The kernel's file tells that nothing fits into nothing; FUSE is not asked. */
	check_call("read of 0 bytes", read(fd, buffer, 0), on_fuse ? 0 : -1, on_fuse ? 0 : ENOMEM);
	for (size_t size = 1; size < first.len; size *= 2)
		check_call("read into a small buffer", read(fd, buffer, size), -1, ENOMEM);
	check_call("a byte too small", read(fd, buffer, first.len), -1, ENOMEM);
	check_call("just large enough", read(fd, buffer, first.len + 1), (long)first.len, 0);
	check_call("read to a bad pointer", read(fd, bad_pointer, RECORD_MAX), -1, EFAULT);
	for (size_t size = 512; size <= sizeof(buffer); size *= 2) {
		len = read(fd, buffer, size);
		check(len > 0 && parse(buffer, (size_t)len, &r) && buffer[len - 1] == '\n' &&
			      buffer[len - 2] == '\n',
		      "read of %zu bytes: whole records", size);
	}
	close(fd);
}

static void check_positions(void)
{
	static char buffer[2 * RECORD_MAX];
	int fd = open_or_die(path, O_RDWR);
	struct record r;
	struct stat st;

	check(!fstat(fd, &st) && S_ISREG(st.st_mode) && (st.st_mode & 07777) == 0600 && !st.st_size,
	      "mode 0600, size 0");
	/* FUSE knows positions in bytes only, and answers by the size. */
	check_call("lseek to the end", lseek(fd, 0, SEEK_END), on_fuse ? 0 : -1,
		   on_fuse ? 0 : EINVAL);
	check_call("lseek to 5000", lseek(fd, 5000, SEEK_SET), 5000, 0);
	check_call("lseek 1000 on", lseek(fd, 1000, SEEK_CUR), 6000, 0);
	check_next(fd, "  there", 6000);
	check_call("write in between", write(fd, "mode=handle  ", 13), 13, 0);

	ssize_t len = pread(fd, buffer, sizeof(buffer), 9000);

	check(len > 0 && parse(buffer, (size_t)len, &r) && is_first_from(r.pfn, 9000),
	      "pread at 9000");
	check_call("back to 5000", lseek(fd, 5000, SEEK_SET), 5000, 0);
	check(read_record(fd, &r) && is_first_from(r.pfn, 5000), "  the first from PFN 5000");
	check_call("lseek far", lseek(fd, 1ll << 40, SEEK_SET), 1ll << 40, 0);
	check_call("  read there", read(fd, buffer, sizeof(buffer)), 0, 0);
	/* The kernel keeps the negative position, which libc takes for an errno. */
	check_call("lseek to -10", lseek(fd, -10, SEEK_SET), -1, on_fuse ? EINVAL : 10);
	check_call("  read there", read(fd, buffer, sizeof(buffer)), on_fuse ? 0 : -1,
		   on_fuse ? 0 : EINVAL);
	check_call("back to the start", lseek(fd, 0, SEEK_SET), 0, 0);
	check_next(fd, "  there", 0);
	close(fd);
}

/* Small reads with writes and reads elsewhere in between go on with the next record all the same.
 */
static void check_sequence(void)
{
	static char buffer[RECORD_MAX], there[RECORD_MAX];
	static const char *const modes[] = { "mode=stack", "mode=handle", "mode=stack_handle",
					     "nid=0-1" };
	int fd = open_or_die(path, O_RDWR);
	bool whole = true;
	uint64_t last = 0;
	size_t i = 0;

	for (unsigned round = 0; whole && i < pfn_count && round < 3000; round++) {
		const char *mode = modes[round % 4];
		ssize_t len = read(fd, buffer, 1024 + round % 7 * 512);
		struct record r;

		whole = len > 0;
		for (const char *p = buffer; whole && p < buffer + len; p += r.len) {
			whole = parse(p, (size_t)(buffer + len - p), &r) &&
				(on_fuse ? r.pfn == pfns[i++] : r.pfn > last);
			last = r.pfn;
		}
		if (round % 3 == 0)
			whole = whole && write(fd, mode, strlen(mode)) == (ssize_t)strlen(mode);
		if (round % 5 == 0)
			whole = whole && pread(fd, there, sizeof(there), 4000 + round) > 0;
	}
	check(whole, "small reads, writes and preads in between: every record once");
	close(fd);
}

void check_page_owner(const char *file)
{
	path = file;
	read_all();
	check_inputs();
	check_longest();
	check_descriptors();
	check_sizes();
	check_positions();
	check_sequence();
}
