/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KMP_CLI_CLOCK_H
#define KMP_CLI_CLOCK_H

#include <stdint.h>
#include <time.h>

/* What a clock shows, in nanoseconds. */
static inline uint64_t cli_clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif
