// SPDX-License-Identifier: GPL-2.0-only
#include "source/live.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/cleanup.h"
#include "format/page_owner_write.h"
#include "ledger/page_filter.h"
#include "source/record_words.h"

enum { POSSIBLE_NODES = 64 };

/* The kernel's names, for as long as any descriptor uses them. */
struct names {
	struct kmp_kernel_names kernel;
	atomic_uint users;
};

struct kmp_live {
	struct kmp_recorder *recorder;
	struct kmp_node_limits limits;
	pthread_mutex_t lock; /* of names */
	struct names *names;
	atomic_bool old; /* an address had no name: a module may have come since */
};

struct kmp_live_file {
	struct kmp_live *live;
	struct names *names;
	struct kmp_ledger *ledger;
	struct kmp_record_words words;
	struct kmp_record_cursor cursor;
	struct kmp_page_filter filter;
	struct kmp_page_printer printer;
	struct kmp_bytes text; /* of one record */
};

DEFINE_CLEANUP(live, struct kmp_live *, kmp_live_destroy)
DEFINE_CLEANUP(live_file, struct kmp_live_file *, kmp_live_close)
DEFINE_CLEANUP(grouping, struct kmp_grouping *, kmp_grouping_destroy)

static void put_names(struct names *names)
{
	if (!names || atomic_fetch_sub(&names->users, 1) != 1)
		return;
	kmp_kernel_names_deinit(&names->kernel);
	free(names);
}

static struct kmp_error *make_names(struct names **out)
{
	struct names *names = calloc(1, sizeof(*names));

	if (!names)
		return &kmp_error_no_memory;
	atomic_init(&names->users, 1);
	struct kmp_error *err = kmp_kernel_names_init(&names->kernel);

	if (err)
		put_names(names);
	else
		*out = names;
	return err;
}

/* The names of now; read anew if some were missed. */
static struct kmp_error *get_names(struct kmp_live *live, struct names **out)
{
	struct names *newer = NULL;
	struct kmp_error *err = NULL;

	pthread_mutex_lock(&live->lock);
	if (atomic_exchange(&live->old, false))
		err = make_names(&newer);
	if (newer) {
		put_names(live->names);
		live->names = newer;
	}
	if (!err) {
		*out = live->names;
		atomic_fetch_add(&live->names->users, 1);
	}
	pthread_mutex_unlock(&live->lock);
	return err;
}

static void find_nodes(struct kmp_live *live)
{
	const struct kmp_zones *zones = &live->names->kernel.zones;
	struct kmp_node_limits *limits = &live->limits;

	limits->possible = POSSIBLE_NODES;
	for (size_t i = 0; i < zones->zones.len; i++) {
		unsigned node = (unsigned)zones->zones.data[i].node;

		if (node >= KMP_NODES_MAX)
			continue;
		limits->memory.bits[node / 64] |= 1ull << (node % 64);
		while (node >= limits->possible)
			limits->possible *= 2;
	}
}

struct kmp_error *kmp_live_create(struct kmp_recorder *recorder, struct kmp_live **out)
{
	struct kmp_live *live cleanup(cleanup_live) = calloc(1, sizeof(*live));

	if (!live)
		return &kmp_error_no_memory;
	pthread_mutex_init(&live->lock, NULL);
	live->recorder = recorder;
	try(make_names(&live->names));
	find_nodes(live);
	*out = no_free(live);
	return NULL;
}

void kmp_live_destroy(struct kmp_live *live)
{
	if (!live)
		return;
	put_names(live->names);
	pthread_mutex_destroy(&live->lock);
	free(live);
}

static struct kmp_error *open_words(struct kmp_live *live, struct kmp_live_file **out)
{
	struct kmp_live_file *file cleanup(cleanup_live_file) = calloc(1, sizeof(*file));

	if (!file)
		return &kmp_error_no_memory;
	file->live = live;
	file->filter.mode = KMP_MODE_STACK;
	try(get_names(live, &file->names));
	try(kmp_ledger_create(&file->ledger));
	try(kmp_record_words_init(&file->words, live->recorder, &file->names->kernel,
				  file->ledger));
	kmp_record_cursor_init(&file->cursor, live->recorder, &file->words.facts);
	*out = no_free(file);
	return NULL;
}

