/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Masks of allocation flags in the words of the kernel's %pGg: `GFP_KERNEL|__GFP_ZERO`. Bits,
 * names and their order differ between kernels. The running kernel tells them all in the format
 * of its event mm_page_alloc; where that cannot be read its BTF tells the bits, and names and
 * order are those of its release.
 */
#ifndef KMP_SOURCE_GFP_NAMES_H
#define KMP_SOURCE_GFP_NAMES_H

#include "base/error.h"

struct btf;

enum { KMP_GFP_NAMES_MAX = 64, KMP_GFP_NAME_SIZE = 40, KMP_GFP_BITS = 32 };

/* Enough for any mask's text. */
enum { KMP_GFP_TEXT_MAX = KMP_GFP_BITS * KMP_GFP_NAME_SIZE + 64 };

/* In the order in which the kernel looks for them. */
struct kmp_gfp_table {
	size_t count;
	struct kmp_gfp_name {
		uint64_t mask;
		char name[KMP_GFP_NAME_SIZE];
	} names[KMP_GFP_NAMES_MAX];
};

/* Which bit each flag without a name of its own is: `DMA`, `IO`, … */
struct kmp_gfp_bits {
	size_t count;
	struct kmp_gfp_bit {
		char name[KMP_GFP_NAME_SIZE]; /* without ___GFP_ and _BIT */
		uint32_t bit;
	} bits[KMP_GFP_BITS];
};

/* The running kernel's table; btf: its type information, or NULL. Always gives one. */
void kmp_gfp_table_init(struct kmp_gfp_table *table, const struct btf *btf);

/* The bits of an enum of this type information (Linux 6.10: "mm: enumerate all gfp flags"). */
bool kmp_gfp_bits_btf(struct kmp_gfp_bits *bits, const struct btf *btf);

/* The bits as they were before that, and still are where the enum is full. */
void kmp_gfp_bits_default(struct kmp_gfp_bits *bits);

/* From names and order that are known of the release (`6.1.0-18-amd64`). */
void kmp_gfp_table_release(struct kmp_gfp_table *table, const struct kmp_gfp_bits *bits,
			   const char *release);

/*
 * From the text of events/kmem/mm_page_alloc/format, where names of bits may stand for numbers.
 * False if there is no table in it that can be read; then *table is left alone.
 */
bool kmp_gfp_table_format(struct kmp_gfp_table *table, const struct kmp_gfp_bits *bits,
			  const char *format);

/*
 * `0xcc0(GFP_KERNEL)`; bits without a name in hexadecimal behind the names. Cut to size - 1
 * bytes and a NUL, as snprintf() does; returns the whole length.
 */
size_t kmp_gfp_print(const struct kmp_gfp_table *table, uint32_t mask, char *buf, size_t size);

#endif
