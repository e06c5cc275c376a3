// SPDX-License-Identifier: GPL-2.0-only
#include "cli/serve/sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

DEFINE_CLEANUP(filter, struct kmp_filter *, kmp_filter_destroy)
DEFINE_CLEANUP(grouping, struct kmp_grouping *, kmp_grouping_destroy)
DEFINE_CLEANUP(sample, struct serve_sample *, serve_sample_put)

static struct kmp_error *no_memory(void)
{
	return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
}

struct kmp_error *serve_sample_create(bool redact, struct serve_sample **out)
{
	struct serve_sample *sample cleanup(cleanup_sample) = calloc(1, sizeof(*sample));

	if (!sample)
		return no_memory();
	sample->users = 1;
	sample->redact = redact;
	pthread_mutex_init(&sample->lock, NULL);
	pthread_mutex_init(&sample->page_lock, NULL);
	try(kmp_ledger_create(&sample->ledger));
	try(kmp_ledger_create(&sample->tags));
	*out = no_free(sample);
	return NULL;
}

struct serve_sample *serve_sample_get(struct serve_sample *sample)
{
	__atomic_add_fetch(&sample->users, 1, __ATOMIC_RELAXED);
	return sample;
}

void serve_sample_put(struct serve_sample *sample)
{
	if (!sample || __atomic_sub_fetch(&sample->users, 1, __ATOMIC_ACQ_REL))
		return;
	kmp_ledger_destroy(sample->ledger);
	kmp_ledger_destroy(sample->tags);
	vec_deinit(&sample->pages);
	pthread_mutex_destroy(&sample->lock);
	pthread_mutex_destroy(&sample->page_lock);
	free(sample->page);
	free(sample->zipped_page);
	free(sample);
}

/* What is kept of a page owner, with its figures at 0. */
static struct kmp_page kept(const struct kmp_page *page, bool redact)
{
	return (struct kmp_page){
		.pfn = KMP_UNKNOWN,
		.block = KMP_UNKNOWN,
		.ts = KMP_UNKNOWN,
		.free_ts = KMP_UNKNOWN,
		.stack = page->stack,
		.task = redact ? KMP_NONE : page->task,
		.gfp = page->gfp,
		.flags = page->flags,
		.charge = redact ? KMP_NONE : page->charge,
		.type = page->type,
		.block_type = page->block_type,
		.reason = page->reason,
		.extra = KMP_NONE,
		.form = page->form,
		.order = page->order,
	};
}

static uint64_t hash_of(const struct kmp_page *page)
{
	const uint32_t words[] = { page->stack,	 page->task, page->gfp,	       page->flags,
				   page->charge, page->type, page->block_type, page->reason,
				   page->form,	 page->order };
	uint64_t hash = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return hash;
}

static bool same(const struct kmp_page *a, const struct kmp_page *b)
{
	return a->stack == b->stack && a->task == b->task && a->gfp == b->gfp &&
	       a->flags == b->flags && a->charge == b->charge && a->type == b->type &&
	       a->block_type == b->block_type && a->reason == b->reason && a->form == b->form &&
	       a->order == b->order;
}

/* The slot of this page, or a free one. */
static uint32_t *find(struct serve_gather *gather, const struct kmp_page *page)
{
	size_t at = hash_of(page) & (gather->size - 1);

	while (gather->slots[at] && !same(&gather->sample->pages.data[gather->slots[at] - 1], page))
		at = (at + 1) & (gather->size - 1);
	return &gather->slots[at];
}

static struct kmp_error *make_room(struct serve_gather *gather)
{
	if (gather->sample->pages.len * 2 < gather->size)
		return NULL;
	if (gather->sample->pages.len >= UINT32_MAX / 2)
		return kmp_error_new(KMP_ERROR_LIMIT, "too many different page owners");
	gather->size = gather->size ? gather->size * 2 : 4096;
	free(gather->slots);
	gather->slots = calloc(gather->size, sizeof(*gather->slots));
	if (!gather->slots)
		return no_memory();
	for (size_t i = 0; i < gather->sample->pages.len; i++)
		*find(gather, &gather->sample->pages.data[i]) = (uint32_t)i + 1;
	return NULL;
}

