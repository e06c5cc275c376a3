/* SPDX-License-Identifier: GPL-2.0-only */
/* What a server that answers needs no more, it gives up. */
#ifndef KMP_CLI_SERVE_CONFINE_H
#define KMP_CLI_SERVE_CONFINE_H

#include <stdbool.h>

struct serve_needs {
	bool recorder; /* BPF */
	const char
		*source; /* a file or directory: the kernel's filters are written there; or NULL */
	const char *history; /* a file that SQLite has others beside, or NULL */
	const char *socket;  /* a file that will be removed, or NULL */
};

/*
 * For this thread, and those that it starts later: no capability but those that reading takes, no
 * program, no new socket, no file that is written but those. As far as the kernel has it; without
 * Landlock (Linux 5.13), say, files are guarded by their permissions alone.
 */
void serve_confine(const struct serve_needs *needs);

#endif
