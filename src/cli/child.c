// SPDX-License-Identifier: GPL-2.0-only
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

/* Its keys are ours, and what it prints would stand in the middle of the screen. */
static void be_quiet(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		_exit(127);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	setpgid(0, 0);
}

/* The child waits for the parent's byte before it becomes the command. */
static void become(char **argv, bool quiet, int wait)
{
	char byte;

	if (read(wait, &byte, 1) != 1)
		_exit(127);
	close(wait);
	if (quiet)
		be_quiet();
	execvp(argv[0], argv);
	fprintf(stderr, "kmemprof: cannot run '%s': %s\n", argv[0], strerror(errno));
	_exit(127);
}

struct kmp_error *cli_child_start(char **argv, bool quiet, pid_t *pid, int *go)
{
	int ends[2];

	if (pipe(ends))
		return kmp_error_system(errno, NULL, "cannot make a pipe");
	*pid = fork();
	if (*pid < 0) {
		int errnum = errno;

		close(ends[0]);
		close(ends[1]);
		return kmp_error_system(errnum, NULL, "cannot start '%s'", argv[0]);
	}
	if (*pid == 0) {
		close(ends[1]);
		become(argv, quiet, ends[0]);
	}
	close(ends[0]);
	*go = ends[1];
	return NULL;
}