static struct kmp_error *take_pages(void *arg, struct kmp_ledger *ledger,
				    const struct kmp_page *pages, size_t count)
{
	struct serve_gather *gather = arg;
	struct serve_sample *sample = gather->sample;

	for (size_t i = 0; i < count; i++) {
		struct kmp_page page = kept(&pages[i], sample->redact);

		try(make_room(gather));
		uint32_t *slot = find(gather, &page);

		if (!*slot) {
			try(grow_push(&sample->pages, page));
			*slot = (uint32_t)sample->pages.len;
		}
		sample->pages.data[*slot - 1].records += pages[i].records;
		sample->pages.data[*slot - 1].pages += pages[i].pages;
	}
	return NULL;
}

struct kmp_sink serve_gather_sink(struct serve_gather *gather)
{
	return (struct kmp_sink){ take_pages, gather, KMP_COLUMN_ALL & ~(uint32_t)SERVE_NOT_KEPT };
}

void serve_gather_deinit(struct serve_gather *gather)
{
	free(gather->slots);
}

struct kmp_error *serve_sample_take_tags(struct serve_sample *sample, const struct kmp_ledger *from)
{
	struct kmp_facts facts = *kmp_ledger_facts(from);
	const struct kmp_losses *losses = kmp_ledger_losses(from);

	try(kmp_ledger_set_facts(sample->tags, &facts));
	kmp_ledger_add_losses(sample->tags, losses->dropped, losses->cut);
	for (uint64_t i = 0; i < losses->skipped; i++)
		try(kmp_ledger_add_skipped(sample->tags, losses->first_line, losses->first_reason));
	for (size_t i = 0; i < kmp_ledger_count(from, KMP_LIST_WARNINGS); i++)
		try(kmp_ledger_warn(sample->tags, "%s", kmp_ledger_warning(from, i)));
	for (size_t i = 0; i < kmp_ledger_count(from, KMP_LIST_TAGS); i++) {
		struct kmp_tag tag = kmp_ledger_tags(from)[i];
		const char *slash = strrchr(tag.file, '/');

		/* Where somebody built a module is his; where the kernel's source is, is known. */
		if (sample->redact && tag.file[0] == '/')
			tag.file = slash + 1;
		try(kmp_ledger_add_tag(sample->tags, &tag));
	}
	return NULL;
}

static void redact(struct kmp_groups *groups)
{
	groups->facts.name = "";
	groups->losses.first_reason = "";
	groups->warning_count = 0;
}

static struct kmp_error *group_pages(struct serve_sample *sample, const char *by,
				     struct kmp_filter *filter, struct kmp_groups **groups)
{
	struct kmp_grouping *grouping cleanup(cleanup_grouping) = NULL;

	try(kmp_grouping_create(sample->ledger, by, filter, &grouping));
	struct kmp_sink sink = kmp_grouping_sink(grouping);

	try(sink.pages(sink.arg, sample->ledger, sample->pages.data, sample->pages.len));
	return kmp_grouping_finish(no_free(grouping), groups);
}

struct kmp_error *serve_sample_group(struct serve_sample *sample, const char *by, const char *where,
				     struct kmp_groups **groups)
{
	struct kmp_filter *filter cleanup(cleanup_filter) = NULL;

	if (where)
		try(kmp_filter_compile(where, &filter));
	if (filter && (kmp_filter_columns(filter) & SERVE_NOT_KEPT))
		return kmp_error_new(KMP_ERROR_USAGE,
				     "where: times, PFNs, blocks and further lines are not kept");
	pthread_mutex_lock(&sample->lock);
	struct kmp_error *err = group_pages(sample, by, filter, groups);

	pthread_mutex_unlock(&sample->lock);
	if (!err && sample->redact)
		redact(*groups);
	return err;
}

struct kmp_error *serve_sample_group_tags(struct serve_sample *sample, const char *by,
					  const struct kmp_tag_filter *filter,
					  struct kmp_groups **groups)
{
	pthread_mutex_lock(&sample->lock);
	struct kmp_error *err = kmp_tags_group(sample->tags, by, filter, groups);

	pthread_mutex_unlock(&sample->lock);
	if (!err && sample->redact)
		redact(*groups);
	return err;
}
