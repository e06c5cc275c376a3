// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command while BPF programs take the stack of each page that it allocates, and do nothing
 * with it:
 *
 *     stack-only COMMAND…
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stack-only.skel.h"

int main(int argc, char **argv)
{
	struct stack_only *skel = stack_only__open();
	int status = 1;
	int go[2];
	char byte;

	if (argc < 2 || !skel || pipe(go))
		return 2;
	pid_t pid = fork();

	if (pid == 0) {
		close(go[1]);
		if (read(go[0], &byte, 1) != 1)
			_exit(127);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	skel->rodata->pid = (unsigned)pid;
	if (stack_only__load(skel) || stack_only__attach(skel)) {
		fputs("stack-only: cannot attach\n", stderr);
	} else if (write(go[1], "", 1) == 1) {
		waitpid(pid, &status, 0);
	}
	close(go[1]);
	stack_only__destroy(skel);
	return status != 0;
}
