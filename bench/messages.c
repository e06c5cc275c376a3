// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages through a socketpair: each is two kernel objects allocated and freed, and little else.
 * Prints the CPU time of one message in nanoseconds, of the quickest of some rounds: the machine
 * has other work.
 *
 *     messages ROUNDS MESSAGES
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double round_of(const int fds[2], long messages)
{
	double start = seconds();
	char byte = 0;

	for (long i = 0; i < messages; i++) {
		if (write(fds[0], &byte, 1) != 1 || read(fds[1], &byte, 1) != 1)
			err(1, "a message");
	}
	return seconds() - start;
}

int main(int argc, char **argv)
{
	double best = 1e9;
	int fds[2];

	if (argc != 3 || socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		errx(2, "usage: messages ROUNDS MESSAGES");
	long messages = strtol(argv[2], NULL, 10);

	for (long left = strtol(argv[1], NULL, 10); left > 0; left--) {
		double time = round_of(fds, messages);

		if (time < best)
			best = time;
	}
	printf("message %.1f ns\n", best / (double)messages * 1e9);
	return 0;
}
