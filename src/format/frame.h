/* SPDX-License-Identifier: GPL-2.0-only */
/* One line of a stack trace. */
#ifndef KMP_FORMAT_FRAME_H
#define KMP_FORMAT_FRAME_H

#include "base/error.h"

/*
 * The number in KMP_DICT_FRAME of a frame line: ` sym+0x1/0x2 [mod]`, ` [<ffffffff81164e9a>] sym+…`
 * and 2.6's `[0xc0132258] sym+280` (their address is kept beside the text, so that the same
 * function has the same number), a bare address, ` (null)`. Blanks around it are left out.
 * KMP_NONE for the end marker of old traces, which is no frame. *address tells whether the line
 * had one.
 */
struct kmp_error *kmp_frame_add(struct kmp_ledger *ledger, const char *line, size_t len,
				uint32_t *number, bool *address) must_check;

/*
 * Does this line look like a frame? Strict enough to tell one from a sentence: a symbol with an
 * offset or with its place in the source, an address, or `(null)`.
 */
bool kmp_frame_looks_like(const char *line, size_t len);

#endif
