/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that appears complete or not at all: written under a temporary name in the directory of
 * its target, then renamed over it.
 */
#ifndef KMP_STORE_TEMP_H
#define KMP_STORE_TEMP_H

#include <sys/types.h>

#include "base/error.h"

struct kmp_temp {
	char *target; /* where the file goes; symbolic links resolved */
	char *path;   /* the temporary name, `DIR/.NAME.XXXXXX.tmp` */
	int fd;	      /* the temporary file */
	int old_fd;   /* the target that was there, locked, or -1 */
};

/*
 * Make the temporary file, empty, mode 0600. With lock, what is at target is opened and locked
 * against others that do the same; KMP_ERROR_SYSTEM (EWOULDBLOCK) if one has done so.
 */
struct kmp_error *kmp_temp_create(struct kmp_temp *temp, const char *target, bool lock) must_check;

/* Write everything to the disk and put the file in place. kmp_temp_deinit() is still due. */
struct kmp_error *kmp_temp_commit(struct kmp_temp *temp) must_check;

/* Remove the temporary file if it was not committed, and free. */
void kmp_temp_deinit(struct kmp_temp *temp);

#endif
