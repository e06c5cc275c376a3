/* SPDX-License-Identifier: GPL-2.0-only */
/* A history being written: what its parts share. */
#ifndef KMP_STORE_HISTORY_H
#define KMP_STORE_HISTORY_H

#include "store/dicts.h"
#include "store/history-code.h"
#include "store/history-series.h"
#include "store/history-slots.h"
#include "store/history-time.h"

enum { HISTORY_SPACING = 64, HISTORY_SPACING_MAX = 4096 };

/* Samples of which the first can be read by itself and each other one needs the one before. */
struct kmp_block {
	int64_t id; /* of its first sample */
	int64_t last;
	uint64_t last_time; /* ns */
	uint64_t step;	    /* how far apart its samples are by now, 0: as they were taken */
	size_t count;
};

/* A tag that came at this place of the list before. */
struct kmp_known_tag {
	struct kmp_tag tag;
	uint32_t series; /* number */
};

struct kmp_history_writer {
	char *path;
	int lock_fd;
	sqlite3 *db;
	sqlite3_stmt *add_sample;
	sqlite3_stmt *add_change;
	sqlite3_stmt *add_series;
	struct kmp_keep keep;
	unsigned spacing;
	struct kmp_slots slots;
	struct kmp_sample_coder coder;
	/* What stands in the file; after an error it must be read again. */
	bool stale;
	struct kmp_dicts dicts;
	struct kmp_series_list series;
	VEC(struct kmp_block) blocks; /* the last one is being written */
	struct kmp_figures before;    /* the last sample's */
	struct kmp_figures latest;    /* what table `latest` has */
	size_t own_size;	      /* of slots.own, when it was written */
	int64_t sample;		      /* id of the last sample, 0: none */
	int64_t session;	      /* id of the last session, 0: none */
	char host[72];		      /* the last session's */
	bool session_known;	      /* it is the one that session_key tells */
	VEC(char) session_key;
	/* Of this process. */
	struct kmp_figures now;
	VEC(uint32_t) slot_series; /* by slot: number of the series + 1, 0: not known */
	VEC(struct kmp_known_tag) tags;
	uint64_t tags_of; /* serial of the ledger whose strings they hold */
	size_t warnings;  /* of that ledger, written */
	struct kmp_history_stats stats;
};

/* What the figures of a sample add up to. */
struct kmp_totals {
	uint32_t holds;
	uint64_t pages;
	uint64_t records;
	uint64_t bytes;
	uint64_t calls;
};

/* Fill writer->now from slots and tags, and write the rows that their series take. */
struct kmp_error *kmp_history_gather(struct kmp_history_writer *writer,
				     const struct kmp_ledger *ledger,
				     struct kmp_totals *totals) must_check;

/* KMP_ERROR_INPUT if the history is another machine's. */
struct kmp_error *kmp_history_check_host(const struct kmp_history_writer *writer,
					 const struct kmp_moment *moment) must_check;

/* Write a session, unless the last one was the same; warnings that are new. */
struct kmp_error *kmp_history_session(struct kmp_history_writer *writer,
				      const struct kmp_ledger *ledger,
				      const struct kmp_moment *moment) must_check;
struct kmp_error *kmp_history_warnings(struct kmp_history_writer *writer,
				       const struct kmp_ledger *ledger) must_check;

/* Read what stands in the file, in place of what is known of it. */
struct kmp_error *kmp_history_load(struct kmp_history_writer *writer) must_check;

/* Thin out and drop what is too old by now (ns). */
struct kmp_error *kmp_history_thin(struct kmp_history_writer *writer, uint64_t now) must_check;

#endif
