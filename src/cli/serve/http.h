/* SPDX-License-Identifier: GPL-2.0-only */
/* HTTP: who may ask, how, and how much. */
#ifndef KMP_CLI_SERVE_HTTP_H
#define KMP_CLI_SERVE_HTTP_H

#include "cli/serve/listen.h"
#include "cli/serve/server.h"

/* Opaque. */
struct serve_http;

/* Answer what comes at this socket, in threads of their own. */
struct kmp_error *serve_http_start(struct server *server, const struct serve_listen *listen,
				   struct serve_http **http);

/* End connections that have taken too long; to be called each second or so. */
void serve_http_tidy(struct serve_http *http);

/* End all of them; NULL is accepted. The socket is closed. */
void serve_http_stop(struct serve_http *http);

/* Read a token from a file: its first line. */
struct kmp_error *serve_read_token(const char *path, char **token);

#endif
