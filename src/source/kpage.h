/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /proc/kpageflags, /proc/kpagecgroup and /proc/kpagecount: a 64-bit number for each page frame,
 * at eight times its PFN.
 */
#ifndef KMP_SOURCE_KPAGE_H
#define KMP_SOURCE_KPAGE_H

#include "base/error.h"

struct kmp_kpage {
	int fd;
	const char *path; /* for messages */
};

/* path must outlive it. KMP_ERROR_SYSTEM: they take CAP_SYS_ADMIN, kpagecgroup takes memcgs. */
struct kmp_error *kmp_kpage_open(const char *path, struct kmp_kpage *file) must_check;
void kmp_kpage_close(struct kmp_kpage *file);

/*
 * The numbers of count frames from first on, by any thread. *got is less than count where the last
 * frame is passed.
 */
struct kmp_error *kmp_kpage_read(const struct kmp_kpage *file, uint64_t first, uint64_t *values,
				 size_t count, size_t *got) must_check;

#endif
