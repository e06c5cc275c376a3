// SPDX-License-Identifier: GPL-2.0-only
#include "base/unpack.h"

#include <limits.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

/* What a decoder may take for itself; a hostile xz header can ask for gigabytes. */
#define XZ_MEMORY_LIMIT (256ull << 20)

struct kmp_unpack {
	enum kmp_packing packing;
	z_stream gzip;
	lzma_stream xz;
	ZSTD_DStream *zstd;
};

enum kmp_packing kmp_unpack_detect(const unsigned char *head, size_t len)
{
	if (len >= 3 && !memcmp(head, "\x1f\x8b\x08", 3))
		return KMP_GZIP;
	if (len >= 6 && !memcmp(head,
				"\xfd"
				"7zXZ\0",
				6))
		return KMP_XZ;
	if (len >= 4 && !memcmp(head, "\x28\xb5\x2f\xfd", 4))
		return KMP_ZSTD;
	return KMP_PLAIN;
}

static struct kmp_error *start_decoder(struct kmp_unpack *u)
{
	switch (u->packing) {
	case KMP_GZIP:
		if (inflateInit2(&u->gzip, 15 + 16) != Z_OK)
			return &kmp_error_no_memory;
		break;
	case KMP_XZ:
		if (lzma_stream_decoder(&u->xz, XZ_MEMORY_LIMIT, LZMA_CONCATENATED) != LZMA_OK)
			return &kmp_error_no_memory;
		break;
	case KMP_ZSTD:
		u->zstd = ZSTD_createDStream();
		if (!u->zstd)
			return &kmp_error_no_memory;
		break;
	case KMP_PLAIN:
		break;
	}
	return NULL;
}

struct kmp_error *kmp_unpack_create(enum kmp_packing packing, struct kmp_unpack **out)
{
	struct kmp_unpack *u = calloc(1, sizeof(*u));

	if (!u)
		return &kmp_error_no_memory;
	u->packing = packing;
	struct kmp_error *err = start_decoder(u);
	if (err) {
		kmp_unpack_destroy(u);
		return err;
	}
	*out = u;
	return NULL;
}

void kmp_unpack_destroy(struct kmp_unpack *u)
{
	if (!u)
		return;
	if (u->packing == KMP_GZIP)
		inflateEnd(&u->gzip);
	if (u->packing == KMP_XZ)
		lzma_end(&u->xz);
	ZSTD_freeDStream(u->zstd);
	free(u);
}

static struct kmp_error *damaged(const char *what, const char *why)
{
	return kmp_error_input(NULL, 0, NULL, 0, "damaged %s data: %s", what, why);
}

static struct kmp_error *run_gzip(struct kmp_unpack *u, const unsigned char **in, size_t *in_len,
				  char *out, size_t size, size_t *got, bool *ended)
{
	z_stream *z = &u->gzip;

	z->next_in = (unsigned char *)*in;
	z->avail_in = *in_len > UINT_MAX ? UINT_MAX : (unsigned)*in_len;
	z->next_out = (unsigned char *)out;
	z->avail_out = size > UINT_MAX ? UINT_MAX : (unsigned)size;
	int ret = inflate(z, Z_NO_FLUSH);
	*got = (size_t)((char *)z->next_out - out);
	*in_len -= (size_t)(z->next_in - *in);
	*in = z->next_in;
	if (ret == Z_STREAM_END) {
		*ended = true;
		inflateReset(z);
	} else if (ret != Z_OK && ret != Z_BUF_ERROR) {
		return damaged("gzip", z->msg ? z->msg : "unexpected bytes");
	}
	return NULL;
}

static struct kmp_error *run_xz(struct kmp_unpack *u, const unsigned char **in, size_t *in_len,
				char *out, size_t size, size_t *got, bool *ended)
{
	lzma_stream *x = &u->xz;
	bool no_more = !*in_len;

	x->next_in = *in;
	x->avail_in = *in_len;
	x->next_out = (unsigned char *)out;
	x->avail_out = size;
	lzma_ret ret = lzma_code(x, no_more ? LZMA_FINISH : LZMA_RUN);
	*got = size - x->avail_out;
	*in_len = x->avail_in;
	*in = x->next_in;
	if (ret == LZMA_STREAM_END) {
		*ended = true;
	} else if (ret == LZMA_MEMLIMIT_ERROR) {
		return damaged("xz", "it needs more memory than 256 MiB");
	} else if (ret != LZMA_OK && ret != LZMA_BUF_ERROR) {
		return damaged("xz", ret == LZMA_DATA_ERROR ? "check failed" : "unexpected bytes");
	}
	return NULL;
}

static struct kmp_error *run_zstd(struct kmp_unpack *u, const unsigned char **in, size_t *in_len,
				  char *out, size_t size, size_t *got, bool *ended)
{
	ZSTD_inBuffer from = { *in, *in_len, 0 };
	ZSTD_outBuffer to = { out, size, 0 };
	size_t ret = ZSTD_decompressStream(u->zstd, &to, &from);

	*in += from.pos;
	*in_len -= from.pos;
	*got = to.pos;
	if (ZSTD_isError(ret))
		return damaged("zstd", ZSTD_getErrorName(ret));
	*ended = ret == 0;
	return NULL;
}

struct kmp_error *kmp_unpack_run(struct kmp_unpack *u, const unsigned char **in, size_t *in_len,
				 char *out, size_t size, size_t *got, bool *ended)
{
	*ended = false;
	*got = 0;
	switch (u->packing) {
	case KMP_GZIP:
		return run_gzip(u, in, in_len, out, size, got, ended);
	case KMP_XZ:
		return run_xz(u, in, in_len, out, size, got, ended);
	case KMP_ZSTD:
		return run_zstd(u, in, in_len, out, size, got, ended);
	case KMP_PLAIN:
		break;
	}
	return kmp_error_new(KMP_ERROR_INPUT, "not packed");
}
