// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command several times, output thrown away, and prints the median of the wall-clock
 * seconds and the largest resident set in KiB.
 *
 *     measure RUNS COMMAND…
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS_MAX = 99 };

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

static void run(char **command)
{
	int null = open("/dev/null", O_WRONLY);

	dup2(null, STDOUT_FILENO);
	execvp(command[0], command);
	perror(command[0]);
	_exit(127);
}

int main(int argc, char **argv)
{
	int runs = argc > 2 ? atoi(argv[1]) : 0;
	double seconds[RUNS_MAX];
	long peak = 0;

	if (runs < 1 || runs > RUNS_MAX) {
		fputs("usage: measure RUNS COMMAND…\n", stderr);
		return 2;
	}
	for (int i = 0; i < runs; i++) {
		struct rusage usage;
		int status;
		double start = now();
		pid_t pid = fork();

		if (pid == 0)
			run(argv + 2);
		if (pid < 0 || wait4(pid, &status, 0, &usage) < 0) {
			perror("measure");
			return 1;
		}
		seconds[i] = now() - start;
		if (!WIFEXITED(status) || WEXITSTATUS(status)) {
			fprintf(stderr, "measure: %s: status %d\n", argv[2], status);
			return 1;
		}
		if (peak < usage.ru_maxrss)
			peak = usage.ru_maxrss;
	}
	qsort(seconds, (size_t)runs, sizeof(*seconds), by_value);
	printf("%.4f %ld\n", seconds[runs / 2], peak);
	return 0;
}
