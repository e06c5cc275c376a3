// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes and gives back so many anonymous 4 KiB pages, some at a time, and prints the nanoseconds
 * of processor time that one takes:
 *
 *     fault PAGES
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { PAGE = 4096, AT_ONCE = 8192 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void pass(void)
{
	char *p = mmap(NULL, (size_t)AT_ONCE * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || madvise(p, (size_t)AT_ONCE * PAGE, MADV_NOHUGEPAGE)) {
		perror("fault");
		exit(1);
	}
	for (size_t i = 0; i < AT_ONCE; i++)
		p[i * PAGE] = 1;
	munmap(p, (size_t)AT_ONCE * PAGE);
}

int main(int argc, char **argv)
{
	size_t pages = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
	size_t passes = (pages + AT_ONCE - 1) / AT_ONCE;

	pass(); /* what there is to be warm is warm */
	double start = now();

	for (size_t i = 0; i < passes; i++)
		pass();
	printf("%.1f\n", (now() - start) / (double)(passes * AT_ONCE));
	return 0;
}
