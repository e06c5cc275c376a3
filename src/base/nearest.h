/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which known words an unknown one may have been meant to be.
 */
#ifndef KMP_BASE_NEAREST_H
#define KMP_BASE_NEAREST_H

#include <stddef.h>

enum { KMP_NEAREST_SIZE = 256 };

/*
 * `; did you mean 'order'?`, with up to three of the count words that are about as near as the
 * nearest by edit distance, or `; one of: …` (cut where it gets long) where none is near.
 */
void kmp_nearest(const char *word, size_t len, const char *const *words, size_t count,
		 char out[KMP_NEAREST_SIZE]);

#endif
