// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/lines.h"

static const char text[] = "one\ntwo\r\n\nthree";

static void expect_lines(const char *bytes, size_t len, const char *const *want)
{
	struct kmp_lines *lines;
	const char *line;
	size_t n;

	assert_null(kmp_lines_create_memory(bytes, len, &lines));
	for (; *want; want++) {
		assert_null(kmp_lines_next(lines, &line, &n));
		assert_non_null(line);
		assert_string_equal(line, *want);
		assert_int_equal(n, strlen(*want));
	}
	assert_false(kmp_lines_ended(lines));
	assert_null(kmp_lines_next(lines, &line, &n));
	assert_null(line);
	kmp_lines_destroy(lines);
}

static const char *const once[] = { "one", "two", "", "three", NULL };
static const char *const twice[] = { "one", "two", "", "threeone", "two", "", "three", NULL };

enum packing { GZIP, XZ, ZSTD };

static size_t pack(enum packing how, unsigned char *out, size_t size)
{
	size_t n = 0;
	z_stream z = { 0 };

	switch (how) {
	case GZIP:
		assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, 0), Z_OK);
		z.next_in = (unsigned char *)text;
		z.avail_in = sizeof(text) - 1;
		z.next_out = out;
		z.avail_out = (unsigned)size;
		assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
		n = size - z.avail_out;
		deflateEnd(&z);
		break;
	case XZ:
		assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL,
							 (const unsigned char *)text,
							 sizeof(text) - 1, out, &n, size),
				 LZMA_OK);
		break;
	case ZSTD:
		n = ZSTD_compress(out, size, text, sizeof(text) - 1, 3);
		break;
	}
	return n;
}

static void packed_streams_read_as_text(void **state)
{
	for (int how = GZIP; how <= ZSTD; how++) {
		unsigned char packed[1000];
		size_t n = pack(how, packed, sizeof(packed));

		expect_lines((char *)packed, n, once);
		n += pack(how, packed + n, sizeof(packed) - n);
		expect_lines((char *)packed, n, twice);
	}
	expect_lines(text, sizeof(text) - 1, once);
}

static void cut_and_damaged_streams_are_errors(void **state)
{
	for (int how = GZIP; how <= ZSTD; how++) {
		unsigned char packed[1000];
		size_t n = pack(how, packed, sizeof(packed));

		for (size_t cut = 6; cut < n; cut++) {
			struct kmp_input *input;
			struct kmp_error *err = NULL;
			char buf[100];
			size_t got = 1;

			assert_null(kmp_input_create_memory((char *)packed, cut, &input));
			while (!err && got)
				err = kmp_input_read(input, buf, sizeof(buf), &got);
			assert_non_null(err);
			assert_int_equal(err->kind, KMP_ERROR_INPUT);
			kmp_error_destroy(err);
			kmp_input_destroy(input);
		}
	}
}

static void the_head_stays_in_the_stream(void **state)
{
	unsigned char packed[1000];
	size_t n = pack(XZ, packed, sizeof(packed));
	struct kmp_input *input;
	const char *head;
	char buf[100];
	size_t len, got, sum = 0;

	assert_null(kmp_input_create_memory((char *)packed, n, &input));
	assert_null(kmp_input_head(input, &head, &len));
	assert_int_equal(len, sizeof(text) - 1);
	assert_memory_equal(head, text, len);
	do {
		assert_null(kmp_input_read(input, buf + sum, 5, &got));
		sum += got;
	} while (got);
	assert_int_equal(sum, sizeof(text) - 1);
	assert_memory_equal(buf, text, sum);
	kmp_input_destroy(input);
}

static void a_long_line_comes_in_pieces(void **state)
{
	size_t size = 5 << 20;
	char *bytes = malloc(size);
	struct kmp_lines *lines;
	const char *line;
	size_t n, sum = 0;

	memset(bytes, 'x', size);
	assert_null(kmp_lines_create_memory(bytes, size, &lines));
	for (;;) {
		assert_null(kmp_lines_next(lines, &line, &n));
		if (!line)
			break;
		sum += n;
	}
	assert_int_equal(sum, size);
	kmp_lines_destroy(lines);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packed_streams_read_as_text),
		cmocka_unit_test(cut_and_damaged_streams_are_errors),
		cmocka_unit_test(the_head_stays_in_the_stream),
		cmocka_unit_test(a_long_line_comes_in_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
