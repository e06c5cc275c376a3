// SPDX-License-Identifier: GPL-2.0-only
/* kmemprof diff: what grew and what shrank between two moments. */
#include "base/cleanup.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/group.h"

DEFINE_CLEANUP(source, struct kmp_source *, kmp_source_close)
DEFINE_CLEANUP(groups, struct kmp_groups *, kmp_groups_destroy)

/* Page owners are compared where both sides have them, unless tags are asked for. */
static struct kmp_error *choose(const struct cli_args *args, struct kmp_source *const *sources,
				bool *tags)
{
	uint32_t both = kmp_source_holds(sources[0]) & kmp_source_holds(sources[1]);

	*tags = cli_value(args, "tags") || !(both & KMP_READ_PAGES);
	if (both & (*tags ? KMP_READ_TAGS : KMP_READ_PAGES))
		return NULL;
	if (*tags && cli_value(args, "tags")) {
		bool first = kmp_source_holds(sources[0]) & KMP_READ_TAGS;

		return kmp_error_new(KMP_ERROR_INPUT, "%s: holds no tags", args->rest[first]);
	}
	return kmp_error_new(KMP_ERROR_INPUT, "%s and %s: one holds page owners and the other tags",
			     args->rest[0], args->rest[1]);
}

static struct kmp_error *compare(const struct cli_group *group, struct kmp_source *const *sources,
				 bool tags, struct kmp_groups **diff)
{
	struct kmp_groups *before cleanup(cleanup_groups) = NULL;
	struct kmp_groups *after cleanup(cleanup_groups) = NULL;

	if (tags) {
		try(cli_group_tags(group, sources[0], &before));
		try(cli_group_tags(group, sources[1], &after));
	} else {
		try(cli_group_pages(group, sources[0], &before));
		try(cli_group_pages(group, sources[1], &after));
	}
	return kmp_groups_diff(before, after, diff);
}

/*
 * A table that is cut shows the largest changes in either direction, growth first, rather than
 * growth alone.
 */
static struct kmp_error *choose_rows(const struct cli_args *args, const struct cli_output *output,
				     struct kmp_groups *diff)
{
	struct kmp_groups shown = *diff;
	struct kmp_view view;

	try(cli_view(args, output, &view));
	if (view.format != KMP_FORMAT_TABLE || cli_value(args, "sort") || !view.limit ||
	    diff->count <= view.limit)
		return NULL;
	try(kmp_groups_sort(diff, "change"));
	shown.count = view.limit;
	return kmp_groups_sort(&shown, "delta");
}

static struct kmp_error *run(struct cli_args *args)
{
	struct kmp_source *before cleanup(cleanup_source) = NULL;
	struct kmp_source *after cleanup(cleanup_source) = NULL;
	struct kmp_groups *diff cleanup(cleanup_groups) = NULL;
	struct cli_output output cleanup(cli_output_deinit) = { 0 };
	uint32_t any = KMP_READ_PAGES | KMP_READ_TAGS;
	struct cli_group group;
	struct kmp_source_options options = { 0 };
	bool tags;

	try(cli_group_options(args, &group));
	options.threads = group.threads;
	try(cli_source_open(args->rest[0], any, &options, &before));
	try(cli_source_open(args->rest[1], any, &options, &after));
	struct kmp_source *sources[] = { before, after };

	try(choose(args, sources, &tags));
	try(cli_group_check(args, &group, tags, true));
	try(cli_output_open(args, &output));
	try(compare(&group, sources, tags, &diff));
	try(choose_rows(args, &output, diff));
	return cli_write_groups(args, diff, &output);
}

const struct cli_command cmd_diff = {
	.name = "diff",
	.summary = "compares two moments: what grew and what shrank",
	.synopsis = "BEFORE AFTER",
	.details =
		"Each is what 'kmemprof report' or 'kmemprof tags' reads; FILE@N is the Nth\n"
		"snapshot of a ledger file, FILE@WHEN a moment of a history: diff h.kmp@-1h\n"
		"h.kmp@now. Page owners are compared if both hold them, else\n"
		"tags. --by takes the keys of those verbs.\n"
		"\n"
		"What grew most comes first. A table that is cut shows the largest changes in\n"
		"either direction; --sort delta takes growth alone, --sort -delta what\n"
		"shrank. Where one side was cut to its largest tags, a tag that it lacks has\n"
		"an unknown change.\n",
	.options =
		(const struct cli_option[]){
			CLI_GROUP_OPTIONS,
			{ "tags", 't', NULL, "compare tags, even where there are page owners" },
			CLI_VIEW_OPTIONS,
			{ 0 } },
	.min_args = 2,
	.max_args = 2,
	.run = run,
};
