/* SPDX-License-Identifier: GPL-2.0-only */
/* How a row of the screen is called, by the key of its group. */
#ifndef KMP_CLI_WATCH_LABEL_H
#define KMP_CLI_WATCH_LABEL_H

#include "kmemprof/kmemprof.h"

/* Two groups of the same keys have the same hash if they are the same group. */
void watch_label_hash(const struct kmp_groups *groups, const struct kmp_group *group,
		      uint64_t hash[2]);

/*
 * Its name, in one line, and further lines (frames, the parts of a tag), each ended by a newline.
 * Both must be freed with free(), and can be shown as they are.
 */
struct kmp_error *watch_label(const struct kmp_groups *groups, const struct kmp_group *group,
			      char **name, char **detail, uint32_t *lines);

#endif
