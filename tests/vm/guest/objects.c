// SPDX-License-Identifier: GPL-2.0-only
/*
 * Has the kernel allocate objects of known kinds and numbers, and holds them for so long (or, with
 * -c, closes them at once). churn=N sends and receives N messages instead. Says "ready" on standard
 * error before it waits.
 *
 *     objects [-c] SECONDS KIND=N…
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { DESCRIPTORS_MAX = 1 << 19 };

static int descriptors[DESCRIPTORS_MAX];
static size_t held;

static void keep(int fd)
{
	if (fd < 0)
		err(1, "a descriptor");
	if (held == DESCRIPTORS_MAX)
		errx(1, "more than %d descriptors", DESCRIPTORS_MAX);
	descriptors[held++] = fd;
}

static void keep_pair(int failed, const int fds[2])
{
	if (failed)
		err(1, "two descriptors");
	keep(fds[0]);
	keep(fds[1]);
}

static void make_one(const char *kind)
{
	int fds[2];

	if (!strcmp(kind, "udp"))
		keep(socket(AF_INET, SOCK_DGRAM, 0));
	else if (!strcmp(kind, "tcp"))
		keep(socket(AF_INET, SOCK_STREAM, 0));
	else if (!strcmp(kind, "unix"))
		keep_pair(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), fds);
	else if (!strcmp(kind, "pipe"))
		keep_pair(pipe(fds), fds);
	else if (!strcmp(kind, "event"))
		keep(eventfd(0, 0));
	else if (!strcmp(kind, "epoll"))
		keep(epoll_create1(0));
	else if (!strcmp(kind, "timer"))
		keep(timerfd_create(CLOCK_MONOTONIC, 0));
	else if (!strcmp(kind, "open"))
		keep(open("/dev/null", O_RDONLY));
	else
		errx(2, "%s: no kind of object", kind);
}

/* A message sent is two objects, a message received frees them. */
static void churn(long messages)
{
	int fds[2];
	char byte = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		err(1, "socketpair");
	while (messages-- > 0) {
		if (write(fds[0], &byte, 1) != 1 || read(fds[1], &byte, 1) != 1)
			err(1, "a message");
	}
	close(fds[0]);
	close(fds[1]);
}

static void touch(long pages)
{
	char *p = mmap(NULL, (size_t)pages * 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	madvise(p, (size_t)pages * 4096, MADV_NOHUGEPAGE);
	while (pages-- > 0)
		p[(size_t)pages * 4096] = 1;
}

static void make(char *word)
{
	char *equals = strchr(word, '=');

	if (!equals)
		errx(2, "%s: not KIND=N", word);
	*equals = '\0';
	long number = strtol(equals + 1, NULL, 10);

	if (!strcmp(word, "churn"))
		churn(number);
	else if (!strcmp(word, "pages"))
		touch(number);
	else
		while (number-- > 0)
			make_one(word);
}

int main(int argc, char **argv)
{
	const struct rlimit limit = { DESCRIPTORS_MAX, DESCRIPTORS_MAX };
	int first = argc > 1 && !strcmp(argv[1], "-c") ? 2 : 1;

	if (argc <= first)
		errx(2, "usage: objects [-c] SECONDS KIND=N...");
	setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = first + 1; i < argc; i++)
		make(argv[i]);
	while (first == 2 && held)
		close(descriptors[--held]);
	fputs("ready\n", stderr);
	sleep((unsigned)strtoul(argv[first], NULL, 10));
	return 7;
}
