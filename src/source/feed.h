/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the blocks of page_owner text come from that the pipeline has parsed. */
#ifndef KMP_SOURCE_FEED_H
#define KMP_SOURCE_FEED_H

#include "format/page_owner.h"

struct kmp_po_block {
	char *text; /* cap + SCAN_PAD bytes */
	size_t cap;
	size_t len;
	bool at_end;   /* the text ends with this block */
	uint64_t lost; /* records that could not be read */
	uint64_t from; /* what the feed notes for fill(): a range of PFNs, to is exclusive */
	uint64_t to;
};

struct kmp_po_feed {
	/* The next block, whole or for fill() to fill, on the calling thread; *last of them all. */
	struct kmp_error *(*next)(void *arg, struct kmp_po_block *block, bool *last);
	/* What a parser's thread needs for fill(); both or none. */
	struct kmp_error *(*open)(void *arg, void **state);
	void (*close)(void *state);
	/* Fill the block, on a parser's thread; NULL: next() did. */
	struct kmp_error *(*fill)(void *arg, void *state, struct kmp_po_block *block);
	/* How far it is, for the progress. */
	uint64_t (*done)(void *arg);
	uint64_t (*total)(void *arg);
	void *arg;
};

/* Make room for cap bytes and the padding. */
struct kmp_error *kmp_po_block_grow(struct kmp_po_block *block, size_t cap) must_check;

/* Parse all that a feed gives, by as many threads as options ask for, into ledger and sink. */
struct kmp_error *kmp_po_run(const struct kmp_po_feed *feed, struct kmp_ledger *ledger,
			     const struct kmp_sink *sink,
			     const struct kmp_source_options *options) must_check;

#endif
