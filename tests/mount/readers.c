// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many readers at once, each with a filter, a size of buffer and a way of its own, and each checked
 * against the bytes that are its to get:
 *
 *     readers SECONDS DIR PAGE_OWNER ALLOCINFO     of the mount at DIR; the files in mode
 *                                                  stack_handle and as text 2.0
 *     readers --opens COUNT DIR                    opens, asks, reads a little, closes
 *
 * Prints a line, and fails with the first difference.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "format/allocinfo_uapi.h"

enum { READERS = 64, FILTERS = 9, CHUNK = 1 << 20 };

struct text {
	char *bytes;
	size_t len;
};

/* A record of an expected text. */
struct place {
	uint64_t pfn;
	size_t offset;
};

struct expected {
	struct text text;
	struct place *places;
	size_t count;
};

static const char *const modes[] = { "stack", "handle", "stack_handle" };
static const char *const nodes[] = { "0-1", "0", "1" };
static const size_t sizes[] = { 4096, 8192, 65536, 131072, 262144, 1000000, CHUNK, 4 * CHUNK };

static struct expected expected[FILTERS]; /* modes x nodes */
static struct text tags;
static char path[2][4096]; /* page_owner, allocinfo */
static time_t deadline;
static _Atomic uint64_t total;
static _Atomic uint64_t passes;

static void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

static void fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	_exit(1);
}

static bool in_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec < deadline;
}

static struct text read_whole(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	struct stat st;
	struct text text;

	if (fd < 0 || fstat(fd, &st))
		fail("%s: %s", name, strerror(errno));
	text.len = (size_t)st.st_size;
	text.bytes = malloc(text.len + 1);
	for (size_t done = 0; done < text.len;) {
		ssize_t n = read(fd, text.bytes + done, text.len - done);

		if (n <= 0)
			fail("%s: cannot read", name);
		done += (size_t)n;
	}
	text.bytes[text.len] = '\0';
	close(fd);
	return text;
}

/* A record of mode stack_handle as another mode prints it. */
static size_t put_record(char *to, const char *record, size_t len, unsigned mode)
{
	const char *end = record + len;
	const char *stack = memmem(record, len, "\n ", 2);
	const char *handle = memmem(record, len, "\nhandle: ", 9);
	char *p = to;

	if (!handle)
		fail("no record of mode stack_handle: %.200s", record);
	if (!stack)
		stack = handle;

	const char *trailer =
		(const char *)memchr(handle + 1, '\n', (size_t)(end - handle - 1)) + 1;

	p = mempcpy(p, record, (size_t)(stack + 1 - record));
	if (mode != 1)
		p = mempcpy(p, stack + 1, (size_t)(handle - stack));
	if (mode != 0)
		p = mempcpy(p, handle + 1, (size_t)(trailer - handle - 1));
	p = mempcpy(p, trailer, (size_t)(end - trailer));
	return (size_t)(p - to);
}

static void expect(const struct text *all, struct expected *e, unsigned mode, unsigned node)
{
	const char *end = all->bytes + all->len;

	e->text.bytes = malloc(all->len);
	for (const char *p = all->bytes; p < end;) {
		const char *next = (const char *)memmem(p, (size_t)(end - p), "\n\n", 2) + 2;
		const char *pfn = memmem(p, (size_t)(next - p), "\nPFN 0x", 7);
		const char *on = memmem(p, (size_t)(next - p), "node=", 5);

		if (!node || on[5] == *nodes[node]) {
			if (!(e->count & (e->count - 1)))
				e->places = realloc(e->places, (e->count ? 2 * e->count : 1) *
								       sizeof(*e->places));
			e->places[e->count++] =
				(struct place){ strtoull(pfn + 7, NULL, 16), e->text.len };
			e->text.len += put_record(e->text.bytes + e->text.len, p,
						  (size_t)(next - p), mode);
		}
		p = next;
	}
}

/* Read on from a place of the expected text, to its end or so many bytes. */
static void read_on(int fd, const struct expected *e, size_t at, size_t until, char *buffer,
		    size_t size)
{
	while (at < until && in_time()) {
		ssize_t n = read(fd, buffer, size);

		if (n <= 0)
			fail("at %zu of %zu: read of %zu bytes -> %zd %s", at, e->text.len, size, n,
			     strerror(errno));
		if ((size_t)n > e->text.len - at || memcmp(buffer, e->text.bytes + at, (size_t)n))
			fail("at %zu: other bytes", at);
		at += (size_t)n;
		if (n < 2 || buffer[n - 1] != '\n' || buffer[n - 2] != '\n')
			fail("at %zu: a torn record", at);
		total += (uint64_t)n;
	}
	if (at == e->text.len && read(fd, buffer, size) != 0)
		fail("more than expected");
}

enum { SEEKS = 20 };

static bool is_end(const off_t *ends, int count, off_t offset)
{
	for (int i = 0; i < count; i++) {
		if (ends[i] == offset)
			return true;
	}
	return false;
}

