// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/outbox-inside.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"

DEFINE_CLEANUP(outbox, struct outbox *, outbox_destroy)

DEFINE_CLEANUP(entry, struct outbox_entry *, outbox_entry_destroy)

static struct kmp_error *no_memory(void)
{
	return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
}

/* What earlier processes left. */
static struct kmp_error *find_old(struct outbox *outbox)
{
	auto_free struct spool_file *files = NULL;
	size_t count = 0;

	try(spool_list(&outbox->spool, &files, &count));
	for (size_t i = 0; i < count; i++) {
		struct outbox_entry *entry cleanup(cleanup_entry) = calloc(1, sizeof(*entry));

		if (!entry)
			return no_memory();
		entry->file = files[i];
		entry->size = files[i].size;
		entry->old = true;
		try(outbox_add(outbox, entry));
		(void)no_free(entry);
	}
	return NULL;
}

struct kmp_error *outbox_create(const struct outbox_options *options, struct outbox **out)
{
	struct outbox *outbox cleanup(cleanup_outbox) = calloc(1, sizeof(*outbox));

	if (!outbox)
		return no_memory();
	outbox->options = *options;
	outbox->spool = (struct spool){ .dir = -1, .lock = -1 };
	pthread_mutex_init(&outbox->lock, NULL);
	pthread_cond_init(&outbox->changed, NULL);
	if (options->spool) {
		try(spool_open(options->spool, &outbox->spool));
		try(find_old(outbox));
	}
	*out = no_free(outbox);
	return NULL;
}

void outbox_destroy(struct outbox *outbox)
{
	if (!outbox)
		return;
	for (size_t i = 0; i < outbox->entries.len; i++)
		outbox_entry_destroy(outbox->entries.data[i]);
	vec_deinit(&outbox->entries);
	spool_close(&outbox->spool);
	pthread_mutex_destroy(&outbox->lock);
	pthread_cond_destroy(&outbox->changed);
	free(outbox);
}

static void set(struct outbox *outbox, bool *flag)
{
	pthread_mutex_lock(&outbox->lock);
	*flag = true;
	pthread_cond_broadcast(&outbox->changed);
	pthread_mutex_unlock(&outbox->lock);
}

void outbox_flush(struct outbox *outbox)
{
	set(outbox, &outbox->flush);
}

void outbox_end(struct outbox *outbox)
{
	set(outbox, &outbox->ended);
}

void outbox_stop(struct outbox *outbox)
{
	set(outbox, &outbox->stopped);
}

/* The next one that nobody has taken, or NULL. The lock is held. */
static struct outbox_entry *next_entry(struct outbox *outbox)
{
	for (size_t i = 0; i < outbox->entries.len; i++) {
		if (!outbox->entries.data[i]->taken)
			return outbox->entries.data[i];
	}
	return NULL;
}

/* Wait until it is worth while to begin a batch. The lock is held. */
static struct outbox_entry *await(struct outbox *outbox)
{
	for (;;) {
		struct outbox_entry *entry = next_entry(outbox);
		/* Few large inserts are cheaper for the server than many small ones. */
		bool more_comes = outbox->options.direct && !outbox->flush && !outbox->ended &&
				  outbox->rows < OUTBOX_ROWS;

		if (outbox->stopped || (!entry && outbox->ended))
			return NULL;
		if (entry && !more_comes)
			return entry;
		if (!entry)
			outbox->flush = false;
		pthread_cond_wait(&outbox->changed, &outbox->lock);
	}
}

static struct kmp_error *load(struct outbox *outbox, struct outbox_entry *entry,
			      struct push_sample **sample)
{
	if (entry->sample) {
		*sample = no_free(entry->sample);
		return NULL;
	}
	if (entry->file.name[0])
		return spool_read(&outbox->spool, entry->file.name, sample);
	return push_sample_decode(entry->bytes.bytes.data, entry->bytes.bytes.len, sample);
}

static size_t position(const struct outbox *outbox, const struct outbox_entry *entry)
{
	size_t at = 0;

	while (outbox->entries.data[at] != entry)
		at++;
	return at;
}

