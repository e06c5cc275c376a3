// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a command, or two with a pipe between them, costs: runs it several times, output thrown away
 * unless the shell's `> FILE` is told by -o, and prints the least wall-clock seconds of a run and
 * the mean CPU seconds of its processes.
 *
 *     cost [-o FILE] RUNS COMMAND… ['|' COMMAND…]
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Of all children that have ended. The kernel scales both so that their sum is exact. */
static double cpu(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void start(char **command, int input, int output, int unused)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid)
		return;
	dup2(input, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	close(input);
	close(output);
	if (unused >= 0)
		close(unused);
	execvp(command[0], command);
	err(127, "%s", command[0]);
}

static void run(char **first, char **second, const char *path)
{
	int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int ends[2];
	int status;

	if (output < 0)
		err(1, "%s", path);
	if (second) {
		if (pipe(ends))
			err(1, "pipe");
		start(first, input, ends[1], ends[0]);
		start(second, ends[0], output, ends[1]);
		close(ends[0]);
		close(ends[1]);
	} else {
		start(first, input, output, -1);
	}
	close(input);
	close(output);
	while (wait(&status) > 0)
		if (status)
			errx(1, "%s%s%s: a command failed", first[0], second ? " | " : "",
			     second ? second[0] : "");
}

int main(int argc, char **argv)
{
	const char *path = "/dev/null";
	double least = 1e9;
	char **second = NULL;
	int runs;

	if (argc > 3 && !strcmp(argv[1], "-o")) {
		path = argv[2];
		argv += 2;
		argc -= 2;
	}
	runs = argc > 2 ? atoi(argv[1]) : 0;
	if (runs < 1)
		errx(2, "usage: cost [-o FILE] RUNS COMMAND... ['|' COMMAND...]");
	for (int i = 3; i < argc && !second; i++) {
		if (strcmp(argv[i], "|") != 0)
			continue;
		argv[i] = NULL;
		second = argv + i + 1;
	}
	for (int i = 0; i < runs; i++) {
		double begin = now();

		run(argv + 2, second, path);
		if (now() - begin < least)
			least = now() - begin;
	}
	printf("%.6f %.6f\n", least, cpu() / runs);
	return 0;
}
