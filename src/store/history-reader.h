/* SPDX-License-Identifier: GPL-2.0-only */
/* A history being read: what its parts share. */
#ifndef KMP_STORE_HISTORY_READER_H
#define KMP_STORE_HISTORY_READER_H

#include "base/pool.h"
#include "store/history-code.h"
#include "store/history-series.h"
#include "store/load.h"

/* What a session tells of its samples. */
struct kmp_session {
	struct kmp_moment machine; /* its figures are not known, but for memory_total */
	char *name;
	char *kind;
	char *mode;
	char *kernel;
	uint32_t page_size;
	int32_t nodes;
	bool profiling_off;
	bool top_only;
};

struct kmp_sample_place {
	int64_t block; /* the first sample that it takes to read it */
	uint64_t skipped;
	uint64_t dropped;
	uint64_t cut;
	size_t session; /* in sessions */
};

struct kmp_history {
	char *path;
	sqlite3 *db;
	uint64_t size;	 /* of the database */
	int64_t version; /* as SQLite tells whether something was written */
	VEC(struct kmp_sample) samples;
	VEC(struct kmp_sample_place) places; /* of the samples */
	VEC(struct kmp_session *) sessions;  /* by id - 1 */
	struct kmp_series_list series;
	struct kmp_sample_coder coder;
	struct kmp_figures figures;
	VEC(struct kmp_tag) tags; /* by series, as far as they were read: file NULL if not */
	struct kmp_pool tag_texts;
	struct kmp_loader loader; /* of the ledger that was read into last */
	uint64_t ledger;	  /* its serial */
};

/* The figures of a sample, into history->figures; all of its series are in history->series. */
struct kmp_error *kmp_history_decode(struct kmp_history *history, size_t index) must_check;

/* The facts of a sample, with warnings and losses, into a ledger. */
struct kmp_error *kmp_history_facts(struct kmp_history *history, size_t index,
				    struct kmp_ledger *ledger) must_check;

/*
 * What a series of page owners tells of them, in the ledger's numbers; and the tag of one of tags.
 * Figures are left 0.
 */
struct kmp_error *kmp_history_page(struct kmp_history *history, uint32_t number,
				   struct kmp_ledger *ledger, struct kmp_page *page) must_check;
struct kmp_error *kmp_history_tag(struct kmp_history *history, uint32_t number,
				  struct kmp_ledger *ledger, struct kmp_tag *tag) must_check;

#endif
