// SPDX-License-Identifier: GPL-2.0-only
/* What is served of a recording: each read asks it. */
#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "serve/served.h"
#include "source/live.h"
#include "source/live_tags.h"

DEFINE_CLEANUP(groups, struct kmp_groups *, kmp_groups_destroy)

static struct kmp_error *open_pages(struct kmp_served *served, void **file)
{
	return kmp_live_open(served->live, (struct kmp_live_file **)file);
}

static void close_pages(void *file)
{
	kmp_live_close(file);
}

static int64_t write_pages(void *file, const char *text, size_t len)
{
	return kmp_live_write(file, text, len);
}

static int64_t read_pages(void *file, uint64_t *pfn, char *buf, size_t size)
{
	return kmp_live_read(file, pfn, buf, size);
}

static struct kmp_error *print_stacks(struct kmp_served *served, enum kmp_stacks_file which,
				      FILE *out)
{
	struct kmp_groups *groups cleanup(cleanup_groups) = NULL;

	try(kmp_live_stacks(served->live, &groups));
	return kmp_served_print(served, groups, which, out);
}

/* Where no tags are recorded there is nothing to renew. */
static int enter_tags(struct kmp_served *served, bool text)
{
	if (!served->live_tags)
		return 0;
	return kmp_live_errno(
		kmp_live_tags_enter(served->live_tags, text ? KMP_LIVE_NOW : KMP_LIVE_RECENT));
}

static void leave_tags(struct kmp_served *served)
{
	if (served->live_tags)
		kmp_live_tags_leave(served->live_tags);
}

static struct kmp_error *losses(struct kmp_served *served, struct kmp_ledger *ledger)
{
	return kmp_recorder_tell_losses(served->recorder, ledger);
}

static struct kmp_error *print_figures(struct kmp_served *served, FILE *out)
{
	struct kmp_recorder_stats s;

	try(kmp_recorder_stats(served->recorder, &s));
	fprintf(out,
		"allocations: %" PRIu64 "\nfrees: %" PRIu64 "\nbulk: %" PRIu64 "\nsplits: %" PRIu64
		"\nmigrations: %" PRIu64 "\nreused: %" PRIu64 "\n",
		s.allocations, s.frees, s.bulk, s.splits, s.migrations, s.reused);
	if (served->live_tags)
		fprintf(out,
			"objects: %" PRIu64 "\nobjects_freed: %" PRIu64 "\nobjects_bulk: %" PRIu64
			"\nobjects_reused: %" PRIu64 "\n",
			s.objects, s.objects_freed, s.objects_bulk, s.objects_reused);
	return NULL;
}

static const struct kmp_served_ops ops = {
	.moves = true,
	.open = open_pages,
	.close = close_pages,
	.write = write_pages,
	.read = read_pages,
	.print_stacks = print_stacks,
	.enter_tags = enter_tags,
	.leave_tags = leave_tags,
	.losses = losses,
	.print_figures = print_figures,
};

static int64_t read_no_pages(void *file, uint64_t *pfn, char *buf, size_t size)
{
	(void)file, (void)pfn, (void)buf, (void)size;
	return 0;
}

static struct kmp_error *print_no_stacks(struct kmp_served *served, enum kmp_stacks_file which,
					 FILE *out)
{
	(void)served, (void)which, (void)out;
	return NULL;
}

/* Pages are recorded for the tags' sake as well, but nobody asked for their owners. */
static const struct kmp_served_ops tags_alone = {
	.moves = true,
	.open = open_pages,
	.close = close_pages,
	.write = write_pages,
	.read = read_no_pages,
	.print_stacks = print_no_stacks,
	.enter_tags = enter_tags,
	.leave_tags = leave_tags,
	.losses = losses,
	.print_figures = print_figures,
};

struct kmp_error *kmp_served_init_live(struct kmp_served *s, struct kmp_recorder *recorder)
{
	uint32_t what = recorder->options.what;

	*s = (struct kmp_served){ .ops = what & KMP_READ_PAGES ? &ops : &tags_alone,
				  .recorder = recorder };
	try(kmp_ledger_create(&s->ledger));
	try(kmp_recorder_tell(recorder, s->ledger));
	try(kmp_live_create(recorder, &s->live));
	try(kmp_tags_create_empty(1, &s->tags));
	if (!(what & KMP_READ_PAGES))
		try(kmp_ledger_warn(s->ledger,
				    "page_owner is empty: tags alone are recorded; "
				    "--pages --tags records both"));
	return what & KMP_READ_TAGS ? kmp_live_tags_create(recorder, s->tags, &s->live_tags) : NULL;
}
