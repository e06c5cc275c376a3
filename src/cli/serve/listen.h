/* SPDX-License-Identifier: GPL-2.0-only */
/* The socket that is listened at. */
#ifndef KMP_CLI_SERVE_LISTEN_H
#define KMP_CLI_SERVE_LISTEN_H

#include <stdbool.h>

#include "kmemprof/kmemprof.h"

struct serve_listen {
	int fd;		 /* -1: none */
	char *path;	 /* of a Unix socket, or NULL */
	bool loopback;	 /* nobody but this machine's users gets at it */
	char where[120]; /* for people: `http://127.0.0.1:9417/` */
};

/*
 * Listen at `ADDRESS:PORT` (an IP address, 6 in brackets, or localhost; port 0: any that is free),
 * or `unix:PATH`, for this user and root alone. may_others: another machine may ask.
 */
struct kmp_error *serve_listen(const char *at, bool may_others, struct serve_listen *listen);

/* Removes the socket's file, too. */
void serve_listen_deinit(struct serve_listen *listen);

#endif
