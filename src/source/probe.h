/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the running kernel offers, for whoever must choose or explain. All probes of features stand
 * in probe.c; each is tried, not told by a version.
 */
#ifndef KMP_SOURCE_PROBE_H
#define KMP_SOURCE_PROBE_H

#include "kmemprof/kmemprof.h"

/*
 * How many records page_owner has, how long they take to read and how much they are, from some
 * that are read here and there. All 0 if it cannot be read.
 */
void kmp_probe_cost(const char *page_owner, struct kmp_probe_cost *cost);

#endif
