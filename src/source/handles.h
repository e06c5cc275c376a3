/* SPDX-License-Identifier: GPL-2.0-only */
/* The stacks of handles that are there, and of no others. */
#ifndef KMP_SOURCE_HANDLES_H
#define KMP_SOURCE_HANDLES_H

#include "base/error.h"

/* Find the traces of the ledger's handles that have none in a show_stacks_handles. */
struct kmp_error *kmp_handles_resolve(const char *path, struct kmp_ledger *ledger) must_check;

#endif
