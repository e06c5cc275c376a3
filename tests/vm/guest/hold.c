// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds memory that the tests know: a task NAME for each NAME=MIB, which touches so much. Prints
 * "ready" when all have, and ends with its standard input.
 *
 *     hold NAME=MIB…
 */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

static void hold(const char *word, int ready)
{
	const char *equals = strrchr(word, '=');
	char name[16] = "";
	size_t size;
	char *memory;

	if (!equals || equals - word > 15)
		errx(2, "%s: not NAME=MIB", word);
	memcpy(name, word, (size_t)(equals - word));
	size = strtoul(equals + 1, NULL, 10) * MIB;
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		err(1, "mmap");
	/* Page by page: huge pages would make few records of much memory. */
	madvise(memory, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += 4096)
		memory[i] = 1;
	if (write(ready, "", 1) != 1)
		err(1, "write");
	pause();
	_exit(0);
}

int main(int argc, char **argv)
{
	int ready[2];
	char byte;

	if (argc < 2 || pipe(ready))
		errx(2, "usage: hold NAME=MIB...");
	for (int i = 1; i < argc; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			close(ready[0]);
			hold(argv[i], ready[1]);
		}
	}
	close(ready[1]);
	for (int i = 1; i < argc; i++)
		if (read(ready[0], &byte, 1) != 1)
			errx(1, "a task has died");
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
