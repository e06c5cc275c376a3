/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the verb filter and page_owner_filter. */
#ifndef KMP_CLI_FILTER_H
#define KMP_CLI_FILTER_H

#include "cli/cli.h"

/* What cli_mode_parse() knows. */
#define CLI_MODE_WORDS "stack handle stack_handle"

struct filter_job {
	const char *path;  /* NULL: the running kernel */
	const char *nodes; /* NULL: all */
	const char *where; /* NULL: everything */
	enum kmp_mode mode;
};

/* `stack`, `handle` or `stack_handle`; KMP_ERROR_USAGE for another. */
struct kmp_error *cli_mode_parse(const char *name, enum kmp_mode *mode);

/* Stream the source's records as the kernel's text to the option `output`. */
struct kmp_error *cli_filter(struct cli_args *args, const struct filter_job *job);

#endif
