// SPDX-License-Identifier: GPL-2.0-only
#include "cli/ticker.h"
#include "cli/clock.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"

static const uint64_t second = UINT64_C(1000000000);

void cli_ticker_start(struct cli_ticker *ticker, uint64_t interval)
{
	*ticker = (struct cli_ticker){ .interval = interval,
				       .deadline = cli_clock_ns(CLOCK_MONOTONIC) };
	sigemptyset(&ticker->signals);
	sigaddset(&ticker->signals, SIGINT);
	sigaddset(&ticker->signals, SIGTERM);
	sigaddset(&ticker->signals, SIGHUP);
	/* Blocked, so that none can end us between two steps. */
	sigprocmask(SIG_BLOCK, &ticker->signals, NULL);
}

bool cli_ticker_wait(struct cli_ticker *ticker)
{
	uint64_t now = cli_clock_ns(CLOCK_MONOTONIC);

	ticker->deadline += ticker->interval;
	/* A moment that is missed is not made up for. */
	if (ticker->deadline < now) {
		ticker->late += ticker->interval != 0;
		ticker->deadline = now;
	}
	for (;;) {
		now = cli_clock_ns(CLOCK_MONOTONIC);
		uint64_t left = ticker->deadline > now ? ticker->deadline - now : 0;
		struct timespec wait = { (time_t)(left / second), (long)(left % second) };

		if (sigtimedwait(&ticker->signals, NULL, &wait) > 0)
			return false;
		if (now >= ticker->deadline)
			return true;
	}
}

struct kmp_error *cli_interval(const struct cli_args *args, const char *option, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "us", 1e3 }, { "ms", 1e6 },   { "s", 1e9 },    { "", 1e9 },
		      { "m", 60e9 }, { "h", 3600e9 }, { "d", 86400e9 } };
	const char *text = cli_value(args, option);
	char *end;
	double value = strtod(text, &end);
	bool decimal = end > text && strspn(text, "0123456789.") == (size_t)(end - text);

	for (size_t i = 0; decimal && i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(end, units[i].name) != 0)
			continue;
		if (value * units[i].ns > 366 * 86400e9)
			break;
		*ns = (uint64_t)(value * units[i].ns);
		return NULL;
	}
	return kmp_error_new(KMP_ERROR_USAGE,
			     "--%s: '%s' is no time up to a year, such as 100ms, 1s or 10m", option,
			     text);
}
