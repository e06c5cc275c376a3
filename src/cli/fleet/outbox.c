// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/outbox.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"

/* A sample that waits: itself, its bytes, or its file. */
struct entry {
	struct push_sample *sample;
	struct row_writer bytes;
	struct spool_file file;
	uint64_t size;
	size_t rows;
	bool taken;
	bool old;   /* it has been tried, or another process may have done so */
	bool tried; /* by us */
};

struct outbox {
	struct outbox_options options;
	struct spool spool;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	VEC(struct entry *) entries; /* oldest first */
	size_t rows;		     /* direct: of those that are not taken */
	bool flush;
	bool ended;
	bool stopped;
	struct outbox_stats stats;
};

DEFINE_CLEANUP(outbox, struct outbox *, outbox_destroy)
DEFINE_CLEANUP(sample, struct push_sample *, push_sample_destroy)

static void entry_destroy(struct entry *entry)
{
	if (!entry)
		return;
	push_sample_destroy(entry->sample);
	row_deinit(&entry->bytes);
	free(entry);
}
DEFINE_CLEANUP(entry, struct entry *, entry_destroy)

static struct kmp_error *no_memory(void)
{
	return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
}

static struct kmp_error *add_entry(struct outbox *outbox, struct entry *entry)
{
	try(grow_push(&outbox->entries, entry));
	outbox->stats.waiting++;
	outbox->stats.bytes += entry->size;
	outbox->rows += entry->rows;
	return NULL;
}

/* What earlier processes left. */
static struct kmp_error *find_old(struct outbox *outbox)
{
	auto_free struct spool_file *files = NULL;
	size_t count = 0;

	try(spool_list(&outbox->spool, &files, &count));
	for (size_t i = 0; i < count; i++) {
		struct entry *entry cleanup(cleanup_entry) = calloc(1, sizeof(*entry));

		if (!entry)
			return no_memory();
		entry->file = files[i];
		entry->size = files[i].size;
		entry->old = true;
		try(add_entry(outbox, entry));
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
		entry_destroy(outbox->entries.data[i]);
	vec_deinit(&outbox->entries);
	spool_close(&outbox->spool);
	pthread_mutex_destroy(&outbox->lock);
	pthread_cond_destroy(&outbox->changed);
	free(outbox);
}

/* Take it off the list; with its file, too. The lock is held. */
static void remove_entry(struct outbox *outbox, size_t at)
{
	struct entry *entry = outbox->entries.data[at];

	outbox->entries.len--;
	memmove(&outbox->entries.data[at], &outbox->entries.data[at + 1],
		(outbox->entries.len - at) * sizeof(struct entry *));
	outbox->stats.waiting--;
	outbox->stats.bytes -= entry->size;
	if (!entry->taken)
		outbox->rows -= entry->rows;
	if (entry->file.name[0])
		spool_remove(&outbox->spool, entry->file.name);
	entry_destroy(entry);
}

/* The oldest one that is not on its way goes; false: there is none. */
static bool drop_oldest(struct outbox *outbox)
{
	for (size_t i = 0; i < outbox->entries.len; i++) {
		if (outbox->entries.data[i]->taken)
			continue;
		remove_entry(outbox, i);
		outbox->stats.lost++;
		return true;
	}
	return false;
}

/* Room for so many bytes; false: however much is dropped, there is none. */
static bool make_room(struct outbox *outbox, uint64_t size)
{
	while (outbox->stats.bytes + size > outbox->options.max) {
		if (size > outbox->options.max || !drop_oldest(outbox))
			return false;
	}
	return true;
}

/* On a full disk, too, the oldest make room. */
static bool write_file(struct outbox *outbox, const struct push_sample *sample, struct entry *entry)
{
	for (;;) {
		struct kmp_error *err =
			spool_write(&outbox->spool, sample, &entry->bytes, &entry->file);

		if (!err)
			return true;
		char *text = kmp_error_format(err);

		if (!drop_oldest(outbox)) {
			fprintf(stderr, "kmemprof: warning: %s\n", text ? text : "out of memory");
			free(text);
			kmp_error_destroy(err);
			entry->file.name[0] = '\0';
			return false;
		}
		free(text);
		kmp_error_destroy(err);
	}
}

/* Does this very sample wait, or is on its way? */
static bool is_there(const struct outbox *outbox, const struct push_sample *sample)
{
	char name[SPOOL_NAME_SIZE];

	spool_name(sample, name);
	for (size_t i = 0; i < outbox->entries.len; i++) {
		if (!strcmp(outbox->entries.data[i]->file.name, name))
			return true;
	}
	return false;
}

static struct kmp_error *store(struct outbox *outbox, const struct push_sample *sample,
			       struct entry *entry)
{
	if (outbox->options.spool && is_there(outbox, sample)) {
		entry_destroy(entry);
		return NULL;
	}
	if (!make_room(outbox, entry->size) ||
	    (outbox->options.spool && !write_file(outbox, sample, entry))) {
		outbox->stats.lost++;
		entry_destroy(entry);
		return NULL;
	}
	if (outbox->options.spool)
		row_deinit(&entry->bytes);
	struct kmp_error *err = add_entry(outbox, entry);

