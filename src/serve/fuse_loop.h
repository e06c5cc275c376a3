/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads that serve a FUSE session. One at a time has the right to receive; a request that
 * takes time is answered when that right has been passed on, a short one before anyone else is
 * woken.
 */
#ifndef KMP_SERVE_FUSE_LOOP_H
#define KMP_SERVE_FUSE_LOOP_H

#include "base/error.h"

struct fuse_session;

/*
 * Serve until the session is exited, be it by a signal's handler in this thread, or its file system
 * is unmounted.
 */
struct kmp_error *kmp_fuse_loop(struct fuse_session *session) must_check;

#endif
