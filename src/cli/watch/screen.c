// SPDX-License-Identifier: GPL-2.0-only
#include "cli/watch/screen.h"

#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/clock.h"

static const uint64_t second = UINT64_C(1000000000);
static volatile sig_atomic_t ended;
static bool begun;

static void on_end(int number)
{
	ended = number;
}

static void restore(void)
{
	if (begun && !isendwin())
		endwin();
	begun = false;
}

static uint64_t now_ns(void)
{
	return cli_clock_ns(CLOCK_MONOTONIC);
}

/*
 * Signals that end us, and that of a new size, come only while we wait: so none is missed between
 * looking and waiting. Stopping and going on is left to curses.
 */
static void block_signals(sigset_t *before)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	const struct sigaction action = { .sa_handler = on_end };
	sigset_t blocked;

	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		sigaddset(&blocked, ends[i]);
		sigaction(ends[i], &action, NULL);
	}
	sigaddset(&blocked, SIGWINCH);
	sigprocmask(SIG_BLOCK, &blocked, before);
}

static struct kmp_error *begin(void)
{
	const char *plain = getenv("NO_COLOR");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return kmp_error_new(KMP_ERROR_INPUT,
				     "watch needs a terminal; 'kmemprof report' prints once");
	if (!newterm(NULL, stdout, stdin))
		return kmp_error_new(KMP_ERROR_INPUT, "the terminal '%s' is not known: set TERM",
				     getenv("TERM") ? getenv("TERM") : "");
	begun = true;
	atexit(restore);
	cbreak();
	noecho();
	nonl();
	set_escdelay(25);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	if ((!plain || !*plain) && has_colors()) {
		start_color();
		use_default_colors();
		init_pair(1, COLOR_RED, -1);
		init_pair(2, COLOR_BLUE, -1);
		init_pair(3, COLOR_CYAN, -1);
	}
	return NULL;
}

static uint32_t key_of(int got)
{
	static const struct {
		int curses;
		uint32_t key;
	} keys[] = {
		{ KEY_UP, WATCH_KEY_UP },
		{ KEY_DOWN, WATCH_KEY_DOWN },
		{ KEY_LEFT, WATCH_KEY_LEFT },
		{ KEY_RIGHT, WATCH_KEY_RIGHT },
		{ KEY_PPAGE, WATCH_KEY_PAGE_UP },
		{ KEY_NPAGE, WATCH_KEY_PAGE_DOWN },
		{ KEY_HOME, WATCH_KEY_HOME },
		{ KEY_END, WATCH_KEY_END },
		{ KEY_BACKSPACE, WATCH_KEY_BACKSPACE },
		{ KEY_BTAB, WATCH_KEY_BACKTAB },
		{ KEY_ENTER, WATCH_KEY_ENTER },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (keys[i].curses == got)
			return keys[i].key;
	}
	return got < 256 ? (uint32_t)got : 0;
}

static void take_keys(struct watch *watch)
{
	int got;

	while (!watch->quit && (got = getch()) != ERR) {
		if (got == KEY_RESIZE)
			clear();
		else if (key_of(got))
			watch_key(watch, key_of(got));
	}
}

/* Until a key, a signal or the deadline; false if the terminal is gone. */
static bool wait_until(uint64_t deadline, const sigset_t *signals)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	uint64_t now = now_ns();
	uint64_t left = deadline > now ? deadline - now : 0;
	const struct timespec wait = { (time_t)(left / second), (long)(left % second) };

	if (ppoll(&input, 1, &wait, signals) < 0 && errno != EINTR)
		return false;
	return !(input.revents & (POLLHUP | POLLERR | POLLNVAL));
}

/* Moments of a recording or of files are taken at each interval; those of a history likewise. */
static void follow(struct watch *watch, uint64_t samples, const sigset_t *signals)
{
	uint64_t next = now_ns() + watch->interval, taken = 1;

	while (!watch->quit && !ended) {
		watch_draw(watch);
		if (!wait_until(watch->frozen ? now_ns() + 3600 * second : next, signals))
			return;
		take_keys(watch);
		if (watch->frozen || now_ns() < next)
			continue;
		/* Each interval has its sample, but what was missed is not made up for. */
		next += watch->interval;
		if (next < now_ns())
			next = now_ns() + watch->interval;
		if (samples && taken++ == samples)
			return;
		watch_sample(watch);
	}
}

struct kmp_error *watch_run(struct watch *watch, uint64_t samples, int *signal)
{
	sigset_t before;

	*signal = 0;
	try(begin());
	block_signals(&before);
	follow(watch, samples, &before);
	restore();
	sigprocmask(SIG_SETMASK, &before, NULL);
	*signal = ended;
	return NULL;
}
