// SPDX-License-Identifier: GPL-2.0-only
#include "serve/served.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "source/live.h"
#include "source/live_tags.h"

DEFINE_CLEANUP(source, struct kmp_source *, kmp_source_close)
DEFINE_CLEANUP(grouping, struct kmp_grouping *, kmp_grouping_destroy)

/* Page owners go to the table and, where the kernel did not count by stack, are counted. */
struct both {
	struct kmp_sink pages;
	struct kmp_sink stacks;
};

static struct kmp_error *to_both(void *arg, struct kmp_ledger *ledger, const struct kmp_page *pages,
				 size_t count)
{
	const struct both *both = arg;

	try(both->pages.pages(both->pages.arg, ledger, pages, count));
	return both->stacks.pages(both->stacks.arg, ledger, pages, count);
}

static struct kmp_error *read_pages(struct kmp_served *s, struct kmp_source *source)
{
	struct kmp_grouping *grouping cleanup(cleanup_grouping) = NULL;
	bool counted = kmp_source_holds(source) & KMP_READ_STACKS;

	try(kmp_pages_create(s->ledger, &s->pages));
	try(kmp_grouping_create(s->ledger, "stack,handle", NULL, &grouping));
	struct both both = { kmp_pages_sink(s->pages), kmp_grouping_sink(grouping) };
	const struct kmp_sink sink = { to_both, &both, KMP_COLUMN_ALL };
	uint32_t what = kmp_source_holds(source) & (KMP_READ_PAGES | KMP_READ_TAGS);

	/* Handles that only the kernel's counts name come first, in their order. */
	if (counted)
		try(kmp_source_read(source, s->ledger, KMP_READ_STACKS, &both.stacks));
	/* What holds neither can be a show_stacks_handles. */
	if (what || !counted)
		try(kmp_source_read(source, s->ledger, what ? what : KMP_READ_PAGES,
				    counted ? &both.pages : &sink));
	try(kmp_pages_finish(s->pages));
	try(kmp_grouping_finish(no_free(grouping), &s->stacks));
	return kmp_stacks_list(s->ledger, s->stacks, &s->all_stacks);
}

static struct kmp_error *open_pages(struct kmp_served *served, void **file)
{
	return kmp_pages_open(served->pages, (struct kmp_pages_file **)file);
}

static void close_pages(void *file)
{
	kmp_pages_close(file);
}

static int64_t write_pages(void *file, const char *text, size_t len)
{
	return kmp_pages_write(file, text, len);
}

static int64_t read_file(void *file, uint64_t *pfn, char *buf, size_t size)
{
	return kmp_pages_read(file, pfn, buf, size);
}

static struct kmp_error *print_stacks(struct kmp_served *served, enum kmp_stacks_file which,
				      FILE *out)
{
	const struct kmp_groups *groups = served->stacks;

	if (which == KMP_SHOW_STACKS_HANDLES && served->all_stacks)
		groups = served->all_stacks;
	return kmp_served_print(served, groups, which, out);
}

static const struct kmp_served_ops ops = {
	.open = open_pages,
	.close = close_pages,
	.write = write_pages,
	.read = read_file,
	.print_stacks = print_stacks,
};

struct kmp_error *kmp_served_print(const struct kmp_served *served, const struct kmp_groups *groups,
				   enum kmp_stacks_file which, FILE *out)
{
	return groups->count ? kmp_stacks_write(groups, which, served->threshold, out) : NULL;
}

/* Tell what a source has that no record of page_owner can be made of. */
static struct kmp_error *warn(struct kmp_served *s)
{
	uint64_t left_out = kmp_pages_left_out(s->pages);
	const char *empty =
		"page_owner is empty: the source tells stacks, but of no page where "
		"it is";

	if (!kmp_pages_count(s->pages) && kmp_ledger_count(s->ledger, KMP_LIST_STACKS))
		return kmp_ledger_warn(s->ledger, "%s", empty);
	if (!left_out)
		return NULL;
	return kmp_ledger_warn(s->ledger,
			       "page_owner is without %" PRIu64 " entries, which tell no PFN",
			       left_out);
}

struct kmp_error *kmp_served_init(struct kmp_served *s, const char *path,
				  const struct kmp_source_options *options)
{
	struct kmp_source *source cleanup(cleanup_source) = NULL;

	*s = (struct kmp_served){ .ops = &ops };
	try(kmp_ledger_create(&s->ledger));
	try(kmp_source_open(path, options, &source));
	try(read_pages(s, source));
	try(warn(s));
	return kmp_tags_create(s->ledger, &s->tags);
}

void kmp_served_deinit(struct kmp_served *s)
{
	kmp_live_tags_destroy(s->live_tags);
	kmp_tags_destroy(s->tags);
	kmp_groups_destroy(s->stacks);
	kmp_groups_destroy(s->all_stacks);
	kmp_pages_destroy(s->pages);
	kmp_live_destroy(s->live);
	kmp_ledger_destroy(s->ledger);
}
