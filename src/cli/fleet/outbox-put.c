// SPDX-License-Identifier: GPL-2.0-only
/* What comes into an outbox, and what has to make room for it. */
#include <string.h>

#include "base/cleanup.h"
#include "cli/fleet/outbox-inside.h"

void outbox_entry_destroy(struct outbox_entry *entry)
{
	if (!entry)
		return;
	push_sample_destroy(entry->sample);
	row_deinit(&entry->bytes);
	free(entry);
}
DEFINE_CLEANUP(entry, struct outbox_entry *, outbox_entry_destroy)
DEFINE_CLEANUP(sample, struct push_sample *, push_sample_destroy)

struct kmp_error *outbox_add(struct outbox *outbox, struct outbox_entry *entry)
{
	try(grow_push(&outbox->entries, entry));
	outbox->stats.waiting++;
	outbox->stats.bytes += entry->size;
	outbox->rows += entry->rows;
	return NULL;
}

void outbox_remove(struct outbox *outbox, size_t at)
{
	struct outbox_entry *entry = outbox->entries.data[at];

	outbox->entries.len--;
	memmove(&outbox->entries.data[at], &outbox->entries.data[at + 1],
		(outbox->entries.len - at) * sizeof(struct outbox_entry *));
	outbox->stats.waiting--;
	outbox->stats.bytes -= entry->size;
	if (!entry->taken)
		outbox->rows -= entry->rows;
	if (entry->file.name[0])
		spool_remove(&outbox->spool, entry->file.name);
	outbox_entry_destroy(entry);
}

/* The oldest one that is not on its way goes; false: there is none. */
static bool drop_oldest(struct outbox *outbox)
{
	for (size_t i = 0; i < outbox->entries.len; i++) {
		if (outbox->entries.data[i]->taken)
			continue;
		outbox_remove(outbox, i);
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
static bool write_file(struct outbox *outbox, const struct push_sample *sample,
		       struct outbox_entry *entry)
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
			       struct outbox_entry *entry)
{
	if (outbox->options.spool && is_there(outbox, sample)) {
		outbox_entry_destroy(entry);
		return NULL;
	}
	if (!make_room(outbox, entry->size) ||
	    (outbox->options.spool && !write_file(outbox, sample, entry))) {
		outbox->stats.lost++;
		outbox_entry_destroy(entry);
		return NULL;
	}
	if (outbox->options.spool)
		row_deinit(&entry->bytes);
	struct kmp_error *err = outbox_add(outbox, entry);

	if (err)
		outbox_entry_destroy(entry);
	return err;
}

struct kmp_error *outbox_put(struct outbox *outbox, struct push_sample *given)
{
	struct push_sample *sample cleanup(cleanup_sample) = given;
	struct outbox_entry *entry cleanup(cleanup_entry) = calloc(1, sizeof(*entry));

	if (!entry)
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
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
		outbox->options.direct ? outbox_add(outbox, entry) : store(outbox, sample, entry);

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
