/* SPDX-License-Identifier: GPL-2.0-only */
/* Unpacks gzip, xz and zstd; the algorithms are those of zlib, liblzma and libzstd. */
#ifndef KMP_BASE_UNPACK_H
#define KMP_BASE_UNPACK_H

#include "base/error.h"

enum kmp_packing { KMP_PLAIN, KMP_GZIP, KMP_XZ, KMP_ZSTD };

struct kmp_unpack;

/* How these first bytes of a stream are packed. */
enum kmp_packing kmp_unpack_detect(const unsigned char *head, size_t len);

struct kmp_error *kmp_unpack_create(enum kmp_packing packing, struct kmp_unpack **out) must_check;
void kmp_unpack_destroy(struct kmp_unpack *unpack);

/*
 * Unpack from *in (moved forward, *in_len less) to out; *got bytes came out. *ended tells that a
 * packed stream has ended with all its bytes out: another one may follow.
 * KMP_ERROR_INPUT for damaged data.
 */
struct kmp_error *kmp_unpack_run(struct kmp_unpack *unpack, const unsigned char **in,
				 size_t *in_len, char *out, size_t size, size_t *got,
				 bool *ended) must_check;

#endif
