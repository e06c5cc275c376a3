/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal: curses begins and ends here, draws the state, and waits for keys. */
#ifndef KMP_CLI_WATCH_SCREEN_H
#define KMP_CLI_WATCH_SCREEN_H

#include "cli/watch/watch.h"

/*
 * Show the state and follow keys until one ends it, a signal comes (*signal tells which, 0 for
 * none) or so many samples were taken (0: no limit). The terminal is as it was before when this
 * returns, however it does.
 */
struct kmp_error *watch_run(struct watch *watch, uint64_t samples, int *signal);

/* Draw all; curses has begun. */
void watch_draw(struct watch *watch);

#endif
