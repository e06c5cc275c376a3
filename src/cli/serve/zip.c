// SPDX-License-Identifier: GPL-2.0-only
#include "cli/serve/zip.h"

#include <limits.h>
#include <stdlib.h>
/* zlib reads what it is given, and says so. */
#define ZLIB_CONST
#include <zlib.h>

enum { LEVEL = 1, WINDOW = 15, AS_GZIP = 16, MEMORY = 8 };

char *serve_zip(const char *text, size_t len, size_t *zipped_len)
{
	z_stream stream = { 0 };
	char *zipped;

	if (len > UINT_MAX / 2 || deflateInit2(&stream, LEVEL, Z_DEFLATED, WINDOW + AS_GZIP, MEMORY,
					       Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	size_t room = deflateBound(&stream, len);

	zipped = malloc(room);
	stream.next_in = (const Bytef *)text;
	stream.avail_in = (uInt)len;
	stream.next_out = (Bytef *)zipped;
	stream.avail_out = (uInt)room;
	if (zipped && deflate(&stream, Z_FINISH) != Z_STREAM_END) {
		free(zipped);
		zipped = NULL;
	}
	*zipped_len = stream.total_out;
	deflateEnd(&stream);
	return zipped;
}
