/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's description of its trace events, whether or not tracefs is mounted anywhere: with
 * CAP_SYS_ADMIN an own instance is opened that no other process sees.
 */
#ifndef KMP_SOURCE_TRACEFS_H
#define KMP_SOURCE_TRACEFS_H

#include "base/error.h"

/* The directory's descriptor; close() it. KMP_ERROR_SYSTEM if there is no way to it. */
struct kmp_error *kmp_tracefs_open(int *dir) must_check;

/* A whole file below dir with a NUL behind it; free() it. */
struct kmp_error *kmp_tracefs_read(int dir, const char *name, char **text, size_t *len) must_check;

#endif
