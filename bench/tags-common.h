/* SPDX-License-Identifier: GPL-2.0-only */
/* The tags of an allocinfo file, repeated until there are 8000, with counters on 224 CPUs. */
#ifndef BENCH_TAGS_COMMON_H
#define BENCH_TAGS_COMMON_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kmemprof/kmemprof.h"

enum { RUNS = 31, READ = 128 * 1024, TAGS = 8000, CPUS = 224 };

static inline double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static inline int by_value(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static inline void must(struct kmp_error *err)
{
	if (err) {
		char *text = kmp_error_format(err);

		fprintf(stderr, "tags-query: %s\n", text ? text : "out of memory");
		exit(1);
	}
}

static inline void read_file(const char *path, struct kmp_ledger *ledger)
{
	struct kmp_source *source;

	must(kmp_source_open(path, NULL, &source));
	must(kmp_source_read(source, ledger, KMP_READ_TAGS, NULL));
	kmp_source_close(source);
	if (!kmp_ledger_count(ledger, KMP_LIST_TAGS))
		must(kmp_error_new(KMP_ERROR_INPUT, "no tags in %s", path));
}

/* The sums stay as they were. */
static inline void spread(struct kmp_tags *tags, size_t number, const struct kmp_tag *tag,
			  bool dense)
{
	uint64_t users = tag->calls < 0 || tag->calls > CPUS ? CPUS : (uint64_t)tag->calls;

	if (dense)
		users = CPUS;
	for (unsigned i = 0; i < users; i++) {
		unsigned cpu = (unsigned)(number + i) % CPUS;
		bool last = i == users - 1;

		kmp_tags_charge(tags, number, cpu,
				last ? tag->bytes - tag->bytes / (int64_t)users * i
				     : tag->bytes / (int64_t)users,
				last ? tag->calls - tag->calls / (int64_t)users * i
				     : tag->calls / (int64_t)users);
	}
}

static inline struct kmp_tags *fill(const char *path, bool dense)
{
	struct kmp_ledger *ledger;
	struct kmp_tags *tags;

	must(kmp_ledger_create(&ledger));
	read_file(path, ledger);
	must(kmp_tags_create_empty(CPUS, &tags));
	for (size_t i = 0; i < TAGS; i++) {
		size_t count = kmp_ledger_count(ledger, KMP_LIST_TAGS);
		const struct kmp_tag *tag = &kmp_ledger_tags(ledger)[i % count];
		struct kmp_tag copy = *tag;
		char file[256];

		copy.bytes = copy.calls = 0;
		copy.file = file;
		if (i < count)
			copy.file = tag->file;
		else
			snprintf(file, sizeof(file), "copy%zu/%.200s", i / count, tag->file);
		must(kmp_tags_add(tags, &copy, 1));
		spread(tags, i, tag, dense);
	}
	kmp_ledger_destroy(ledger);
	return tags;
}

#endif
