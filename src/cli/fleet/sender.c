// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/sender.h"

#include <inttypes.h>
#include <time.h>

#include "base/cleanup.h"
#include "cli/clock.h"
#include "cli/fleet/delivery.h"

enum { NAMES_MAX = 1000000 };

static const uint64_t second = UINT64_C(1000000000);
static const uint64_t first_pause = UINT64_C(250000000), last_pause = UINT64_C(30000000000);
static const uint64_t slice = UINT64_C(50000000);

struct kmp_error *sender_init(struct sender *sender, const struct sender_options *options,
			      struct outbox *outbox)
{
	*sender = (struct sender){ .options = *options,
				   .outbox = outbox,
				   .last_success = cli_clock_ns(CLOCK_MONOTONIC) };
	return clickhouse_open(&options->server, &sender->server);
}

void sender_deinit(struct sender *sender)
{
	for (int i = 0; i < SCHEMA_KINDS; i++)
		ids_deinit(&sender->told[i]);
	clickhouse_close(sender->server);
}

struct kmp_error *sender_prepare(struct sender *sender)
{
	auto_free char *note = NULL;

	try(clickhouse_connect(sender->server));
	try(schema_prepare(sender->server, &sender->options.schema, &note));
	if (note)
		fprintf(stderr, "kmemprof: %s\n", note);
	sender->ready = true;
	sender->last_expiry = sender->last_success = cli_clock_ns(CLOCK_MONOTONIC);
	return NULL;
}

static bool is_stopped(const struct sender *sender)
{
	return sender->options.server.stop && atomic_load(sender->options.server.stop);
}

/* Told once, however long it lasts. */
static void tell_trouble(struct sender *sender, const struct kmp_error *err)
{
	struct outbox_stats stats;

	sender->stats.failed++;
	if (sender->troubled && !sender->options.verbose)
		return;
	sender->troubled = true;
	outbox_stats(sender->outbox, &stats);
	char *text = kmp_error_format(err);

	fprintf(stderr, "kmemprof: warning: %s; %" PRIu64 " samples wait\n",
		text ? text : err->message, stats.waiting);
	free(text);
}

static void tell_success(struct sender *sender)
{
	sender->last_success = cli_clock_ns(CLOCK_MONOTONIC);
	if (sender->troubled)
		fprintf(stderr, "kmemprof: samples are sent again\n");
	sender->troubled = false;
}

enum verdict { AGAIN, LEAVE, FAIL };

static enum verdict judge(const struct sender *sender, const struct kmp_error *err, bool was_ready)
{
	const struct sender_options *options = &sender->options;
	bool ending = atomic_load(&sender->ending);
	double since = (double)(cli_clock_ns(CLOCK_MONOTONIC) - sender->last_success) / 1e9;

	if (err->kind == KMP_ERROR_MEMORY)
		return FAIL;
	if (is_stopped(sender))
		return LEAVE;
	if (!was_ready && (!options->patient || err->kind == KMP_ERROR_USAGE ||
			   clickhouse_trouble(sender->server) == CLICKHOUSE_REFUSED))
		return FAIL;
	if (ending && options->spooled)
		return LEAVE;
	if ((ending || !options->patient) && since > options->give_up)
		return options->patient ? LEAVE : FAIL;
	return AGAIN;
}

/* Wait, unless there is a reason not to. */
static void pause_for(const struct sender *sender, uint64_t ns)
{
	uint64_t end = cli_clock_ns(CLOCK_MONOTONIC) + ns;
	const struct timespec wait = { .tv_nsec = (long)slice };

	while (!is_stopped(sender) && cli_clock_ns(CLOCK_MONOTONIC) < end &&
	       !(atomic_load(&sender->ending) && sender->options.spooled))
		nanosleep(&wait, NULL);
}

/* Another one in each process, so that a thousand hosts do not come back at once. */
static uint64_t spread(uint64_t ns)
{
	return ns / 2 + cli_clock_ns(CLOCK_REALTIME) % (ns / 2);
}

/* With servers that have no TTL, each hour. */
static struct kmp_error *expire(struct sender *sender)
{
	uint64_t now = cli_clock_ns(CLOCK_MONOTONIC);

	if (now - sender->last_expiry < 3600 * second)
		return NULL;
	sender->last_expiry = now;
	return schema_expire(sender->server, &sender->options.schema);
}

static struct kmp_error *try_once(struct sender *sender, struct delivery *delivery)
{
	if (!sender->ready)
		try(sender_prepare(sender));
	try(delivery_start(delivery));
	try(delivery_try(delivery));
	return expire(sender);
}

static void count(struct sender *sender, const struct delivery *delivery)
{
	uint64_t samples = 0, rows = 0, there = 0;

	for (size_t i = 0; i < delivery->batch.samples.len; i++) {
		if (delivery->present[i] & DELIVERY_THERE) {
			there++;
			continue;
		}
		samples++;
		rows += delivery->batch.samples.data[i]->figures.len;
	}
	sender->stats.samples += samples;
	sender->stats.rows += rows;
	sender->stats.there += there;
	if (sender->options.verbose)
		fprintf(stderr,
			"kmemprof: %" PRIu64 " samples sent: %" PRIu64 " figures; %" PRIu64
			" were there\n",
			samples, rows, there);
}

/* Those that took part in it are done. */
static void finish(struct sender *sender, struct delivery *delivery)
{
	tell_success(sender);
	sender->silent = false;
	count(sender, delivery);
	outbox_done(sender->outbox, &delivery->batch);
	for (int i = 0; i < SCHEMA_KINDS; i++) {
		if (sender->told[i].used > NAMES_MAX)
			ids_deinit(&sender->told[i]);
	}
}

/* *wait: until the next try; *over: there is nothing more to do. */
static struct kmp_error *send_some(struct sender *sender, uint64_t *wait, bool *over)
{
	struct delivery delivery cleanup(delivery_deinit) = { .sender = sender };
	bool was_ready = sender->ready;

	try(outbox_take(sender->outbox, &delivery.batch));
	*over = !delivery.batch.samples.len;
	if (*over)
		return NULL;
	struct kmp_error *err = try_once(sender, &delivery);

	if (!err) {
		finish(sender, &delivery);
		*wait = 0;
		return NULL;
	}
	/* While nothing is tried, the oldest ones can make room. */
	outbox_back(sender->outbox, &delivery.batch);
	enum verdict verdict = judge(sender, err, was_ready);

	if (verdict == FAIL)
		return err;
	if (!is_stopped(sender))
		tell_trouble(sender, err);
	kmp_error_destroy(err);
	*over = verdict == LEAVE;
	*wait = !*wait ? first_pause : *wait * 2 < last_pause ? *wait * 2 : last_pause;
	sender->silent |= clickhouse_trouble(sender->server) == CLICKHOUSE_SILENT;
	return NULL;
}

struct kmp_error *sender_run(struct sender *sender)
{
	uint64_t wait = 0;
	bool over = false;

	while (!over) {
		try(send_some(sender, &wait, &over));
		if (wait && !over)
			pause_for(sender, spread(wait));
	}
	return NULL;
}