	if (err)
		entry_destroy(entry);
	return err;
}

struct kmp_error *outbox_put(struct outbox *outbox, struct push_sample *given)
{
	struct push_sample *sample cleanup(cleanup_sample) = given;
	struct entry *entry cleanup(cleanup_entry) = calloc(1, sizeof(*entry));

	if (!entry)
		return no_memory();
	entry->old = sample->doubtful;
	if (!outbox->options.direct) {
		try(push_sample_encode(sample, &entry->bytes));
		entry->size = entry->bytes.bytes.len;
	} else {
		entry->rows = sample->figures.len + 1;
		entry->sample = no_free(sample);
	}
	pthread_mutex_lock(&outbox->lock);
	struct kmp_error *err =
		outbox->options.direct ? add_entry(outbox, entry) : store(outbox, sample, entry);

	if (!err || !outbox->options.direct)
		(void)no_free(entry);
	pthread_cond_broadcast(&outbox->changed);
	pthread_mutex_unlock(&outbox->lock);
	return err;
}

bool outbox_has_room(struct outbox *outbox)
{
	pthread_mutex_lock(&outbox->lock);
	bool room = outbox->rows < 2 * OUTBOX_ROWS;

	pthread_mutex_unlock(&outbox->lock);
	return room;
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
static struct entry *next_entry(struct outbox *outbox)
{
	for (size_t i = 0; i < outbox->entries.len; i++) {
		if (!outbox->entries.data[i]->taken)
			return outbox->entries.data[i];
	}
	return NULL;
}

/* Wait until it is worth while to begin a batch. The lock is held. */
static struct entry *await(struct outbox *outbox)
{
	for (;;) {
		struct entry *entry = next_entry(outbox);
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

static struct kmp_error *load(struct outbox *outbox, struct entry *entry,
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

static size_t position(const struct outbox *outbox, const struct entry *entry)
{
	size_t at = 0;

	while (outbox->entries.data[at] != entry)
		at++;
	return at;
}

static void give_back(struct outbox *outbox, struct entry *entry)
{
	pthread_mutex_lock(&outbox->lock);
	entry->taken = false;
	outbox->rows += entry->rows;
	pthread_mutex_unlock(&outbox->lock);
}

/* A file that cannot be read will not be better the next time. */
static void drop_damaged(struct outbox *outbox, struct entry *entry, struct kmp_error *err)
{
	char *text = kmp_error_format(err);

	fprintf(stderr, "kmemprof: warning: a sample of the spool is lost: %s: %s\n",
		entry->file.name, text ? text : "out of memory");
	free(text);
	kmp_error_destroy(err);
	pthread_mutex_lock(&outbox->lock);
	outbox->stats.damaged++;
	remove_entry(outbox, position(outbox, entry));
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

static struct entry *take_entry(struct outbox *outbox, bool wait)
{
	pthread_mutex_lock(&outbox->lock);
	struct entry *entry = wait ? await(outbox) : outbox->stopped ? NULL : next_entry(outbox);

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
		struct entry *entry = take_entry(outbox, !batch->samples.len);
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
		remove_entry(outbox, position(outbox, batch->samples.data[i]->waiting));
	pthread_cond_broadcast(&outbox->changed);
	pthread_mutex_unlock(&outbox->lock);
	forget(batch);
}

void outbox_back(struct outbox *outbox, struct outbox_batch *batch)
{
	for (size_t i = 0; i < batch->samples.len; i++) {
		struct entry *entry = batch->samples.data[i]->waiting;

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
