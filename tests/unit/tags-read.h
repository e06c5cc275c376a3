/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading tags in tests, from strings and from tests/data. */
#ifndef KMP_TESTS_TAGS_READ_H
#define KMP_TESTS_TAGS_READ_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "format/allocinfo.h"
#include "format/oom_log.h"
#include "ledger/ledger.h"

struct sums {
	size_t rows;
	int64_t bytes;
	int64_t calls;
	size_t inaccurate;
	size_t approximate;
};

typedef struct kmp_error *reader(struct kmp_lines *lines, struct kmp_ledger *ledger);

static inline struct kmp_ledger *read_text(reader *read, const char *text, size_t len)
{
	struct kmp_ledger *ledger;
	struct kmp_lines *lines;

	assert_null(kmp_ledger_create(&ledger));
	assert_null(kmp_lines_create_memory(text, len, &lines));
	assert_null(read(lines, ledger));
	kmp_lines_destroy(lines);
	return ledger;
}

static inline struct kmp_ledger *read_string(const char *text)
{
	return read_text(kmp_allocinfo_read, text, strlen(text));
}

static inline void data_path(const char *name, char path[4096])
{
	const char *data = getenv("DATA");

	assert_non_null(data);
	assert_in_range(snprintf(path, 4096, "%s/%s", data, name), 1, 4095);
}

static inline struct kmp_ledger *read_data(reader *read, const char *name)
{
	struct kmp_ledger *ledger;
	struct kmp_input *input;
	struct kmp_lines *lines;
	char path[4096];

	data_path(name, path);
	assert_null(kmp_ledger_create(&ledger));
	assert_null(kmp_input_open(path, &input));
	assert_null(kmp_lines_create(input, &lines));
	assert_null(read(lines, ledger));
	kmp_lines_destroy(lines);
	kmp_input_destroy(input);
	return ledger;
}

static inline struct kmp_ledger *read_allocinfo(const char *name)
{
	return read_data(kmp_allocinfo_read, name);
}

static inline struct sums sums_of(const struct kmp_ledger *ledger)
{
	struct sums sums = { .rows = kmp_ledger_count(ledger, KMP_LIST_TAGS) };

	for (size_t i = 0; i < sums.rows; i++) {
		const struct kmp_tag *tag = &kmp_ledger_tags(ledger)[i];

		sums.bytes += tag->bytes;
		sums.calls += tag->calls;
		sums.inaccurate += !tag->accurate;
		sums.approximate += tag->approximate;
	}
	return sums;
}

static inline void expect_sums(const struct kmp_ledger *ledger, struct sums want)
{
	struct sums got = sums_of(ledger);

	assert_int_equal(got.rows, want.rows);
	assert_int_equal(got.bytes, want.bytes);
	assert_int_equal(got.calls, want.calls);
	assert_int_equal(got.inaccurate, want.inaccurate);
	assert_int_equal(got.approximate, want.approximate);
}

static inline uint64_t skipped(const struct kmp_ledger *ledger)
{
	return kmp_ledger_losses(ledger)->skipped;
}

/* The first tag of this function. */
static inline const struct kmp_tag *tag_of(const struct kmp_ledger *ledger, const char *function)
{
	for (size_t i = 0; i < kmp_ledger_count(ledger, KMP_LIST_TAGS); i++) {
		const struct kmp_tag *tag = &kmp_ledger_tags(ledger)[i];

		if (!strcmp(tag->function, function))
			return tag;
	}
	fail_msg("no tag of %s", function);
	return NULL;
}

#endif
