// SPDX-License-Identifier: GPL-2.0-only
#include "cli/capture-series.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/clock.h"
#include "cli/common.h"
#include "cli/ticker.h"

DEFINE_CLEANUP(ledger, struct kmp_ledger *, kmp_ledger_destroy)
DEFINE_CLEANUP(source, struct kmp_source *, kmp_source_close)
DEFINE_CLEANUP(store, struct kmp_store *, kmp_store_abort)

static const uint64_t second = UINT64_C(1000000000);

struct series {
	struct kmp_source *source;
	struct kmp_ledger *ledger;
	struct kmp_store *store;
	const char *from;
	uint64_t interval; /* ns */
	uint64_t count;	   /* 0: until a signal comes */
	uint64_t taken;
	uint64_t stacks; /* of the last snapshot */
	struct cli_ticker ticker;
};

static struct kmp_error *count_stacks(void *arg, struct kmp_ledger *ledger,
				      const struct kmp_page *pages, size_t count)
{
	struct series *s = arg;
	struct kmp_sink sink = kmp_store_sink(s->store);

	s->stacks += count;
	return sink.pages(sink.arg, ledger, pages, count);
}

static struct kmp_error *take(struct series *s)
{
	struct kmp_sink sink = { count_stacks, s, kmp_store_sink(s->store).columns };

	s->stacks = 0;
	try(kmp_source_read(s->source, s->ledger, KMP_READ_COUNTS, &sink));
	if (!s->stacks && !s->taken)
		return kmp_error_new(KMP_ERROR_INPUT,
				     "%s: has no counts by stack: page_owner_stacks/show_handles "
				     "(Linux 7.3) or show_stacks (6.9)",
				     s->from);
	s->taken++;
	return kmp_store_next(s->store, s->ledger);
}

static struct kmp_error *take_all(struct series *s)
{
	cli_ticker_start(&s->ticker, s->interval);
	for (;;) {
		try(take(s));
		if (s->taken == s->count || !cli_ticker_wait(&s->ticker))
			return NULL;
	}
}

static struct kmp_error *read_options(const struct cli_args *args, struct series *s)
{
	static const char *const useless[] = { "node", "mode", "threads" };

	for (size_t i = 0; i < sizeof(useless) / sizeof(*useless); i++) {
		if (cli_value(args, useless[i]))
			return kmp_error_new(KMP_ERROR_USAGE,
					     "counts by stack know no --%s: leave it out, or "
					     "--interval and --count",
					     useless[i]);
	}
	s->interval = second;
	if (cli_value(args, "interval"))
		try(cli_interval(args, "interval", &s->interval));
	if (!cli_value(args, "count"))
		return NULL;
	try(cli_number(args, "count", &s->count));
	return s->count ? NULL
			: kmp_error_new(KMP_ERROR_USAGE, "--count: 0 snapshots are none at all");
}

static void print_summary(const struct series *s, const char *path, uint64_t ns)
{
	struct stat st;

	printf("%s: %" PRIu64 " snapshots of %" PRIu64 " stacks in %.1f s", path, s->taken,
	       s->stacks, (double)ns / (double)second);
	if (!stat(path, &st)) {
		printf("; the file has ");
		cli_print_size((uint64_t)st.st_size);
	}
	putchar('\n');
}

struct kmp_error *cli_capture_series(struct cli_args *args, const char *from, const char *path,
				     bool append)
{
	struct kmp_ledger *ledger cleanup(cleanup_ledger) = NULL;
	struct kmp_source *source cleanup(cleanup_source) = NULL;
	struct kmp_store *store cleanup(cleanup_store) = NULL;
	struct series s = { .from = !from || !strcmp(from, "kernel") ? CLI_KERNEL : from };
	uint64_t start = cli_clock_ns(CLOCK_MONOTONIC);

	try(read_options(args, &s));
	try(cli_source_open(s.from, KMP_READ_PAGES, NULL, &source));
	try(kmp_ledger_create(&ledger));
	try(kmp_store_create(path, append, &store));
	kmp_store_pack(store);
	s.source = source;
	s.ledger = ledger;
	s.store = store;
	try(take_all(&s));
	try(kmp_store_commit(no_free(store), NULL));
	if (!cli_value(args, "quiet"))
		print_summary(&s, path, cli_clock_ns(CLOCK_MONOTONIC) - start);
	if (s.ticker.late)
		fprintf(stderr,
			"kmemprof: warning: %" PRIu64 " of %" PRIu64
			" snapshots came late: reading takes longer than the interval\n",
			s.ticker.late, s.taken);
	cli_report_ledger(args, ledger);
	return NULL;
}
