// SPDX-License-Identifier: GPL-2.0-only
#include "format/pprof_out.h"

#include "base/cleanup.h"

enum { GZIP = 15 + 16, LEVEL = 6, MEMORY = 8 };

struct kmp_error *pprof_out_init(struct pprof_out *to, FILE *out)
{
	*to = (struct pprof_out){ .out = out };
	if (deflateInit2(&to->gzip, LEVEL, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		return &kmp_error_no_memory;
	return NULL;
}

static void deflate_part(struct pprof_out *to, uint8_t *data, size_t len, int flush)
{
	unsigned char packed[16 << 10];

	to->gzip.next_in = data;
	to->gzip.avail_in = (uInt)len;
	do {
		to->gzip.next_out = packed;
		to->gzip.avail_out = sizeof(packed);
		deflate(&to->gzip, flush);
		fwrite(packed, 1, sizeof(packed) - to->gzip.avail_out, to->out);
	} while (!to->gzip.avail_out);
}

struct kmp_error *pprof_out_add(struct pprof_out *to, const Kmemprof__Pprof__Profile *part)
{
	size_t len = kmemprof__pprof__profile__get_packed_size(part);

	if (len > UINT32_MAX / 2)
		return kmp_error_new(KMP_ERROR_LIMIT, "too large for a profile");
	uint8_t *data auto_free = malloc(len ? len : 1);

	if (!data)
		return &kmp_error_no_memory;
	kmemprof__pprof__profile__pack(part, data);
	deflate_part(to, data, len, Z_NO_FLUSH);
	return NULL;
}

void pprof_out_finish(struct pprof_out *to)
{
	uint8_t nothing[1];

	deflate_part(to, nothing, 0, Z_FINISH);
}

void pprof_out_deinit(struct pprof_out *to)
{
	deflateEnd(&to->gzip);
}