static void read_pages(unsigned number, unsigned *seed, char *buffer)
{
	unsigned filter = number % FILTERS;
	const struct expected *e = &expected[filter];
	size_t size = sizes[number % (sizeof(sizes) / sizeof(*sizes))];
	int fd = open(path[0], O_RDWR | O_CLOEXEC);
	char words[64];
	int len = snprintf(words, sizeof(words), "mode=%s nid=%s\n", modes[filter / 3],
			   nodes[filter % 3]);

	if (fd < 0 || write(fd, words, (size_t)len) != len)
		fail("open or write: %s", strerror(errno));
	if (rand_r(seed) % 2) {
		read_on(fd, e, 0, e->text.len, buffer, size);
		passes++;
	}
	/* FUSE counts bytes: an offset at which a read ended goes on there, and is no PFN. */
	off_t ends[SEEKS];
	int count = 0;

	while (count < SEEKS && in_time()) {
		size_t k = (size_t)rand_r(seed) % e->count;
		const struct place *place = &e->places[k];

		/* Any PFN behind the one before finds it. */
		uint64_t pfn = k ? e->places[k - 1].pfn + 1 : 1;

		pfn += (unsigned)rand_r(seed) % (place->pfn - pfn + 1);
		if (is_end(ends, count, (off_t)pfn))
			continue;
		if (lseek(fd, (off_t)pfn, SEEK_SET) != (off_t)pfn)
			fail("lseek: %s", strerror(errno));
		read_on(fd, e, place->offset, place->offset + 1, buffer, size);
		ends[count++] = lseek(fd, 0, SEEK_CUR);
	}
	close(fd);
}

static void read_tags(char *buffer)
{
	int fd = open(path[1], O_RDONLY | O_CLOEXEC);
	size_t at = 0, lines = 0, found = 0;
	struct kmp_allocinfo_get_at get = { 0 };
	ssize_t n;

	while ((n = read(fd, buffer, 10000)) > 0) {
		if ((size_t)n > tags.len - at || memcmp(buffer, tags.bytes + at, (size_t)n))
			fail("allocinfo at %zu: other bytes", at);
		at += (size_t)n;
		total += (uint64_t)n;
		/* In between, the ioctls go their own way. */
		for (int i = 0; i < 200; i++)
			found += !ioctl(fd, KMP_ALLOCINFO_IOC_GET_NEXT, &get.data);
	}
	if (n || at != tags.len)
		fail("allocinfo: %zu bytes of %zu", at, tags.len);
	for (const char *p = tags.bytes; (p = strchr(p, '\n')); p++)
		lines++;
	if (ioctl(fd, KMP_ALLOCINFO_IOC_GET_AT, &get))
		fail("GET_AT: %s", strerror(errno));
	for (found = 1; !ioctl(fd, KMP_ALLOCINFO_IOC_GET_NEXT, &get.data);)
		found++;
	if (found != lines - 2)
		fail("allocinfo: %zu tags of %zu", found, lines - 2);
	passes++;
	close(fd);
}

static void *reader(void *arg)
{
	unsigned number = (unsigned)(uintptr_t)arg;
	char *buffer = malloc(4 * CHUNK);
	unsigned seed = number;

	do {
		if (number % 8 == 7)
			read_tags(buffer);
		else
			read_pages(number, &seed, buffer);
	} while (in_time());
	free(buffer);
	return NULL;
}

static void read_for(int seconds)
{
	pthread_t threads[READERS];
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	deadline = now.tv_sec + seconds;
	for (uintptr_t i = 0; i < READERS; i++) {
		if (pthread_create(&threads[i], NULL, reader, (void *)i))
			fail("cannot start a thread");
	}
	for (unsigned i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	printf("%d readers, %d s: %llu passes, %.1f GB\n", READERS, seconds,
	       (unsigned long long)passes, (double)total / 1e9);
}

static void open_often(long count)
{
	static const char filter[] = "mode=handle nid=1";
	static char buffer[CHUNK];
	struct kmp_allocinfo_get_at get = { 0 };

	for (long i = 0; i < count; i++) {
		int fd = open(path[i % 2], (i % 2 ? O_RDONLY : O_RDWR) | O_CLOEXEC);

		if (fd < 0)
			fail("open number %ld: %s", i, strerror(errno));
		if (i % 4 == 1 && ioctl(fd, KMP_ALLOCINFO_IOC_GET_AT, &get))
			fail("GET_AT: %s", strerror(errno));
		if (i % 4 == 0 && write(fd, filter, strlen(filter)) < 0)
			fail("write: %s", strerror(errno));
		if (i % 8 < 6 && read(fd, buffer, 4096u << i % 9) <= 0)
			fail("read: %s", strerror(errno));
		close(fd);
	}
	printf("%ld opens\n", count);
}

int main(int argc, char **argv)
{
	bool opens = argc == 4 && !strcmp(argv[1], "--opens");

	if (!opens && argc != 5)
		return 2;
	snprintf(path[0], sizeof(path[0]), "%s/page_owner", argv[opens ? 3 : 2]);
	snprintf(path[1], sizeof(path[1]), "%s/allocinfo", argv[opens ? 3 : 2]);
	if (opens) {
		open_often(atol(argv[2]));
		return 0;
	}

	struct text all = read_whole(argv[3]);

	tags = read_whole(argv[4]);
	for (unsigned i = 0; i < FILTERS; i++)
		expect(&all, &expected[i], i / 3, i % 3);
	read_for(atoi(argv[1]));
	return 0;
}
