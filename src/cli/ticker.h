/* SPDX-License-Identifier: GPL-2.0-only */
/* Something that is done again and again, until a signal comes. */
#ifndef KMP_CLI_TICKER_H
#define KMP_CLI_TICKER_H

#include <signal.h>

#include "cli/cli.h"

struct cli_ticker {
	uint64_t interval; /* ns; 0: at once */
	uint64_t deadline; /* of the next time */
	uint64_t late;	   /* times that came late, as the one before took longer */
	sigset_t signals;  /* that end it */
};

/* Begin: SIGINT, SIGTERM and SIGHUP are blocked from now on. */
void cli_ticker_start(struct cli_ticker *ticker, uint64_t interval);

/* Wait for the next time; false: a signal has come. */
bool cli_ticker_wait(struct cli_ticker *ticker);

/* A time up to a year from an option that was given: 100ms, 1s, 10m; it may be 0. KMP_ERROR_USAGE.
 */
struct kmp_error *cli_interval(const struct cli_args *args, const char *option, uint64_t *ns);

#endif
