// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a ledger file: an error, or a ledger whose page owners refer to what it holds. The
 * length in the header is put right, so that a changed length does not end every try.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "store/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ENTRIES_MAX = 1 << 20 };

static bool is_in(uint32_t number, size_t count)
{
	return number == KMP_NONE || number < count;
}

static struct kmp_error *take(void *arg, struct kmp_ledger *ledger, const struct kmp_page *pages,
			      size_t count)
{
	size_t *entries = arg;

	assert(count);
	for (size_t i = 0; i < count; i++) {
		const struct kmp_page *p = &pages[i];

		assert(is_in(p->stack, ledger->stacks.len));
		assert(is_in(p->task, ledger->tasks.len));
		assert(is_in(p->charge, ledger->charges.len));
		assert(is_in(p->gfp, kmp_ledger_dict_count(ledger, KMP_DICT_GFP)));
		assert(is_in(p->flags, kmp_ledger_dict_count(ledger, KMP_DICT_FLAGS)));
		assert(is_in(p->type, kmp_ledger_dict_count(ledger, KMP_DICT_TYPE)));
		assert(is_in(p->block_type, kmp_ledger_dict_count(ledger, KMP_DICT_TYPE)));
		assert(is_in(p->reason, kmp_ledger_dict_count(ledger, KMP_DICT_REASON)));
		assert(is_in(p->extra, kmp_ledger_dict_count(ledger, KMP_DICT_EXTRA)));
	}
	*entries += count;
	/* A few bytes can stand for many page owners; this many will do. */
	return *entries > ENTRIES_MAX ? kmp_error_new(KMP_ERROR_STOPPED, "enough") : NULL;
}

static void read_it(const char *path, uint32_t columns)
{
	struct kmp_store_reader *reader;
	struct kmp_ledger *ledger = NULL;
	size_t entries = 0;
	struct kmp_sink sink = { take, &entries, columns };
	struct kmp_error *err = kmp_store_open(path, 0, &reader);

	if (!err) {
		err = kmp_ledger_create(&ledger);
		if (!err)
			err = kmp_store_read(reader, ledger, KMP_READ_PAGES | KMP_READ_TAGS, &sink);
		kmp_ledger_destroy(ledger);
		kmp_store_close(reader);
	}
	kmp_error_destroy(err);
}

static void append_to(const char *path)
{
	struct kmp_ledger *ledger;
	struct kmp_store *store;
	struct kmp_error *err = kmp_store_create(path, true, &store);

	if (!err) {
		assert(!kmp_ledger_create(&ledger));
		err = kmp_store_commit(store, ledger);
		kmp_ledger_destroy(ledger);
	}
	kmp_error_destroy(err);
}

static void write_it(int fd, const uint8_t *data, size_t size)
{
	unsigned page = size > 100 ? (unsigned)data[16] << 8 | data[17] : 0;
	uint32_t count = page ? (uint32_t)(size / page) : 0;
	uint8_t bytes[4] = { (uint8_t)(count >> 24), (uint8_t)(count >> 16), (uint8_t)(count >> 8),
			     (uint8_t)count };

	assert(pwrite(fd, data, size, 0) == (ssize_t)size);
	if (page && size % page == 0)
		assert(pwrite(fd, bytes, sizeof(bytes), 28) == sizeof(bytes));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* In memory where there is such a place: a sync to a disk takes longer than all the rest.
	 */
	char path[64];

	strcpy(path,
	       access("/dev/shm", W_OK) ? "/tmp/fuzz-store.XXXXXX" : "/dev/shm/fuzz-store.XXXXXX");
	int fd = mkstemp(path);

	assert(fd >= 0);
	write_it(fd, data, size);
	close(fd);
	read_it(path, KMP_COLUMN_ALL);
	read_it(path, KMP_COLUMN_STACK | KMP_COLUMN_TASK);
	append_to(path);
	unlink(path);
	return 0;
}
