/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ioctls of Linux 7.3's /proc/allocinfo, as they stand in memory between a program and
 * whoever serves the file. Declared here because no Debian kernel's headers have them.
 */
#ifndef KMP_FORMAT_ALLOCINFO_UAPI_H
#define KMP_FORMAT_ALLOCINFO_UAPI_H

#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

enum { KMP_ALLOCINFO_TEXT = 64 };

/* Changes whenever the set of tags does. */
struct kmp_allocinfo_content_id {
	uint64_t id;
};

/* Texts end in a NUL; of longer ones the last 63 bytes are there. */
struct kmp_allocinfo_tag {
	char modname[KMP_ALLOCINFO_TEXT];
	char function[KMP_ALLOCINFO_TEXT];
	char filename[KMP_ALLOCINFO_TEXT];
	uint64_t lineno;
};

struct kmp_allocinfo_counter {
	uint64_t bytes;
	uint64_t calls;
	uint8_t accurate;
	uint8_t reserved[7];
};

struct kmp_allocinfo_tag_data {
	struct kmp_allocinfo_tag tag;
	struct kmp_allocinfo_counter counter;
};

/* Bits of kmp_allocinfo_filter.mask. */
enum kmp_allocinfo_mask {
	KMP_ALLOCINFO_MODNAME = 1 << 0,
	KMP_ALLOCINFO_FUNCTION = 1 << 1,
	KMP_ALLOCINFO_FILENAME = 1 << 2,
	KMP_ALLOCINFO_LINENO = 1 << 3,
	KMP_ALLOCINFO_INACCURATE = 1 << 4,
	KMP_ALLOCINFO_MIN_SIZE = 1 << 5,
	KMP_ALLOCINFO_MAX_SIZE = 1 << 6
};

struct kmp_allocinfo_filter {
	uint64_t mask;
	struct kmp_allocinfo_tag fields;
	uint64_t min_size;
	uint64_t max_size;
	uint64_t inaccurate; /* 0, or anything else for yes */
};

struct kmp_allocinfo_get_at {
	uint64_t pos;
	struct kmp_allocinfo_filter filter;
	struct kmp_allocinfo_tag_data data;
};

#define KMP_ALLOCINFO_IOC_CONTENT_ID _IOR(0xA6, 0, struct kmp_allocinfo_content_id)
#define KMP_ALLOCINFO_IOC_GET_AT     _IOWR(0xA6, 1, struct kmp_allocinfo_get_at)
#define KMP_ALLOCINFO_IOC_GET_NEXT   _IOR(0xA6, 2, struct kmp_allocinfo_tag_data)

_Static_assert(sizeof(struct kmp_allocinfo_content_id) == 8, "content_id");
_Static_assert(sizeof(struct kmp_allocinfo_tag) == 200, "tag");
_Static_assert(offsetof(struct kmp_allocinfo_tag, modname) == 0, "tag.modname");
_Static_assert(offsetof(struct kmp_allocinfo_tag, function) == 64, "tag.function");
_Static_assert(offsetof(struct kmp_allocinfo_tag, filename) == 128, "tag.filename");
_Static_assert(offsetof(struct kmp_allocinfo_tag, lineno) == 192, "tag.lineno");
_Static_assert(sizeof(struct kmp_allocinfo_counter) == 24, "counter");
_Static_assert(offsetof(struct kmp_allocinfo_counter, bytes) == 0, "counter.bytes");
_Static_assert(offsetof(struct kmp_allocinfo_counter, calls) == 8, "counter.calls");
_Static_assert(offsetof(struct kmp_allocinfo_counter, accurate) == 16, "counter.accurate");
_Static_assert(sizeof(struct kmp_allocinfo_tag_data) == 224, "tag_data");
_Static_assert(offsetof(struct kmp_allocinfo_tag_data, counter) == 200, "tag_data.counter");
_Static_assert(sizeof(struct kmp_allocinfo_filter) == 232, "filter");
_Static_assert(offsetof(struct kmp_allocinfo_filter, fields) == 8, "filter.fields");
_Static_assert(offsetof(struct kmp_allocinfo_filter, min_size) == 208, "filter.min_size");
_Static_assert(offsetof(struct kmp_allocinfo_filter, max_size) == 216, "filter.max_size");
_Static_assert(offsetof(struct kmp_allocinfo_filter, inaccurate) == 224, "filter.inaccurate");
_Static_assert(sizeof(struct kmp_allocinfo_get_at) == 464, "get_at");
_Static_assert(offsetof(struct kmp_allocinfo_get_at, filter) == 8, "get_at.filter");
_Static_assert(offsetof(struct kmp_allocinfo_get_at, data) == 240, "get_at.data");

/* Some architectures (MIPS, PowerPC, SPARC) put the direction's bits elsewhere. */
#if _IOC_READ == 2U && _IOC_SIZEBITS == 14
_Static_assert(KMP_ALLOCINFO_IOC_CONTENT_ID == 0x8008a600, "CONTENT_ID");
_Static_assert(KMP_ALLOCINFO_IOC_GET_AT == 0xc1d0a601, "GET_AT");
_Static_assert(KMP_ALLOCINFO_IOC_GET_NEXT == 0x80e0a602, "GET_NEXT");
#endif

#endif
