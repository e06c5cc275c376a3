/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts of a screen: what of foreign bytes can be shown, how wide it is, short figures. */
#ifndef KMP_CLI_WATCH_TEXT_H
#define KMP_CLI_WATCH_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kmemprof/kmemprof.h"

/* A text that grows. */
struct watch_text {
	char *data; /* NUL-terminated once something was put, else NULL */
	size_t len;
	size_t cap;
};

void watch_text_deinit(struct watch_text *text);

/* Append bytes as they are. */
struct kmp_error *watch_text_put(struct watch_text *text, const char *bytes, size_t len);

/*
 * Append bytes so that each can be seen and none acts on the terminal: what is no character of
 * the locale, controls and marks that turn the direction come as `\n`, `\xff`, `\u202e`.
 */
struct kmp_error *watch_text_visible(struct watch_text *text, const char *bytes, size_t len);

/* How many bytes of a visible text fit in so many columns; *used tells the columns they take. */
size_t watch_text_fit(const char *text, size_t columns, size_t *used);

enum { WATCH_FIGURE = 24 };

/* A figure in at most 7 characters, 8 with its sign: `512`, `247.8M`; sign: `+` before growth. */
const char *watch_figure(char buf[WATCH_FIGURE], int64_t value, bool sign);

/* h:mm:ss. */
const char *watch_duration(char buf[WATCH_FIGURE], uint64_t ns);

#endif
