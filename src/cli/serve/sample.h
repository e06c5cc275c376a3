/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A moment of a source, kept for any number of questions: page owners that agree in all that is
 * asked of them are one, so that a machine's memory takes some megabytes.
 */
#ifndef KMP_CLI_SERVE_SAMPLE_H
#define KMP_CLI_SERVE_SAMPLE_H

#include <pthread.h>

#include "cli/grow.h"

struct serve_sample {
	unsigned users; /* changed by serve_sample_get() and _put() */
	/* Ledgers answer one at a time. */
	pthread_mutex_t lock;
	struct kmp_ledger *ledger; /* of the page owners */
	struct kmp_ledger *tags;   /* of the tags */
	VEC(struct kmp_page) pages;
	uint32_t holds;	 /* bits of enum kmp_read */
	uint64_t number; /* rises from sample to sample */
	uint64_t time;	 /* ns since 1970 */
	double seconds;	 /* that reading took */
	bool redact;
	pthread_mutex_t page_lock;
	/* The figures of the page, made when it is first asked for; they stay while the sample
	 * does. */
	char *page;
	size_t page_len;
	char *zipped_page; /* the same as gzip has it */
	size_t zipped_len;
};

/* What of a page owner is not kept. */
#define SERVE_NOT_KEPT                                                                             \
	(KMP_COLUMN_PFN | KMP_COLUMN_BLOCK | KMP_COLUMN_TS | KMP_COLUMN_FREE_TS | KMP_COLUMN_EXTRA)

/* An empty sample, with one user. redact: without tasks, cgroups and paths. */
struct kmp_error *serve_sample_create(bool redact, struct serve_sample **sample);

struct serve_sample *serve_sample_get(struct serve_sample *sample);

/* The last user's frees it; NULL is accepted. */
void serve_sample_put(struct serve_sample *sample);

/* Where page owners are gathered by what they have in common. */
struct serve_gather {
	struct serve_sample *sample;
	uint32_t *slots; /* places in sample->pages, + 1 */
	size_t size;	 /* a power of two */
};

struct kmp_sink serve_gather_sink(struct serve_gather *gather);
void serve_gather_deinit(struct serve_gather *gather);

/* The tags of this ledger are the sample's. */
struct kmp_error *serve_sample_take_tags(struct serve_sample *sample,
					 const struct kmp_ledger *from);

/* Group the sample's page owners; where may be NULL. */
struct kmp_error *serve_sample_group(struct serve_sample *sample, const char *by, const char *where,
				     struct kmp_groups **groups);

/* Group its tags; filter may be NULL. */
struct kmp_error *serve_sample_group_tags(struct serve_sample *sample, const char *by,
					  const struct kmp_tag_filter *filter,
					  struct kmp_groups **groups);

#endif
