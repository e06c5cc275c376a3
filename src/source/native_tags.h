/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tags asked for one by one, by the ioctls of Linux 7.3's allocinfo ("alloc_tag: add ioctl to
 * /proc/allocinfo", 7.3), which our mounts answer too. Worth it where the kernel can leave out
 * most of them; the text is the better way to all.
 */
#ifndef KMP_SOURCE_NATIVE_TAGS_H
#define KMP_SOURCE_NATIVE_TAGS_H

#include "base/error.h"

/*
 * Does path answer the ioctls, and is there a criterion in the filter (or NULL) that the kernel
 * can apply without changing the result?
 */
bool kmp_native_tags_suit(const char *path, const struct kmp_tag_filter *filter);

/*
 * Put the tags that pass those criteria into the ledger; *why is NULL. Or nothing is put there and
 * *why says, in words, why the text must be read.
 */
struct kmp_error *kmp_native_tags_read(const char *path, const struct kmp_tag_filter *filter,
				       struct kmp_ledger *ledger, const char **why) must_check;

#endif
