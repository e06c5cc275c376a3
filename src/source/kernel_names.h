/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the running kernel calls things: functions, masks, page flags, zones, migratetypes. Read
 * once and not changed, so that any number of threads may ask.
 */
#ifndef KMP_SOURCE_KERNEL_NAMES_H
#define KMP_SOURCE_KERNEL_NAMES_H

#include "source/gfp_names.h"
#include "source/page_flags.h"
#include "source/symbols.h"
#include "source/zones.h"

struct kmp_kernel_names {
	struct kmp_symbols *symbols;
	struct kmp_gfp_table gfp;
	struct kmp_page_flag_table flags;
	struct kmp_zones zones;
	struct kmp_pageblocks blocks;
	char *memcg_root; /* where memory cgroups are mounted, "" if they are not */
};

/* kmp_kernel_names_deinit() also after a failure. */
struct kmp_error *kmp_kernel_names_init(struct kmp_kernel_names *names) must_check;
void kmp_kernel_names_deinit(struct kmp_kernel_names *names);

#endif
