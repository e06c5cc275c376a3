// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/pack.h"

#include <zlib.h>
#include <zstd.h>

/* From 21.8 on, servers unpack zstd; gzip they have always known. */
enum { ZSTD_SINCE = 21008, GZIP_BITS = 15 + 16, GZIP_LEVEL = 1, ZSTD_LEVEL = 1 };

const char *pack_header(unsigned version)
{
	return version >= ZSTD_SINCE ? "Content-Encoding: zstd" : "Content-Encoding: gzip";
}

static struct kmp_error *no_memory(void)
{
	return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
}

static struct kmp_error *pack_zstd(const struct row_writer *rows, struct row_writer *packed)
{
	size_t bound = ZSTD_compressBound(rows->bytes.len);

	packed->bytes.len = 0;
	try(grow_reserve(&packed->bytes, bound));
	size_t len = ZSTD_compress(packed->bytes.data, bound, rows->bytes.data, rows->bytes.len,
				   ZSTD_LEVEL);

	if (ZSTD_isError(len))
		return no_memory();
	packed->bytes.len = len;
	return NULL;
}

static struct kmp_error *pack_gzip(const struct row_writer *rows, struct row_writer *packed)
{
	z_stream z = { 0 };

	if (rows->bytes.len > UINT32_MAX / 2)
		return kmp_error_new(KMP_ERROR_LIMIT, "more rows than can be sent at once");
	if (deflateInit2(&z, GZIP_LEVEL, Z_DEFLATED, GZIP_BITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return no_memory();
	size_t bound = deflateBound(&z, rows->bytes.len);

	packed->bytes.len = 0;
	struct kmp_error *err = grow_reserve(&packed->bytes, bound);

	if (!err) {
		z.next_in = (unsigned char *)rows->bytes.data;
		z.avail_in = (unsigned)rows->bytes.len;
		z.next_out = (unsigned char *)packed->bytes.data;
		z.avail_out = (unsigned)bound;
		if (deflate(&z, Z_FINISH) != Z_STREAM_END)
			err = no_memory();
		packed->bytes.len = bound - z.avail_out;
	}
	deflateEnd(&z);
	return err;
}

struct kmp_error *pack_rows(unsigned version, const struct row_writer *rows,
			    struct row_writer *packed)
{
	return version >= ZSTD_SINCE ? pack_zstd(rows, packed) : pack_gzip(rows, packed);
}
