/* SPDX-License-Identifier: GPL-2.0-only */
/* The served files as FUSE requests, by libfuse's low-level interface. */
#ifndef KMP_SERVE_FUSE_H
#define KMP_SERVE_FUSE_H

#include "serve/served.h"

struct kmp_fuse;

/* Mount at an existing directory; name is what the list of mounts calls it. */
struct kmp_error *kmp_fuse_create(struct kmp_served *served, const char *dir, const char *name,
				  struct kmp_fuse **fuse) must_check;

/* Serve until the file system is unmounted, or SIGINT, SIGTERM or SIGHUP comes. */
struct kmp_error *kmp_fuse_serve(struct kmp_fuse *fuse) must_check;

/* Unmount if that has not been done; NULL is accepted. */
void kmp_fuse_destroy(struct kmp_fuse *fuse);

#endif
