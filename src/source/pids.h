/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes by the numbers of the PID namespace that we are in. */
#ifndef KMP_SOURCE_PIDS_H
#define KMP_SOURCE_PIDS_H

#include "base/error.h"

/* KMP_ERROR_INPUT unless this is a process that is there, and no thread of one. */
struct kmp_error *kmp_pid_check(uint32_t pid) must_check;

/* The numbers that these have in the kernel's first namespace, as BPF tells them. */
struct kmp_error *kmp_pids_translate(const uint32_t *pids, size_t count,
				     uint32_t *first) must_check;

#endif
