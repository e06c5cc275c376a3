// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory whose course over time the tests know. Each kind takes another way through the kernel, so
 * that each has a stack of its own:
 *
 *     course pipes SECONDS    an order-2 page each tenth of a second, which is never given back,
 *                             for ever
 *     course sockets SECONDS  a hundred sockets a second, likewise
 *     course churn SECONDS    anonymous memory that rises and falls at random
 *     course spike SECONDS    shared memory for a moment, a third into the time
 *     course step SECONDS     memory that is populated half into the time, and kept
 *
 * What is held is held until it is killed.
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

static struct timespec start;

/* Until so many milliseconds after the start, whatever else took time. */
static void until(uint64_t ms)
{
	struct timespec t = start;

	t.tv_sec += (time_t)(ms / 1000);
	t.tv_nsec += (long)(ms % 1000) * 1000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_sec++;
		t.tv_nsec -= 1000000000;
	}
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
		;
}

/* A pipe of 256 buffers of 40 bytes has its list of them in four pages. */
static void pipes(uint64_t seconds __attribute__((unused)))
{
	for (uint64_t i = 0;; i++) {
		int ends[2];

		until(i * 100);
		if (pipe(ends) || fcntl(ends[0], F_SETPIPE_SZ, 256 * 4096) < 0)
			err(1, "pipe");
		close(ends[1]);
	}
}

static void sockets(uint64_t seconds __attribute__((unused)))
{
	for (uint64_t i = 0;; i++) {
		int ends[2];

		until(i * 20);
		if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends))
			err(1, "socketpair");
	}
}

static char *map(size_t size, int flags)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);

	if (memory == MAP_FAILED)
		err(1, "mmap");
	madvise(memory, size, MADV_NOHUGEPAGE);
	return memory;
}

static void churn(uint64_t seconds)
{
	uint32_t random = 12345;

	for (uint64_t i = 0; i < seconds * 8; i++) {
		random = random * 1664525 + 1013904223;
		size_t size = (1 + random / (UINT32_MAX / 12)) * MIB;
		char *memory = map(size, MAP_PRIVATE);

		memset(memory, 1, size);
		until((i + 1) * 250);
		munmap(memory, size);
	}
}

static void spike(uint64_t seconds)
{
	until(seconds * 1000 / 3);
	char *memory = map(16 * MIB, MAP_SHARED);

	memset(memory, 1, 16 * MIB);
	until(seconds * 1000 / 3 + seconds * 50);
	munmap(memory, 16 * MIB);
}

static void step(uint64_t seconds)
{
	until(seconds * 1000 / 2);
	char *memory = map(8 * MIB, MAP_PRIVATE);

	if (madvise(memory, 8 * MIB, MADV_POPULATE_WRITE))
		err(1, "madvise");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(uint64_t seconds);
	} kinds[] = { { "pipes", pipes },
		      { "sockets", sockets },
		      { "churn", churn },
		      { "spike", spike },
		      { "step", step } };
	struct rlimit files = { 65536, 65536 };

	if (argc != 3)
		errx(2, "usage: course KIND SECONDS");
	setrlimit(RLIMIT_NOFILE, &files);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(kinds[i].name, argv[1]) != 0)
			continue;
		prctl(PR_SET_NAME, argv[1]);
		kinds[i].run(strtoull(argv[2], NULL, 10));
		pause();
	}
	errx(2, "%s: no such kind", argv[1]);
}