static void give_back(struct outbox *outbox, struct outbox_entry *entry)
{
	pthread_mutex_lock(&outbox->lock);
	entry->taken = false;
	outbox->rows += entry->rows;
	pthread_mutex_unlock(&outbox->lock);
}

/* A file that cannot be read will not be better the next time. */
static void drop_damaged(struct outbox *outbox, struct outbox_entry *entry, struct kmp_error *err)
{
	char *text = kmp_error_format(err);

	fprintf(stderr, "kmemprof: warning: a sample of the spool is lost: %s: %s\n",
		entry->file.name, text ? text : "out of memory");
	free(text);
	kmp_error_destroy(err);
	pthread_mutex_lock(&outbox->lock);
	outbox->stats.damaged++;
	outbox_remove(outbox, position(outbox, entry));
	pthread_mutex_unlock(&outbox->lock);
}

static uint64_t day_of(const struct push_sample *sample)
{
	return sample->at / (UINT64_C(86400) * 1000000000);
}

static bool fits(const struct outbox_batch *batch, size_t rows, const struct push_sample *sample)
{
	const struct push_sample *first = batch->samples.len ? batch->samples.data[0] : sample;

	return first->session == sample->session && day_of(first) == day_of(sample) &&
	       (!batch->samples.len || rows + sample->figures.len <= OUTBOX_ROWS) &&
	       batch->samples.len < OUTBOX_SAMPLES;
}

static struct outbox_entry *take_entry(struct outbox *outbox, bool wait)
{
	pthread_mutex_lock(&outbox->lock);
	struct outbox_entry *entry = wait	       ? await(outbox)
				     : outbox->stopped ? NULL
						       : next_entry(outbox);

	if (entry) {
		entry->taken = true;
		outbox->rows -= entry->rows;
	}
	pthread_mutex_unlock(&outbox->lock);
	return entry;
}

struct kmp_error *outbox_take(struct outbox *outbox, struct outbox_batch *batch)
{
	size_t rows = 0;

	batch->samples.len = 0;
	for (;;) {
		struct outbox_entry *entry = take_entry(outbox, !batch->samples.len);
		struct push_sample *sample = NULL;

		if (!entry)
			return NULL;
		struct kmp_error *err = load(outbox, entry, &sample);

		if (err && err->kind == KMP_ERROR_MEMORY)
			return err;
		if (err) {
			drop_damaged(outbox, entry, err);
			continue;
		}
		sample->waiting = entry;
		sample->doubtful = entry->old;
		sample->tried = entry->tried;
		if (!fits(batch, rows, sample)) {
			if (outbox->options.direct)
				entry->sample = no_free(sample);
			push_sample_destroy(sample);
			give_back(outbox, entry);
			return NULL;
		}
		rows += sample->figures.len;
		try(grow_push(&batch->samples, sample));
	}
}

static void forget(struct outbox_batch *batch)
{
	for (size_t i = 0; i < batch->samples.len; i++)
		push_sample_destroy(batch->samples.data[i]);
	batch->samples.len = 0;
}

void outbox_done(struct outbox *outbox, struct outbox_batch *batch)
{
	pthread_mutex_lock(&outbox->lock);
	for (size_t i = 0; i < batch->samples.len; i++)
		outbox_remove(outbox, position(outbox, batch->samples.data[i]->waiting));
	pthread_cond_broadcast(&outbox->changed);
	pthread_mutex_unlock(&outbox->lock);
	forget(batch);
}

void outbox_back(struct outbox *outbox, struct outbox_batch *batch)
{
	for (size_t i = 0; i < batch->samples.len; i++) {
		struct outbox_entry *entry = batch->samples.data[i]->waiting;

		entry->old = true;
		entry->tried = batch->samples.data[i]->tried;
		if (outbox->options.direct)
			entry->sample = no_free(batch->samples.data[i]);
		give_back(outbox, entry);
	}
	forget(batch);
}

void outbox_stats(struct outbox *outbox, struct outbox_stats *stats)
{
	pthread_mutex_lock(&outbox->lock);
	*stats = outbox->stats;
	pthread_mutex_unlock(&outbox->lock);
}
