/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A page's flags, from what /proc/kpageflags tells, in page_owner's form:
 * `0x20028(uptodate|lru|swapbacked|node=1|zone=0)`.
 *
 * Names and their order are those of the running kernel's page_owner. kpageflags does not tell
 * all of them: `waiters`, `workingset`, `young`, `dropbehind` and `lastcpupid=` are left out. The
 * hexadecimal number holds the bits of the names printed, as they lie in page->flags of the
 * kernel whose BTF was given; where node and zone lie in it nothing tells, so they are left out.
 */
#ifndef KMP_SOURCE_PAGE_FLAGS_H
#define KMP_SOURCE_PAGE_FLAGS_H

#include "base/error.h"

struct btf;

/* Bits of kpageflags, as in linux/kernel-page-flags.h, and those above 31 for kernel hackers. */
enum kmp_kpf {
	KMP_KPF_LOCKED,
	KMP_KPF_ERROR,
	KMP_KPF_REFERENCED,
	KMP_KPF_UPTODATE,
	KMP_KPF_DIRTY,
	KMP_KPF_LRU,
	KMP_KPF_ACTIVE,
	KMP_KPF_SLAB,
	KMP_KPF_WRITEBACK,
	KMP_KPF_RECLAIM,
	KMP_KPF_BUDDY, /* free */
	KMP_KPF_MMAP,
	KMP_KPF_ANON,
	KMP_KPF_SWAPCACHE,
	KMP_KPF_SWAPBACKED,
	KMP_KPF_COMPOUND_HEAD,
	KMP_KPF_COMPOUND_TAIL,
	KMP_KPF_HUGE,
	KMP_KPF_UNEVICTABLE,
	KMP_KPF_HWPOISON,
	KMP_KPF_NOPAGE, /* no page there */
	KMP_KPF_KSM,
	KMP_KPF_THP,
	KMP_KPF_OFFLINE,
	KMP_KPF_ZERO_PAGE,
	KMP_KPF_IDLE,
	KMP_KPF_PGTABLE,
	KMP_KPF_RESERVED = 32,
	KMP_KPF_MLOCKED,
	KMP_KPF_OWNER_2, /* before 6.12: mapped to disk */
	KMP_KPF_PRIVATE,
	KMP_KPF_PRIVATE_2,
	KMP_KPF_OWNER_PRIVATE,
	KMP_KPF_ARCH,
	KMP_KPF_UNCACHED,
	KMP_KPF_SOFTDIRTY,
	KMP_KPF_ARCH_2,
	KMP_KPF_ARCH_3,
};

static inline bool kmp_kpf_has(uint64_t flags, enum kmp_kpf bit)
{
	return flags >> bit & 1;
}

/*
 * Whether the frame is a page that is not known to be free. Free pages that a CPU keeps for
 * itself look like the kernel's own: kpageflags cannot tell them apart.
 */
static inline bool kmp_kpf_in_use(uint64_t flags)
{
	return !kmp_kpf_has(flags, KMP_KPF_BUDDY) && !kmp_kpf_has(flags, KMP_KPF_NOPAGE) &&
	       !kmp_kpf_has(flags, KMP_KPF_OFFLINE);
}

enum { KMP_PAGE_FLAGS_MAX = 32, KMP_PAGE_FLAGS_TEXT_MAX = 400 };

/* In the order in which page_owner prints them. */
struct kmp_page_flag_table {
	size_t count;
	struct kmp_page_flag {
		const char *name; /* static */
		uint64_t kpf;	  /* any of these bits of kpageflags tells it */
		uint64_t bit;	  /* in page->flags */
	} flags[KMP_PAGE_FLAGS_MAX];
};

/*
 * Names and bits of the kernel of this type information (its enum pageflags); NULL, or one
 * without: as in Linux 6.12 to 7.3.
 */
void kmp_page_flag_table_init(struct kmp_page_flag_table *table, const struct btf *btf);

/*
 * The text for one frame's kpageflags. Cut to size - 1 bytes and a NUL, as snprintf() does;
 * returns the whole length.
 */
size_t kmp_page_flags_print(const struct kmp_page_flag_table *table, uint64_t kpf, int32_t node,
			    int32_t zone, char *buf, size_t size);

#endif
