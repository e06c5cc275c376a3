// SPDX-License-Identifier: GPL-2.0-only
/* What `push` does, in the program kmemprof-fleet: one thread reads samples, another sends them. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "cli/clock.h"
#include "cli/common.h"
#include "cli/fleet/push.h"
#include "cli/fleet/reader.h"
#include "cli/fleet/sender.h"
#include "cli/launch.h"
#include "cli/ticker.h"

static const uint64_t second = UINT64_C(1000000000);
static const double history_gives_up = 600;

/* After a signal, what waits without a spool has so long to get away. */
static const uint64_t grace = UINT64_C(5000000000);

static void push_deinit(struct push *push)
{
	push_reader_close(&push->reader);
	if (push->sender.server)
		sender_deinit(&push->sender);
	outbox_destroy(push->outbox);
}

static struct kmp_error *read_times(const struct cli_args *args, struct push *push)
{
	uint64_t timeout = 60 * second, ttl = 0;

	push->repeats = cli_value(args, "interval") != NULL;
	if (push->repeats)
		try(cli_interval(args, "interval", &push->interval));
	push->count = push->repeats || args->count ? 0 : 1;
	if (cli_value(args, "count"))
		try(cli_number(args, "count", &push->count));
	if (cli_value(args, "timeout"))
		try(cli_interval(args, "timeout", &timeout));
	if (cli_value(args, "ttl"))
		try(cli_interval(args, "ttl", &ttl));
	if (timeout < second / 10)
		return kmp_error_new(KMP_ERROR_USAGE, "--timeout: at least 100ms");
	if (cli_value(args, "ttl") && ttl < 60 * second)
		return kmp_error_new(KMP_ERROR_USAGE, "--ttl: at least 1m");
	push->options.server.timeout = (double)timeout / 1e9;
	push->options.schema.ttl = ttl / second;
	return NULL;
}

static struct kmp_error *read_options(const struct cli_args *args, struct push *push)
{
	struct sender_options *options = &push->options;
	int64_t max = INT64_C(256) << 20;

	options->server =
		(struct clickhouse_options){ .url = cli_value(args, "to"),
					     .password_file = cli_value(args, "password-file"),
					     .ca_file = cli_value(args, "ca-file"),
					     .stop = &push->stop };
	if (!options->server.url)
		return kmp_error_new(KMP_ERROR_USAGE, "--to is missing: where to push");
	options->schema.cluster = cli_value(args, "cluster");
	try(read_times(args, push));
	if (cli_value(args, "spool-max"))
		try(cli_size(args, "spool-max", &max));
	if (max < 4096)
		return kmp_error_new(KMP_ERROR_USAGE, "--spool-max: at least 4K");
	push->box = (struct outbox_options){ .spool = cli_value(args, "spool"),
					     .max = (uint64_t)max,
					     .direct = args->count > 0 };
	if (push->box.spool && args->count)
		return kmp_error_new(KMP_ERROR_USAGE,
				     "a history keeps its samples itself: no --spool");
	options->spooled = push->box.spool || args->count;
	options->patient = push->repeats || push->box.spool;
	options->verbose = cli_value(args, "verbose") != NULL;
	options->give_up = args->count ? history_gives_up : options->server.timeout;
	return NULL;
}

/* ---- Two threads ---------------------------------------------------------------------------- */

static void *send_all(void *arg)
{
	struct push *push = arg;

	push->sender_error = sender_run(&push->sender);
	atomic_store(&push->sender_over, 1);
	/* The reader may be waiting for its next time: a signal ends that. */
	if (push->sender_error)
		kill(getpid(), SIGTERM);
	return NULL;
}

/* Wait for a time at most; false: a signal came, or the sender has ended. */
bool push_wait(struct push *push, uint64_t ns)
{
	const struct timespec wait = { (time_t)(ns / second), (long)(ns % second) };

	if (atomic_load(&push->sender_over))
		return false;
	if (sigtimedwait(&push->ticker.signals, NULL, &wait) <= 0)
		return !atomic_load(&push->sender_over);
	push->interrupted = !atomic_load(&push->sender_over);
	return false;
}

/* A sample that fails when others did not is told, and the next one tried. */
static struct kmp_error *bear(struct push *push, struct kmp_error *err)
{
	if (!err || !push->read || err->kind == KMP_ERROR_MEMORY || err->kind == KMP_ERROR_USAGE)
		return err;
	char *text = kmp_error_format(err);

	push->unread++;
	fprintf(stderr, "kmemprof: warning: a sample is lost: %s\n", text ? text : "out of memory");
	free(text);
	kmp_error_destroy(err);
	return NULL;
}

