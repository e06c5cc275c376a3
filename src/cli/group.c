// SPDX-License-Identifier: GPL-2.0-only
#include "cli/group.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

DEFINE_CLEANUP(ledger, struct kmp_ledger *, kmp_ledger_destroy)
DEFINE_CLEANUP(filter, struct kmp_filter *, kmp_filter_destroy)
DEFINE_CLEANUP(grouping, struct kmp_grouping *, kmp_grouping_destroy)
DEFINE_CLEANUP(groups, struct kmp_groups *, kmp_groups_destroy)

enum { THREADS_MAX = 64 };

struct kmp_error *cli_group_options(const struct cli_args *args, struct cli_group *group)
{
	const char *format = cli_value(args, "format");
	uint64_t threads = 0;

	if (cli_value(args, "threads"))
		try(cli_number(args, "threads", &threads));
	if (threads > THREADS_MAX)
		return kmp_error_new(KMP_ERROR_USAGE, "--threads: at most %d", THREADS_MAX);
	*group = (struct cli_group){ .by = cli_value(args, "by"),
				     .where = cli_value(args, "where"),
				     .sort = cli_value(args, "sort"),
				     .threads = (unsigned)threads,
				     .page = format && !strcmp(format, "html") };
	return NULL;
}

static bool sorts_by_time(const struct cli_group *group)
{
	return group->sort && (!strcmp(group->sort, "ts") || !strcmp(group->sort, "-ts"));
}

static const char *keys_of(const struct cli_group *group)
{
	if (group->by)
		return group->by;
	return group->page ? "stack,comm,node,zone,order" : "stack";
}

/* Without a source, the groups of nothing. */
struct kmp_error *cli_group_pages(const struct cli_group *group, struct kmp_source *source,
				  struct kmp_groups **groups)
{
	struct kmp_ledger *ledger cleanup(cleanup_ledger) = NULL;
	struct kmp_filter *filter cleanup(cleanup_filter) = NULL;
	struct kmp_grouping *grouping cleanup(cleanup_grouping) = NULL;

	if (group->where)
		try(kmp_filter_compile(group->where, &filter));
	try(kmp_ledger_create(&ledger));
	try(kmp_grouping_create(ledger, keys_of(group), filter, &grouping));
	if (sorts_by_time(group))
		kmp_grouping_keep_times(grouping);
	struct kmp_sink sink = kmp_grouping_sink(grouping);

	if (source)
		try(kmp_source_read(source, ledger, KMP_READ_PAGES, &sink));
	return kmp_grouping_finish(no_free(grouping), groups);
}

struct kmp_error *cli_group_tags(const struct cli_group *group, struct kmp_source *source,
				 struct kmp_groups **groups)
{
	struct kmp_ledger *ledger cleanup(cleanup_ledger) = NULL;

	if (group->where)
		return kmp_error_new(KMP_ERROR_USAGE, "--where is about page owners, not tags");
	try(kmp_ledger_create(&ledger));
	if (source)
		try(kmp_source_read(source, ledger, KMP_READ_TAGS, NULL));
	return kmp_tags_group(ledger, group->by, NULL, groups);
}

struct kmp_error *cli_group_check(const struct cli_args *args, const struct cli_group *group,
				  bool tags, bool difference)
{
	struct kmp_groups *empty cleanup(cleanup_groups) = NULL;
	struct kmp_groups *compared cleanup(cleanup_groups) = NULL;
	struct cli_output nowhere = { 0 };
	struct kmp_view view;

	try(tags ? cli_group_tags(group, NULL, &empty) : cli_group_pages(group, NULL, &empty));
	if (difference)
		try(kmp_groups_diff(empty, empty, &compared));
	struct kmp_groups *result = difference ? compared : empty;

	if (group->sort)
		try(kmp_groups_sort(result, group->sort));
	auto_file FILE *out = fopen("/dev/null", "we");

	if (!out)
		return kmp_error_system(errno, "/dev/null", "cannot open");
	nowhere.file = out;
	try(cli_view(args, &nowhere, &view));
	return kmp_groups_write(result, out, &view);
}
