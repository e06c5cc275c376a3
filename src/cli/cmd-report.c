// SPDX-License-Identifier: GPL-2.0-only
/* kmemprof report: who owns the memory. */
#include "base/cleanup.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/group.h"
#include "cli/timelines.h"

DEFINE_CLEANUP(source, struct kmp_source *, kmp_source_close)
DEFINE_CLEANUP(groups, struct kmp_groups *, kmp_groups_destroy)

/* A page shows the tags too, unless something was asked about page owners alone. */
static struct kmp_error *tags_for_page(const struct cli_group *group, struct kmp_source *source,
				       struct kmp_groups **tags)
{
	struct cli_group all = { 0 };

	if (group->where || !(kmp_source_holds(source) & KMP_READ_TAGS))
		return NULL;
	return cli_group_tags(&all, source, tags);
}

static struct kmp_error *write_page(struct cli_args *args, const struct cli_group *group,
				    struct kmp_source *source, struct kmp_groups *groups,
				    struct cli_output *output)
{
	struct kmp_groups *tags cleanup(cleanup_groups) = NULL;
	struct cli_timelines timelines cleanup(cli_timelines_deinit) = { 0 };

	try(tags_for_page(group, source, &tags));
	if (!group->where)
		try(cli_timelines_read(cli_page_owner_path(args), &timelines));
	struct cli_page page = { .tags = tags,
				 .timelines = timelines.list,
				 .timeline_count = timelines.count };

	return cli_write_page(args, groups, &page, output);
}

static struct kmp_error *run(struct cli_args *args)
{
	struct kmp_source *source cleanup(cleanup_source) = NULL;
	struct kmp_groups *groups cleanup(cleanup_groups) = NULL;
	struct cli_output output cleanup(cli_output_deinit) = { 0 };
	struct cli_group group;
	struct kmp_source_options options = { 0 };

	try(cli_group_options(args, &group));
	options.threads = group.threads;
	try(cli_group_check(args, &group, false, false));
	try(cli_output_open(args, &output));
	try(cli_source_open(cli_page_owner_path(args), KMP_READ_PAGES, &options, &source));
	try(cli_group_pages(&group, source, &groups));
	if (group.page)
		return write_page(args, &group, source, groups, &output);
	return cli_write_groups(args, groups, &output);
}

const struct cli_command cmd_report = {
	.name = "report",
	.summary = "groups page owners: who owns the memory",
	.synopsis = "[FILE]",
	.details =
		"FILE is page_owner or page_owner_stacks text of any kernel (- for standard\n"
		"input), a directory that holds the kernel's files, or a ledger file. With no\n"
		"FILE, the running kernel is read.\n"
		"\n"
		"Keys of --by: stack (the default) handle comm pid tgid order gfp migratetype\n"
		"block flags node zone memcg module function allocator. function is the\n"
		"innermost one outside the allocators; module the innermost one, 'kernel' for\n"
		"built-in code; allocator is CMA, SLAB, VMALLOC or OTHERS, as in\n"
		"page_owner_sort.\n"
		"\n"
		"--where: order>=3, comm==nginx, node in 0,2-3, gfp has __GFP_COMP,\n"
		"stack~REGEX, migrated, slab and more, joined with && || ! and parentheses;\n"
		"see docs/where.md.\n"
		"\n"
		"--format html is a page for any browser: tables, a map and a flame graph, by\n"
		"stack,comm,node,zone,order unless --by tells; with the tags, if FILE has them,\n"
		"and of a history with what the largest owners held over time.\n",
	.options = (const struct cli_option[]){ CLI_GROUP_OPTIONS, CLI_VIEW_OPTIONS, { 0 } },
	.max_args = 1,
	.run = run,
};