static struct kmp_error *push_one(struct push *push)
{
	struct push_sample *sample = NULL;

	try(push_reader_now(&push->reader, &sample));
	push->read++;
	push->lost_records += sample->lost != 0;
	return outbox_put(push->outbox, sample);
}

static struct kmp_error *push_feed(struct push *push)
{
	for (;;) {
		try(bear(push, push_one(push)));
		if (push->read + push->unread == push->count)
			return NULL;
		if (!cli_ticker_wait(&push->ticker)) {
			push->interrupted = !atomic_load(&push->sender_over);
			return NULL;
		}
	}
}

/* All was read: the sender may have time for the rest. */
static void finish(struct push *push)
{
	atomic_store(&push->sender.ending, 1);
	outbox_end(push->outbox);
	/* A history keeps what was not sent; others may have time for what is on its way. */
	for (uint64_t waited = 0; !atomic_load(&push->sender_over); waited += second / 20) {
		bool before = push->interrupted;

		if (before && (push->box.direct || waited > grace))
			break;
		if (push_wait(push, second / 20) || !push->interrupted)
			continue;
		/* A second signal is meant. */
		if (before)
			break;
		waited = 0;
	}
	if (!atomic_load(&push->sender_over)) {
		atomic_store(&push->stop, 1);
		outbox_stop(push->outbox);
	}
}

static struct kmp_error *run_threads(struct push *push)
{
	pthread_t thread;
	int failed = pthread_create(&thread, NULL, send_all, push);

	if (failed)
		return kmp_error_system(failed, NULL, "no thread to send");
	struct kmp_error *err = push->reader.history ? push_history(push) : push_feed(push);

	if (err)
		push->interrupted = true;
	finish(push);
	pthread_join(thread, NULL);
	if (!err)
		return no_free(push->sender_error);
	kmp_error_destroy(push->sender_error);
	return err;
}

/* ---- What is said at the end ---------------------------------------------------------------- */

static void tell_losses(struct cli_args *args, const struct push *push,
			const struct outbox_stats *box)
{
	uint64_t gone = push->options.spooled ? 0 : box->waiting;

	if (box->lost)
		fprintf(stderr,
			"kmemprof: %" PRIu64 " samples are lost: no room while they waited\n",
			box->lost);
	if (gone)
		fprintf(stderr, "kmemprof: %" PRIu64 " samples are lost: they were not sent\n",
			gone);
	if (push->unread)
		fprintf(stderr, "kmemprof: %" PRIu64 " samples could not be read\n", push->unread);
	if (push->lost_records)
		fprintf(stderr, "kmemprof: records are missing in %" PRIu64 " samples\n",
			push->lost_records);
	if (box->lost || box->damaged || gone || push->unread || push->lost_records)
		args->status = CLI_LOSSES;
}

static void tell(struct cli_args *args, const struct push *push)
{
	const struct sender_stats *stats = &push->sender.stats;
	struct outbox_stats box;

	outbox_stats(push->outbox, &box);
	if (!cli_value(args, "quiet")) {
		printf("%s: %" PRIu64 " samples sent, %" PRIu64 " figures",
		       clickhouse_name(push->sender.server), stats->samples, stats->rows);
		if (stats->there + push->there)
			printf("; %" PRIu64 " samples were there", stats->there + push->there);
		printf("\n");
	}
	if (box.waiting && push->box.spool)
		fprintf(stderr, "kmemprof: %" PRIu64 " samples wait in %s\n", box.waiting,
			push->box.spool);
	tell_losses(args, push, &box);
}

static struct kmp_error *setup(struct push *push)
{
	try(outbox_create(&(struct outbox_options){ .direct = true }, &push->outbox));
	try(sender_init(&push->sender, &push->options, push->outbox));
	return sender_prepare(&push->sender);
}

struct kmp_error *cli_push_run(struct cli_args *args)
{
	struct push push cleanup(push_deinit) = { 0 };

	try(read_options(args, &push));
	if (cli_value(args, "setup"))
		return setup(&push);
	/* Before there are threads: they inherit that signals are blocked. */
	cli_ticker_start(&push.ticker, push.interval);
	try(outbox_create(&push.box, &push.outbox));
	try(sender_init(&push.sender, &push.options, push.outbox));
	try(push_reader_open(args, &push.reader));
	if (!push.options.patient)
		try(sender_prepare(&push.sender));
	push.ticker.deadline = cli_clock_ns(CLOCK_MONOTONIC);
	struct kmp_error *err = run_threads(&push);

	tell(args, &push);
	return err;
}
