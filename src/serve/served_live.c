// SPDX-License-Identifier: GPL-2.0-only
/* What is served of a recording: each read asks it. */
#include <stdio.h>

#include "base/cleanup.h"
#include "serve/served.h"
#include "source/live.h"

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

static const struct kmp_served_ops ops = {
	.moves = true,
	.open = open_pages,
	.close = close_pages,
	.write = write_pages,
	.read = read_pages,
	.print_stacks = print_stacks,
};

struct kmp_error *kmp_served_init_live(struct kmp_served *s, struct kmp_recorder *recorder)
{
	*s = (struct kmp_served){ .ops = &ops };
	try(kmp_ledger_create(&s->ledger));
	try(kmp_recorder_tell(recorder, s->ledger));
	try(kmp_live_create(recorder, &s->live));
	/* Tags that are recorded as well would be handed over here. */
	return kmp_tags_create_empty(1, &s->tags);
}
