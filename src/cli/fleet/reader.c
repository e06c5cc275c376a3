// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/reader.h"

#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "cli/clock.h"
#include "cli/fleet/labels.h"

DEFINE_CLEANUP(sample, struct push_sample *, push_sample_destroy)

enum { HOST_MAX = 255 };

static struct kmp_error *open_history(const struct cli_args *args, struct push_reader *reader)
{
	if (cli_value(args, "source"))
		return kmp_error_new(KMP_ERROR_USAGE, "a history and --source are two sources");
	try(cli_record_refuse(args));
	try(kmp_history_open(args->rest[0], &reader->history));
	return kmp_ledger_create(&reader->ledger);
}

struct kmp_error *push_reader_open(const struct cli_args *args, struct push_reader *reader)
{
	*reader = (struct push_reader){ .host = cli_value(args, "host") };
	if (reader->host && (!*reader->host || strlen(reader->host) > HOST_MAX))
		return kmp_error_new(KMP_ERROR_USAGE, "--host: a name of up to %d bytes", HOST_MAX);
	try(labels_read(args, &reader->labels));
	return args->count ? open_history(args, reader) : cli_feed_open(args, &reader->feed);
}

void push_reader_close(struct push_reader *reader)
{
	row_deinit(&reader->labels);
	gather_deinit(&reader->gather);
	cli_feed_deinit(&reader->feed);
	kmp_history_close(reader->history);
	kmp_ledger_destroy(reader->ledger);
}

static struct kmp_error *create(struct push_sample **sample)
{
	*sample = calloc(1, sizeof(**sample));
	return *sample ? NULL : kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
}

static void take_moment(const struct kmp_moment *moment, struct push_sample *sample)
{
	sample->at = moment->time;
	sample->uptime = moment->uptime;
	sample->memory_total = moment->memory_total;
	sample->memory_free = moment->memory_free;
	sample->memory_available = moment->memory_available;
}

static struct kmp_error *no_host(void)
{
	return kmp_error_new(KMP_ERROR_USAGE, "whose sample it is, is not told there: --host NAME");
}

/* Another machine's files do not tell whose they are, and perhaps not when. */
static struct kmp_error *name_other(struct push_reader *reader, struct push_sample *sample)
{
	const struct kmp_facts *facts = kmp_ledger_facts(reader->feed.ledger);

	if (!reader->host)
		return no_host();
	/* The same files, read again, are the same sample. */
	sample->doubtful = true;
	if (facts->time)
		sample->at = facts->time * UINT64_C(1000000000) + facts->time_ns;
	return push_sample_name(sample, reader->host, "", facts->kernel, &reader->labels);
}

static struct kmp_error *read_feed(struct push_reader *reader, struct push_sample *sample)
{
	struct cli_feed *feed = &reader->feed;
	struct kmp_moment moment, unknown = { .uptime = KMP_UNKNOWN,
					      .memory_total = KMP_UNKNOWN,
					      .memory_free = KMP_UNKNOWN,
					      .memory_available = KMP_UNKNOWN };

	kmp_moment_now(&moment);
	unknown.time = moment.time;
	take_moment(feed->own_machine ? &moment : &unknown, sample);
	struct kmp_sink sink = gather_begin(&reader->gather);

	try(cli_feed_read(feed, &sink));
	if (feed->recorder || kmp_source_holds(feed->source) & KMP_READ_PAGES)
		sample->holds |= KMP_READ_PAGES;
	if (feed->tags)
		sample->holds |= KMP_READ_TAGS;
	if (!feed->own_machine)
		return name_other(reader, sample);
	return push_sample_name(sample, reader->host ? reader->host : moment.host, moment.boot,
				moment.kernel, &reader->labels);
}

struct kmp_error *push_reader_now(struct push_reader *reader, struct push_sample **out)
{
	struct push_sample *sample cleanup(cleanup_sample) = NULL;

	try(create(&sample));
	reader->gather.all_names = true;
	try(read_feed(reader, sample));
	bool forget = reader->ledgers != reader->feed.ledgers;

	reader->ledgers = reader->feed.ledgers;
	try(gather_end(&reader->gather, reader->feed.ledger, forget, sample));
	*out = no_free(sample);
	return NULL;
}

static const char *host_of(const struct push_reader *reader, const struct kmp_sample *of)
{
	return reader->host ? reader->host : of->of->host;
}

struct kmp_error *push_reader_session(const struct push_reader *reader, const struct kmp_sample *of,
				      uint64_t *session)
{
	const char *host = host_of(reader, of);

	if (!*host)
		return no_host();
	*session = push_session(host, of->of->boot);
	return NULL;
}

struct kmp_error *push_reader_at(struct push_reader *reader, size_t index, struct push_sample **out)
{
	struct push_sample *sample cleanup(cleanup_sample) = NULL;
	const struct kmp_sample *of = kmp_history_sample(reader->history, index);

	try(create(&sample));
	sample->at = of->time;
	sample->uptime = of->uptime;
	sample->memory_total = of->of->memory_total;
	sample->memory_free = of->memory_free;
	sample->memory_available = of->memory_available;
	sample->holds = (uint8_t)of->holds;
	sample->doubtful = true;
	try(push_sample_name(sample, host_of(reader, of), of->of->boot, of->of->kernel,
			     &reader->labels));
	kmp_ledger_clear(reader->ledger);
	struct kmp_sink sink = gather_begin(&reader->gather);

	try(kmp_history_read(reader->history, index, of->holds, reader->ledger, &sink));
	try(gather_end(&reader->gather, reader->ledger, false, sample));
	*out = no_free(sample);
	return NULL;
}
