/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads page_owner text into a ledger for the tests, from memory or from the test data. */
#ifndef TESTS_PO_READ_H
#define TESTS_PO_READ_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/ledger.h"
#include "source/source.h"

static inline void data_path(const char *name, char path[4096])
{
	const char *data = getenv("DATA");

	assert_non_null(data);
	assert_in_range(snprintf(path, 4096, "%s/%s", data, name), 1, 4095);
}

static inline struct kmp_error *keep_pages(void *arg, struct kmp_ledger *ledger,
					   const struct kmp_page *pages, size_t count)
{
	return kmp_ledger_add_pages(ledger, pages, count);
}

static inline struct kmp_ledger *read_input(struct kmp_input *input, unsigned threads)
{
	const struct kmp_sink keep = { keep_pages, NULL, KMP_COLUMN_ALL };
	const struct kmp_source_options options = { .threads = threads };
	struct kmp_ledger *ledger;

	assert_null(kmp_ledger_create(&ledger));
	assert_null(kmp_po_read(input, ledger, &keep, &options));
	kmp_input_destroy(input);
	return ledger;
}

static inline struct kmp_ledger *read_bytes(const char *text, size_t len, unsigned threads)
{
	struct kmp_input *input;

	assert_null(kmp_input_create_memory(text, len, &input));
	return read_input(input, threads);
}

static inline struct kmp_ledger *read_string(const char *text)
{
	return read_bytes(text, strlen(text), 1);
}

static inline struct kmp_ledger *read_data(const char *name)
{
	struct kmp_input *input;
	char path[4096];

	data_path(name, path);
	assert_null(kmp_input_open(path, &input));
	return read_input(input, 1);
}

/* A whole file of the test data, unpacked. free() it. */
static inline char *load_data(const char *name, size_t *len)
{
	struct kmp_input *input;
	char path[4096];
	char *text = NULL;
	size_t cap = 0;
	size_t got;

	data_path(name, path);
	*len = 0;
	assert_null(kmp_input_open(path, &input));
	do {
		if (cap - *len < (1 << 20)) {
			cap = cap * 2 + (2 << 20);
			text = realloc(text, cap);
			assert_non_null(text);
		}
		assert_null(kmp_input_read(input, text + *len, cap - *len, &got));
		*len += got;
	} while (got);
	kmp_input_destroy(input);
	return text;
}

static inline uint64_t sum_pages(const struct kmp_ledger *ledger)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < ledger->pages.len; i++)
		sum += ledger->pages.data[i].pages;
	return sum;
}

static inline uint64_t sum_records(const struct kmp_ledger *ledger)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < ledger->pages.len; i++)
		sum += ledger->pages.data[i].records;
	return sum;
}

static inline const char *text_of(const struct kmp_ledger *ledger, enum kmp_dict dict,
				  uint32_t number)
{
	const char *text = kmp_ledger_text(ledger, dict, number, NULL);

	assert_non_null(text);
	return text;
}

static inline const struct kmp_task *task_of(const struct kmp_ledger *ledger, size_t page)
{
	const struct kmp_task *task = kmp_ledger_task(ledger, ledger->pages.data[page].task);

	assert_non_null(task);
	return task;
}

static inline const char *comm_of(const struct kmp_ledger *ledger, size_t page)
{
	return text_of(ledger, KMP_DICT_COMM, task_of(ledger, page)->comm);
}

static inline struct kmp_trace trace_of(const struct kmp_ledger *ledger, size_t page)
{
	const struct kmp_stack *stack = kmp_ledger_stack(ledger, ledger->pages.data[page].stack);

	assert_non_null(stack);
	return kmp_ledger_trace(ledger, stack->trace);
}

static inline void expect_totals(const struct kmp_ledger *ledger, size_t entries, uint64_t records,
				 uint64_t pages, size_t traces)
{
	assert_int_equal(ledger->pages.len, entries);
	assert_int_equal(sum_records(ledger), records);
	assert_int_equal(sum_pages(ledger), pages);
	assert_int_equal(ledger->traces.len, traces);
	assert_int_equal(ledger->losses.skipped, 0);
}

#endif
