/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile being written: gzip. Messages that are written one after the other are one, with the
 * lists of all: so nothing but what has just been made need be held.
 */
#ifndef KMP_FORMAT_PPROF_OUT_H
#define KMP_FORMAT_PPROF_OUT_H

#include <stdio.h>
#include <zlib.h>

#include "base/error.h"
#include "format/profile.pb-c.h"

struct pprof_out {
	FILE *out;
	z_stream gzip;
};

/* Start; pprof_out_deinit() frees, whatever the outcome. */
struct kmp_error *pprof_out_init(struct pprof_out *to, FILE *out) must_check;

/* Add a profile's lists and members to what was written. */
struct kmp_error *pprof_out_add(struct pprof_out *to,
				const Kmemprof__Pprof__Profile *part) must_check;

/* The end. Whether the stream has taken all is the caller's to ask. */
void pprof_out_finish(struct pprof_out *to);

void pprof_out_deinit(struct pprof_out *to);

#endif
