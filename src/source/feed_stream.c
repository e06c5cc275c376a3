// SPDX-License-Identifier: GPL-2.0-only
/* Blocks of a stream: each ends where the last record in it begins. */
#include "base/scan.h"
#include "source/feed.h"
#include "source/source.h"

enum { BLOCK_SIZE = 512 << 10, BLOCK_MAX = 64 << 20 };

struct stream {
	struct kmp_input *input;
	char *rest; /* the beginning of the record that the last block ended in */
	size_t rest_len;
	size_t rest_cap;
	bool end;
};

struct kmp_error *kmp_po_block_grow(struct kmp_po_block *block, size_t cap)
{
	char *text = realloc(block->text, cap + SCAN_PAD);

	if (!text)
		return &kmp_error_no_memory;
	block->text = text;
	block->cap = cap;
	return NULL;
}

static struct kmp_error *fill(struct stream *st, struct kmp_po_block *block)
{
	while (block->len < block->cap && !st->end) {
		size_t got;

		try(kmp_input_read(st->input, block->text + block->len, block->cap - block->len,
				   &got));
		block->len += got;
		st->end = !got;
	}
	return NULL;
}

/* Keep what is behind the last whole record for the next block. */
static struct kmp_error *keep_rest(struct stream *st, struct kmp_po_block *block, size_t split)
{
	size_t len = block->len - split;

	if (len > st->rest_cap) {
		char *rest = realloc(st->rest, len);

		if (!rest)
			return &kmp_error_no_memory;
		st->rest = rest;
		st->rest_cap = len;
	}
	memcpy(st->rest, block->text + split, len);
	st->rest_len = len;
	block->len = split;
	return NULL;
}

/* Read the next block of whole records. */
static struct kmp_error *read_block(struct stream *st, struct kmp_po_block *block)
{
	size_t split;

	block->len = 0;
	if (block->cap < BLOCK_SIZE + st->rest_len)
		try(kmp_po_block_grow(block, BLOCK_SIZE + st->rest_len));
	if (st->rest_len)
		memcpy(block->text, st->rest, st->rest_len);
	block->len = st->rest_len;
	st->rest_len = 0;
	for (;;) {
		try(fill(st, block));
		block->at_end = st->end;
		if (block->at_end)
			break;
		split = kmp_po_split(block->text, block->len);
		if (split)
			return keep_rest(st, block, split);
		/* Not one record ends here: more of it, or text that has none. */
		if (block->cap >= BLOCK_MAX) {
			const char *nl = memrchr(block->text, '\n', block->len);

			return nl ? keep_rest(st, block, (size_t)(nl + 1 - block->text)) : NULL;
		}
		try(kmp_po_block_grow(block, block->cap * 2));
	}
	return NULL;
}

static struct kmp_error *next(void *arg, struct kmp_po_block *block, bool *last)
{
	struct stream *st = arg;

	try(read_block(st, block));
	*last = st->end && !st->rest_len;
	return NULL;
}

static uint64_t done(void *arg)
{
	return kmp_input_done(((struct stream *)arg)->input);
}

static uint64_t total(void *arg)
{
	return kmp_input_total(((struct stream *)arg)->input);
}

struct kmp_error *kmp_po_read(struct kmp_input *input, struct kmp_ledger *ledger,
			      const struct kmp_sink *sink, const struct kmp_source_options *options)
{
	struct stream st = { .input = input };
	const struct kmp_po_feed feed = { .next = next, .done = done, .total = total, .arg = &st };
	struct kmp_error *err = kmp_po_run(&feed, ledger, sink, options);

	free(st.rest);
	return kmp_error_at(err, kmp_input_path(input));
}
