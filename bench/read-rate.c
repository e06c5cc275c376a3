// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a whole file in reads of one size, the first words (if any) written to it before. Prints
 * the median of several runs in seconds, and the bytes of one.
 *
 *     read-rate RUNS SIZE FILE [WORDS]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static double run(const char *path, const char *words, char *buf, size_t size, long long *bytes)
{
	int fd = open(path, words ? O_RDWR : O_RDONLY);
	double start = now();
	ssize_t got;

	if (fd < 0 || (words && write(fd, words, strlen(words)) < 0)) {
		perror(path);
		exit(1);
	}
	*bytes = 0;
	while ((got = read(fd, buf, size)) > 0)
		*bytes += got;
	if (got < 0) {
		perror(path);
		exit(1);
	}
	close(fd);
	return now() - start;
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	int runs = atoi(argv[1]);
	size_t size = strtoull(argv[2], NULL, 10);
	double *times = calloc((size_t)runs, sizeof(*times));
	char *buf = malloc(size);
	long long bytes = 0;

	if (!times || !buf)
		return 1;
	for (int i = 0; i < runs; i++)
		times[i] = run(argv[3], argc > 4 ? argv[4] : NULL, buf, size, &bytes);
	qsort(times, (size_t)runs, sizeof(*times), by_value);
	printf("%.6f %lld\n", times[runs / 2], bytes);
	return 0;
}
