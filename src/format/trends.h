/* SPDX-License-Identifier: GPL-2.0-only */
/* The views of trends: kmp_trends_write() chooses one. */
#ifndef KMP_FORMAT_TRENDS_H
#define KMP_FORMAT_TRENDS_H

#include "format/utf8.h"
#include "format/views.h"

static inline size_t trends_shown(const struct kmp_trends *trends, const struct kmp_view *view)
{
	return view->limit && view->limit < trends->count ? view->limit : trends->count;
}

/* Append a line of `width` characters that shows how the points rise and fall. */
struct kmp_error *kmp_sparkline(struct kmp_buf *buf, const double *points, size_t count,
				size_t width, bool ascii) must_check;

struct kmp_error *kmp_trends_table(const struct kmp_trends *trends, FILE *out,
				   const struct kmp_view *view, bool ascii) must_check;

#endif
