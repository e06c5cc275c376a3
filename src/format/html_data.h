/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups as the page's script wants them (web/data.js): JSON in which every text was made visible
 * and no `<` stands, so that nothing of it can end the element it is in.
 */
#ifndef KMP_FORMAT_HTML_DATA_H
#define KMP_FORMAT_HTML_DATA_H

#include <stdio.h>

#include "base/error.h"

/* A JSON text; NULL is null. */
struct kmp_error *kmp_html_text(FILE *out, const char *text, size_t len) must_check;

/*
 * An object: keys with their values, stacks and frames each once, cells. At most so many groups
 * (0: all that a page can bear) are cells of their own, the others one; *left_out tells how many.
 */
struct kmp_error *kmp_html_data(FILE *out, const struct kmp_groups *groups, size_t limit,
				size_t *left_out) must_check;

/* An array of the view's timelines (web/chart.js); in html_time.c. */
struct kmp_error *kmp_html_timelines(FILE *out, const struct kmp_view *view) must_check;

#endif
