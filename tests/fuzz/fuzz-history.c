// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a history: an error, or samples whose page owners refer to what their ledger holds,
 * and trends whose rates are numbers. Who would go on with it gets an error or does.
 */
#include <assert.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "ledger/ledger.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SAMPLES_MAX = 20 };

static void check_pages(const struct kmp_ledger *ledger)
{
	for (size_t i = 0; i < ledger->pages.len; i++) {
		const struct kmp_page *page = &ledger->pages.data[i];

		assert(page->stack == KMP_NONE || page->stack < ledger->stacks.len);
		assert(page->task == KMP_NONE || page->task < ledger->tasks.len);
		assert(page->order < 64);
	}
}

static void read_samples(struct kmp_history *history)
{
	size_t count = kmp_history_count(history);

	for (size_t i = 0; i < count && i < SAMPLES_MAX; i++) {
		struct kmp_ledger *ledger;

		assert(!kmp_ledger_create(&ledger));
		kmp_error_destroy(kmp_history_read(history, count - 1 - i,
						   KMP_READ_PAGES | KMP_READ_TAGS, ledger, NULL));
		check_pages(ledger);
		kmp_ledger_destroy(ledger);
	}
}

static void find_trends(struct kmp_history *history, const struct kmp_trend_options *options)
{
	struct kmp_trends *trends;
	struct kmp_error *err = kmp_trends_find(history, options, &trends);

	for (size_t i = 0; !err && i < trends->count; i++) {
		const struct kmp_trend *trend = &trends->trends[i];

		assert(!isnan(trend->slope) && trend->tau >= -1 && trend->tau <= 1);
		assert(trend->min <= trend->max);
	}
	if (!err)
		kmp_trends_destroy(trends);
	kmp_error_destroy(err);
}

static void read_it(const char *path)
{
	struct kmp_history *history;
	struct kmp_error *err = kmp_history_open(path, &history);

	if (err) {
		kmp_error_destroy(err);
		return;
	}
	read_samples(history);
	find_trends(history, &(struct kmp_trend_options){ 0 });
	find_trends(history, &(struct kmp_trend_options){ .tags = true, .points = 9 });
	kmp_history_close(history);
}

static void go_on_with(const char *path)
{
	const struct kmp_history_options options = { .keep = "10s@1s,1h@5s" };
	struct kmp_history_writer *writer;
	struct kmp_ledger *ledger;
	struct kmp_error *err = kmp_history_create(path, &options, &writer);

	if (!err) {
		assert(!kmp_ledger_create(&ledger));
		kmp_error_destroy(kmp_history_add(writer, ledger, NULL));
		err = kmp_history_end(writer);
		kmp_ledger_destroy(ledger);
	}
	kmp_error_destroy(err);
}

static void remove_all(const char *path)
{
	static const char *const ends[] = { "", "-wal", "-shm", "-journal" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		char name[96];

		strcpy(name, path);
		strcat(name, ends[i]);
		unlink(name);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* In memory where there is such a place: a sync to a disk takes longer than all the rest.
	 */
	char path[64];

	strcpy(path, access("/dev/shm", W_OK) ? "/tmp/fuzz-history.XXXXXX"
					      : "/dev/shm/fuzz-history.XXXXXX");
	int fd = mkstemp(path);

	assert(fd >= 0);
	assert(write(fd, data, size) == (ssize_t)size);
	close(fd);
	read_it(path);
	go_on_with(path);
	remove_all(path);
	return 0;
}
