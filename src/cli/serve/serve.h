/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `serve` does: in the program kmemprof, it becomes the program kmemprof-serve; in that one,
 * it serves. They are two, since libmicrohttpd takes shared libraries that kmemprof does without.
 */
#ifndef KMP_CLI_SERVE_SERVE_H
#define KMP_CLI_SERVE_SERVE_H

#include "cli/cli.h"

struct kmp_error *cli_serve_run(struct cli_args *args);

#endif
