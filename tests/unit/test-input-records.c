// SPDX-License-Identifier: GPL-2.0-only
/* Reading a file that returns one record a read, and ENOMEM where the buffer is smaller. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/input.h"

enum { RECORDS = 1000, RECORD_LEN = 700 };

static int next_record;

/* The linker puts these in place of read(). */
ssize_t __real_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size);

ssize_t __wrap_read(int fd, void *buf, size_t size)
{
	if (next_record == RECORDS)
		return 0;
	if (size < RECORD_LEN) {
		errno = ENOMEM;
		return -1;
	}
	memset(buf, 'a' + next_record % 26, RECORD_LEN);
	next_record++;
	return RECORD_LEN;
}

static void read_all(size_t size, bool look)
{
	struct kmp_input *input;
	char *buf = malloc(size);
	size_t total = 0, got, len;
	const char *head;

	next_record = 0;
	assert_null(kmp_input_open("/dev/null", &input));
	if (look)
		assert_null(kmp_input_head(input, &head, &len));
	do {
		assert_null(kmp_input_read(input, buf, size, &got));
		for (size_t i = 0; i < got; i++, total++)
			assert_int_equal(buf[i], 'a' + total / RECORD_LEN % 26);
	} while (got);
	assert_int_equal(total, RECORDS * RECORD_LEN);
	assert_int_equal(kmp_input_done(input), total);
	kmp_input_destroy(input);
	free(buf);
}

static void records_come_whole_through_any_buffer(void **state)
{
	const size_t sizes[] = { 1, 100, 699, 700, 701, 4096, 65536, 1 << 20 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		read_all(sizes[i], false);
		read_all(sizes[i], true);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_come_whole_through_any_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
