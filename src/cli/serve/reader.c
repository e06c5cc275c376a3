// SPDX-License-Identifier: GPL-2.0-only
#include "cli/serve/reader.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/clock.h"
#include "cli/common.h"
#include "cli/kernel.h"

DEFINE_CLEANUP(ledger, struct kmp_ledger *, kmp_ledger_destroy)
DEFINE_CLEANUP(sample, struct serve_sample *, serve_sample_put)
DEFINE_CLEANUP(source, struct kmp_source *, kmp_source_close)

static const char allocinfo[] = "/proc/allocinfo";

static struct kmp_error *open_recorder(struct serve_reader *reader, const struct cli_args *args)
{
	struct kmp_recorder_options *options = &reader->job.options;

	try(cli_record_live(args, &reader->job));
	options->what = KMP_READ_PAGES | (cli_value(args, "tags") ? KMP_READ_TAGS : 0);
	try(kmp_recorder_create(options, &reader->recorder));
	return kmp_recorder_start(reader->recorder);
}

struct kmp_error *serve_reader_open(struct serve_reader *reader, const struct cli_args *args)
{
	const char *missing, *source = cli_value(args, "source");

	*reader = (struct serve_reader){ .path = source ? source : "kernel",
					 .redact = cli_value(args, "redact") != NULL };
	if (!strcmp(reader->path, "live"))
		return open_recorder(reader, args);
	try(cli_record_refuse(args));
	if (!strcmp(reader->path, "-"))
		return kmp_error_new(KMP_ERROR_USAGE, "standard input can be read but once");
	if (!strcmp(reader->path, "kernel")) {
		reader->kernel = true;
		return cli_kernel_choose(&reader->path, &missing);
	}
	if (kmp_history_probe(reader->path))
		return kmp_history_open(reader->path, &reader->history);
	return NULL;
}

void serve_reader_close(struct serve_reader *reader)
{
	kmp_recorder_destroy(reader->recorder);
	kmp_history_close(reader->history);
	cli_record_deinit(&reader->job);
	*reader = (struct serve_reader){ 0 };
}

static struct kmp_error *read_tags(const char *path, struct serve_sample *sample)
{
	struct kmp_ledger *ledger cleanup(cleanup_ledger) = NULL;
	struct kmp_source *source cleanup(cleanup_source) = NULL;

	try(kmp_ledger_create(&ledger));
	try(kmp_source_open(path, NULL, &source));
	try(kmp_source_read(source, ledger, KMP_READ_TAGS, NULL));
	return serve_sample_take_tags(sample, ledger);
}

static struct kmp_error *read_source(const struct serve_reader *reader, struct serve_sample *sample,
				     const struct kmp_sink *sink)
{
	struct kmp_source *source cleanup(cleanup_source) = NULL;
	uint32_t both = KMP_READ_PAGES | KMP_READ_TAGS;
	const char *tags = reader->path;

	try(kmp_source_open(reader->path, NULL, &source));
	sample->holds = kmp_source_holds(source) & both;
	if (sample->holds & KMP_READ_PAGES)
		try(kmp_source_read(source, sample->ledger, KMP_READ_PAGES, sink));
	if (reader->kernel && !(sample->holds & KMP_READ_TAGS) && !access(allocinfo, R_OK)) {
		tags = allocinfo;
		sample->holds |= KMP_READ_TAGS;
	}
	if (!sample->holds)
		return kmp_error_new(KMP_ERROR_INPUT, "%s: holds neither page owners nor tags",
				     reader->path);
	return sample->holds & KMP_READ_TAGS ? read_tags(tags, sample) : NULL;
}

static struct kmp_error *read_recorder(struct serve_reader *reader, struct serve_sample *sample,
				       const struct kmp_sink *sink)
{
	sample->holds = reader->job.options.what;
	try(kmp_recorder_read(reader->recorder, sample->ledger, sink));
	return sample->holds & KMP_READ_TAGS ? serve_sample_take_tags(sample, sample->ledger)
					     : NULL;
}

static struct kmp_error *read_history(struct serve_reader *reader, size_t index,
				      struct serve_sample *sample, const struct kmp_sink *sink)
{
	struct kmp_ledger *ledger cleanup(cleanup_ledger) = NULL;
	const struct kmp_sample *of = kmp_history_sample(reader->history, index);

	sample->holds = of->holds;
	sample->time = of->time;
	if (sample->holds & KMP_READ_PAGES)
		try(kmp_history_read(reader->history, index, KMP_READ_PAGES, sample->ledger, sink));
	if (!(sample->holds & KMP_READ_TAGS))
		return NULL;
	try(kmp_ledger_create(&ledger));
	try(kmp_history_read(reader->history, index, KMP_READ_TAGS, ledger, NULL));
	return serve_sample_take_tags(sample, ledger);
}

/* Nothing can have changed: the same history, or a file that is as it was. */
static struct kmp_error *is_as_it_was(struct serve_reader *reader, bool *same)
{
	struct stat st;

	*same = false;
	if (reader->history) {
		bool changed;

		try(kmp_history_refresh(reader->history, &changed));
		*same = reader->number && !changed;
		return NULL;
	}
	if (reader->recorder || reader->kernel || stat(reader->path, &st) || !S_ISREG(st.st_mode) ||
	    !st.st_size)
		return NULL;
	*same = reader->number && st.st_ino == reader->last.st_ino &&
		st.st_dev == reader->last.st_dev && st.st_size == reader->last.st_size &&
		!memcmp(&st.st_mtim, &reader->last.st_mtim, sizeof(st.st_mtim));
	reader->last = st;
	return NULL;
}

static struct kmp_error *read_at(struct serve_reader *reader, size_t index,
				 struct serve_sample **out)
{
	struct serve_sample *sample cleanup(cleanup_sample) = NULL;
	struct serve_gather gather cleanup(serve_gather_deinit) = { 0 };
	uint64_t start = cli_clock_ns(CLOCK_MONOTONIC);

	try(serve_sample_create(reader->redact, &sample));
	gather.sample = sample;
	struct kmp_sink sink = serve_gather_sink(&gather);

	sample->time = cli_clock_ns(CLOCK_REALTIME);
	if (reader->recorder)
		try(read_recorder(reader, sample, &sink));
	else if (reader->history)
		try(read_history(reader, index, sample, &sink));
	else
		try(read_source(reader, sample, &sink));
	sample->seconds = (double)(cli_clock_ns(CLOCK_MONOTONIC) - start) / 1e9;
	*out = no_free(sample);
	return NULL;
}

struct kmp_error *serve_reader_next(struct serve_reader *reader, struct serve_sample **sample)
{
	bool same;

	*sample = NULL;
	try(is_as_it_was(reader, &same));
	if (same)
		return NULL;
	struct kmp_error *err = read_at(
		reader, reader->history ? kmp_history_count(reader->history) - 1 : 0, sample);

	if (err) {
		/* It may be whole the next time. */
		reader->last = (struct stat){ 0 };
		return err;
	}
	(*sample)->number = ++reader->number;
	return NULL;
}

struct kmp_error *serve_reader_at(struct serve_reader *reader, const char *when,
				  struct serve_sample **sample)
{
	size_t index;

	try(kmp_history_find(reader->history, when, &index));
	return read_at(reader, index, sample);
}
