/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Verbs that take shared libraries which the program kmemprof does without are programs of their
 * own, which it becomes. There the same functions do the work.
 */
#ifndef KMP_CLI_LAUNCH_H
#define KMP_CLI_LAUNCH_H

#include "cli/cli.h"

/* Of kmemprof-serve, for libmicrohttpd. */
struct kmp_error *cli_serve_run(struct cli_args *args);

/* Of kmemprof-fleet, for libcurl. */
struct kmp_error *cli_push_run(struct cli_args *args);
struct kmp_error *cli_fleet_run(struct cli_args *args);

#endif
