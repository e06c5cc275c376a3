// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocates so many MiB of one kind and holds them: what a recording must attribute. Or takes and
 * gives back anonymous memory and pipe buffers in turns, so that page frames change hands.
 *
 *     hold anon|huge|file|pipe|socket|churn MIB SECONDS [DIRECTORY]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void hold_memory(size_t mib, int advice)
{
	char *p = mmap(NULL, mib * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		fail("mmap");
	madvise(p, mib * MIB, advice);
	memset(p, 1, mib * MIB);
}

static void hold_file(size_t mib, const char *directory)
{
	static char buf[MIB];
	char path[4096];

	snprintf(path, sizeof(path), "%s/held", directory);
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);

	if (fd < 0)
		fail(path);
	for (size_t i = 0; i < mib; i++) {
		if (write(fd, buf, MIB) != MIB)
			fail("write");
	}
}

/* 64 KiB a pipe or socket, full to the brim. */
static void hold_buffers(size_t mib, int sockets)
{
	static char buf[4096];
	struct rlimit limit = { 65536, 65536 };
	size_t left = mib * MIB;

	setrlimit(RLIMIT_NOFILE, &limit);
	while (left) {
		int fds[2];
		ssize_t n;

		if (sockets ? socketpair(AF_UNIX, SOCK_STREAM, 0, fds) : pipe(fds))
			fail("pipe");
		fcntl(fds[1], F_SETFL, O_NONBLOCK);
		while (left && (n = write(fds[1], buf, sizeof(buf))) > 0)
			left -= (size_t)n < left ? (size_t)n : left;
	}
}

static void churn(size_t mib, time_t seconds)
{
	static char buf[65536];
	time_t end = time(NULL) + seconds;
	int fds[2];

	while (time(NULL) < end) {
		char *p = mmap(NULL, mib * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			       -1, 0);

		if (p == MAP_FAILED || pipe(fds))
			fail("churn");
		madvise(p, mib * MIB, MADV_NOHUGEPAGE);
		memset(p, 1, mib * MIB);
		munmap(p, mib * MIB);
		for (int i = 0; i < 64; i++) {
			if (write(fds[1], buf, sizeof(buf)) != sizeof(buf) ||
			    read(fds[0], buf, sizeof(buf)) != sizeof(buf))
				fail("pipe");
		}
		close(fds[0]);
		close(fds[1]);
	}
	exit(0);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	size_t mib = strtoul(argv[2], NULL, 10);

	if (!strcmp(argv[1], "anon"))
		hold_memory(mib, MADV_NOHUGEPAGE);
	else if (!strcmp(argv[1], "huge"))
		hold_memory(mib, MADV_HUGEPAGE);
	else if (!strcmp(argv[1], "file"))
		hold_file(mib, argc > 4 ? argv[4] : "/dev/shm");
	else if (!strcmp(argv[1], "pipe"))
		hold_buffers(mib, 0);
	else if (!strcmp(argv[1], "socket"))
		hold_buffers(mib, 1);
	else if (!strcmp(argv[1], "churn"))
		churn(mib, atoi(argv[3]));
	else
		return 2;
	sleep((unsigned)atoi(argv[3]));
	return 7;
}
