// SPDX-License-Identifier: GPL-2.0-only
#include "store/pack.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/cleanup.h"

enum { HEAD = 12, LEVEL_SMALL = 15, LEVEL_LARGE = 3, LARGE = 16 << 20, RATIO_MAX = 1000 };

/* The number of a skippable frame, its length, and the application id of ledger files. */
static const unsigned char head_bytes[HEAD] = { 0x50, 0x2a, 0x4d, 0x18, 4,   0,
						0,    0,    'k',  'm',	'p', 'L' };

bool kmp_pack_is(const unsigned char *head, size_t len)
{
	return len >= HEAD && !memcmp(head, head_bytes, HEAD);
}

static struct kmp_error *read_whole(int fd, unsigned char **bytes, size_t *len)
{
	off_t size = lseek(fd, 0, SEEK_END);
	auto_free unsigned char *all = size < 0 ? NULL : malloc((size_t)size + 1);

	if (size < 0)
		return kmp_error_system(errno, NULL, "cannot read");
	if (!all)
		return &kmp_error_no_memory;
	for (*len = 0; *len < (size_t)size;) {
		ssize_t got = pread(fd, all + *len, (size_t)size - *len, (off_t)*len);

		if (got < 0)
			return kmp_error_system(errno, NULL, "cannot read");
		if (!got)
			break;
		*len += (size_t)got;
	}
	*bytes = no_free(all);
	return NULL;
}

struct kmp_error *kmp_pack_put(int fd, const unsigned char *bytes, size_t len, off_t at)
{
	for (size_t done = 0; done < len;) {
		ssize_t put = pwrite(fd, bytes + done, len - done, at + (off_t)done);

		if (put < 0)
			return kmp_error_system(errno, NULL, "cannot write");
		done += (size_t)put;
	}
	return NULL;
}

/* With a checksum: a database has none. */
static struct kmp_error *compress(unsigned char *to, size_t bound, const unsigned char *from,
				  size_t len, size_t *size)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();

	if (!context)
		return &kmp_error_no_memory;
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel,
			       len > LARGE ? LEVEL_LARGE : LEVEL_SMALL);
	*size = ZSTD_compress2(context, to, bound, from, len);
	ZSTD_freeCCtx(context);
	return ZSTD_isError(*size)
		       ? kmp_error_new(KMP_ERROR_LIMIT, "zstd: %s", ZSTD_getErrorName(*size))
		       : NULL;
}

struct kmp_error *kmp_pack_write(int fd)
{
	auto_free unsigned char *plain = NULL;
	size_t len;

	try(read_whole(fd, &plain, &len));
	size_t bound = ZSTD_compressBound(len);
	auto_free unsigned char *packed = malloc(bound);

	if (!packed)
		return &kmp_error_no_memory;
	size_t size;

	try(compress(packed, bound, plain, len, &size));
	/* The temporary file is no ledger file until its first bytes are there. */
	if (ftruncate(fd, 0))
		return kmp_error_system(errno, NULL, "cannot write");
	try(kmp_pack_put(fd, packed, size, HEAD));
	return kmp_pack_put(fd, head_bytes, HEAD, 0);
}

static struct kmp_error *damaged(void)
{
	return kmp_error_new(KMP_ERROR_INPUT, "damaged ledger file: it cannot be unpacked");
}

struct kmp_error *kmp_pack_read(int fd, unsigned char **bytes, size_t *size)
{
	auto_free unsigned char *packed = NULL;
	size_t len;

	try(read_whole(fd, &packed, &len));
	if (!kmp_pack_is(packed, len))
		return damaged();
	unsigned long long want = ZSTD_getFrameContentSize(packed + HEAD, len - HEAD);

	if (want == ZSTD_CONTENTSIZE_ERROR || want == ZSTD_CONTENTSIZE_UNKNOWN ||
	    want / RATIO_MAX > len)
		return damaged();
	unsigned char *plain = sqlite3_malloc64(want + 1);

	if (!plain)
		return &kmp_error_no_memory;
	size_t got = ZSTD_decompress(plain, want, packed + HEAD, len - HEAD);

	if (ZSTD_isError(got) || got != want) {
		sqlite3_free(plain);
		return damaged();
	}
	*bytes = plain;
	*size = got;
	return NULL;
}