struct kmp_error *kmp_live_open(struct kmp_live *live, struct kmp_live_file **file)
{
	return open_words(live, file);
}

void kmp_live_close(struct kmp_live_file *file)
{
	if (!file)
		return;
	if (file->words.unnamed)
		atomic_store(&file->live->old, true);
	kmp_record_words_deinit(&file->words);
	kmp_page_printer_deinit(&file->printer);
	vec_deinit(&file->text);
	kmp_ledger_destroy(file->ledger);
	put_names(file->names);
	free(file);
}

int64_t kmp_live_write(struct kmp_live_file *file, const char *text, size_t len)
{
	int err = kmp_page_filter_apply(&file->filter, &file->live->limits, text, len);

	return err ? -err : (int64_t)len;
}

/* Print the next record; *end if there is none. */
static struct kmp_error *print_next(struct kmp_live_file *file, uint64_t *pfn, bool *end)
{
	struct kmp_found found;
	struct kmp_page page;
	bool missing;

	try(kmp_record_cursor_next(&file->cursor, &found, end));
	if (*end)
		return NULL;
	try(kmp_record_words_page(&file->words, &found, &page));
	*pfn = found.pfn;
	file->text.len = 0;
	return kmp_page_printer_print(&file->printer, file->ledger, &page, file->filter.mode,
				      &file->text, &missing);
}

int kmp_live_errno(struct kmp_error *err)
{
	if (!err)
		return 0;
	int errnum = err->kind == KMP_ERROR_MEMORY ? ENOMEM : err->errnum;

	kmp_error_destroy(err);
	return errnum ? -errnum : -EIO;
}

static int64_t read_held(struct kmp_live_file *file, uint64_t *pfn, char *buf, size_t size)
{
	size_t used = 0;

	file->cursor.nodes = file->filter.has_nodes ? &file->filter.nodes : NULL;
	kmp_frame_facts_forget(&file->words.facts);
	kmp_record_cursor_seek(&file->cursor, *pfn);
	for (;;) {
		uint64_t at = *pfn;
		bool end;
		struct kmp_error *err = print_next(file, &at, &end);

		if (err && !used)
			return kmp_live_errno(err);
		kmp_error_destroy(err);
		if (err || end)
			return (int64_t)used;
		/* As in the kernel, a byte must be left over. */
		if (file->text.len >= size - used)
			return used ? (int64_t)used : -ENOMEM;
		memcpy(buf + used, file->text.data, file->text.len);
		used += file->text.len;
		*pfn = at + 1;
	}
}

int64_t kmp_live_read(struct kmp_live_file *file, uint64_t *pfn, char *buf, size_t size)
{
	kmp_task_numbers_hold(file->live->recorder);
	int64_t ret = read_held(file, pfn, buf, size);

	kmp_task_numbers_let_go(file->live->recorder);
	return ret;
}

static struct kmp_error *group_stacks(struct kmp_live *live, struct kmp_record_words *words,
				      struct kmp_grouping *grouping)
{
	const struct kmp_sink sink = kmp_grouping_sink(grouping);
	struct kmp_page page = { .pfn = KMP_UNKNOWN, .ts = KMP_UNKNOWN, .task = KMP_NONE };

	for (uint32_t handle = kmp_recorder_stacks(live->recorder); handle-- > 1;) {
		try(kmp_record_words_stack(words, handle, &page.stack));
		if (page.stack == KMP_NONE)
			continue;
		page.pages = kmp_recorder_stack_pages(live->recorder, handle);
		try(sink.pages(sink.arg, words->ledger, &page, 1));
	}
	return NULL;
}

struct kmp_error *kmp_live_stacks(struct kmp_live *live, struct kmp_groups **groups)
{
	struct kmp_live_file *file cleanup(cleanup_live_file) = NULL;
	struct kmp_grouping *grouping cleanup(cleanup_grouping) = NULL;

	try(open_words(live, &file));
	try(kmp_grouping_create(file->ledger, "stack,handle", NULL, &grouping));
	try(group_stacks(live, &file->words, grouping));
	return kmp_grouping_finish(no_free(grouping), groups);
}
