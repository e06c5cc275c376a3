/* SPDX-License-Identifier: GPL-2.0-only */
/* The web page: three files that are built in, and the figures that it draws. */
#ifndef KMP_CLI_SERVE_PAGE_H
#define KMP_CLI_SERVE_PAGE_H

#include "cli/serve/answer.h"

/* A file of the page at this path, or NULL; *type is that of its content. */
const char *serve_page_file(const char *path, const char **type);

/* What the page may do. */
extern const char serve_page_policy[];

/* The figures, by the parameters of a report. */
struct kmp_error *serve_page_data(struct server *server, const struct serve_query *query,
				  struct serve_answer *answer);

#endif
