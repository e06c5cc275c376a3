// SPDX-License-Identifier: GPL-2.0-only
/*
 * Blocks of the running kernel's page_owner: each a range of PFNs that a parser's thread reads by a
 * descriptor of its own. An allocation belongs to the range that its first page is in, so that none
 * comes twice and none is missing, however the ranges are dealt out.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/scan.h"
#include "source/feed.h"
#include "source/native.h"

/*
 * The kernel makes its record in memory as large as our buffer, up to a page, allocated for each
 * read. Small objects it has at hand; over those of a page two readers get into each other's way
 * until a read takes twice its time.
 */
enum { RECORD_MAX = 64 << 10, RECORD_START = 512, BLOCK_START = 1 << 20 };

struct reader {
	int fd;
	size_t size;	  /* of the buffer that a record is read into first */
	unsigned reads;	  /* with this size */
	unsigned refused; /* because the record was longer */
};

static struct kmp_error *next(void *arg, struct kmp_po_block *block, bool *last)
{
	struct kmp_native *n = arg;
	const struct kmp_pfn_span *range = &n->ranges.data[n->next++];

	block->from = range->from;
	block->to = range->to;
	*last = n->next == n->ranges.len;
	if (!*last)
		n->done += range->to - range->from;
	return NULL;
}

static struct kmp_error *open_reader(void *arg, void **state)
{
	const struct kmp_native *n = arg;
	struct reader *r = malloc(sizeof(*r));

	if (!r)
		return &kmp_error_no_memory;
	*state = r;
	*r = (struct reader){ .size = RECORD_START };
	r->fd = open(n->path, (n->filter ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	if (r->fd < 0)
		return kmp_error_system(errno, n->path, "cannot open");
	if (n->filter && write(r->fd, n->filter, strlen(n->filter)) < 0)
		return kmp_error_system(errno, n->path, "cannot set the filter '%s'", n->filter);
	return NULL;
}

static void close_reader(void *state)
{
	struct reader *r = state;

	if (r->fd >= 0)
		close(r->fd);
	free(r);
}

/* A record longer than the kernel's page cannot be read at all: it is lost, and counted. */
static bool pass_over(const struct kmp_native *n, struct reader *r, struct kmp_po_block *block)
{
	off_t at = lseek(r->fd, 0, SEEK_CUR);

	if (!n->seek || at < 0 || lseek(r->fd, at + 1, SEEK_SET) < 0)
		return false;
	block->lost++;
	return true;
}

/* `…, ts 1 ns` or, 6.1 to 6.8, `…, free_ts 1 ns`, before the line's end. */
static bool ends_header(const char *record, const char *nl)
{
	const char *s = nl - 3;

	if (s < record || memcmp(s, " ns", 3) != 0)
		return false;
	while (s > record && scan_is_digit(s[-1]))
		s--;
	return (s - record >= 5 && !memcmp(s - 5, ", ts ", 5)) ||
	       (s - record >= 10 && !memcmp(s - 10, ", free_ts ", 10));
}

/*
 * Does the record just read lie behind the range? The position, its PFN + 1, tells, but to ask for
 * it takes a fifth of the time. So the record's second line does, unless the task's name, of 15
 * bytes at most, has a line's end in it: it has no room for a header's end and a PFN.
 */
static bool is_beyond(const struct reader *r, const struct kmp_po_block *block, size_t len)
{
	const char *record = block->text + block->len;
	const char *nl = memchr(record, '\n', len);
	const char *at = nl;
	uint64_t pfn;

	if (nl && ends_header(record, nl) && (size_t)(nl - record) + 32 < len &&
	    scan_word(&at, "\nPFN 0x") && scan_hex(&at, &pfn) && pfn < block->to)
		return false;
	return (uint64_t)lseek(r->fd, 0, SEEK_CUR) > block->to;
}

/* A record that does not fit is still the next one: the position moves with success alone. */
static ssize_t read_record(struct reader *r, char *record)
{
	ssize_t got = read(r->fd, record, r->size);

	r->reads++;
	if (got >= 0 || errno != ENOMEM || r->size >= RECORD_MAX)
		return got;
	r->refused++;
	if (r->refused > 16 && r->refused > r->reads / 16) {
		r->size *= 2;
		r->reads = r->refused = 0;
	}
	return read(r->fd, record, RECORD_MAX);
}

static struct kmp_error *fill(void *arg, void *state, struct kmp_po_block *block)
{
	const struct kmp_native *n = arg;
	struct reader *r = state;

	block->len = block->lost = 0;
	/* Each block is whole: the kernel hands out records and tears none. */
	block->at_end = true;
	if (block->cap < BLOCK_START)
		try(kmp_po_block_grow(block, BLOCK_START));
	if (n->seek && lseek(r->fd, (off_t)block->from, SEEK_SET) < 0)
		return kmp_error_system(errno, n->path, "cannot seek");
	for (;;) {
		if (block->cap - block->len < RECORD_MAX)
			try(kmp_po_block_grow(block, block->cap * 2));
		ssize_t got = read_record(r, block->text + block->len);

		if (got < 0 && (errno == EINTR || (errno == ENOMEM && pass_over(n, r, block))))
			continue;
		if (got < 0)
			return kmp_error_system(errno, n->path, "cannot read");
		if (!got || (n->seek && is_beyond(r, block, (size_t)got)))
			return NULL;
		block->len += (size_t)got;
	}
}

static uint64_t done(void *arg)
{
	return ((const struct kmp_native *)arg)->done;
}

static uint64_t total(void *arg)
{
	return ((const struct kmp_native *)arg)->total;
}

struct kmp_error *kmp_native_read(struct kmp_native *native, struct kmp_ledger *ledger,
				  const struct kmp_sink *sink,
				  const struct kmp_source_options *options)
{
	const struct kmp_po_feed feed = {
		.next = next,
		.open = open_reader,
		.close = close_reader,
		.fill = fill,
		.done = done,
		.total = total,
		.arg = native,
	};

	native->next = 0;
	native->done = 0;
	return kmp_error_at(kmp_po_run(&feed, ledger, sink, options), native->path);
}
