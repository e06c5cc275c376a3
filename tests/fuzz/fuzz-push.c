// SPDX-License-Identifier: GPL-2.0-only
/*
 * What `push` and `fleet` read of others: files of a spool, answers of a server, URLs. The first
 * byte says which. A sample that is taken is written and read again as the same one.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "cli/fleet/failure.h"
#include "cli/fleet/sample.h"
#include "cli/fleet/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_again(const struct push_sample *sample)
{
	struct row_writer bytes = { 0 };
	struct push_sample *again = NULL;

	if (push_sample_encode(sample, &bytes) ||
	    push_sample_decode(bytes.bytes.data, bytes.bytes.len, &again))
		abort();
	assert(again->at == sample->at && again->session == sample->session);
	assert(again->figures.len == sample->figures.len);
	/* Padding may differ. */
	for (size_t i = 0; i < again->figures.len; i++)
		assert(again->figures.data[i].owner == sample->figures.data[i].owner &&
		       again->figures.data[i].bytes == sample->figures.data[i].bytes);
	for (int i = 0; i < SCHEMA_KINDS; i++)
		assert(again->names[i].bytes.len == sample->names[i].bytes.len);
	push_sample_destroy(again);
	row_deinit(&bytes);
}

static void read_sample(const char *bytes, size_t len)
{
	struct push_sample *sample = NULL;
	struct kmp_error *err = push_sample_decode(bytes, len, &sample);

	assert(!err == (sample != NULL));
	kmp_error_destroy(err);
	if (sample)
		check_again(sample);
	push_sample_destroy(sample);
}

/* The plain bytes, packed as a file has them, so that what is inside is reached. */
static void read_packed(const char *plain, size_t len)
{
	size_t bound = ZSTD_compressBound(len);
	static const char magic[8] = { 'k', 'm', 'p', 's', 'p', 'l', '1', '\n' };
	char *bytes = malloc(8 + bound);

	memcpy(bytes, magic, sizeof(magic));
	size_t packed = ZSTD_compress(bytes + 8, bound, plain, len, 1);

	if (!ZSTD_isError(packed))
		read_sample(bytes, 8 + packed);
	free(bytes);
}

static void read_failure(const char *text, size_t len)
{
	struct failure failure = { .where = "host:1/db" };
	struct kmp_error *err =
		failure_of_answer(&failure, len ? 300 + (long)text[0] : 500, text, len);

	assert(failure.trouble == CLICKHOUSE_BUSY || failure.trouble == CLICKHOUSE_REFUSED);
	for (const char *p = err->message; *p; p++)
		assert((unsigned char)*p >= 0x20);
	kmp_error_destroy(err);
}

static void read_target(const char *text, size_t len)
{
	char *url = strndup(text, len);
	struct target target;
	struct kmp_error *err = target_parse(url, NULL, &target);

	assert(err || (target.base && target.name && target.database && !target.password));
	kmp_error_destroy(err);
	target_deinit(&target);
	free(url);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const readers[])(const char *bytes, size_t len) = { read_sample, read_packed,
									  read_failure,
									  read_target };

	if (size)
		readers[data[0] % 4]((const char *)data + 1, size - 1);
	return 0;
}
