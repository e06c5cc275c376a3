// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/filter.h"
#include "cli/kernel.h"

DEFINE_CLEANUP(ledger, struct kmp_ledger *, kmp_ledger_destroy)
DEFINE_CLEANUP(source, struct kmp_source *, kmp_source_close)
DEFINE_CLEANUP(grouping, struct kmp_grouping *, kmp_grouping_destroy)
DEFINE_CLEANUP(groups, struct kmp_groups *, kmp_groups_destroy)

static struct kmp_error *parse_file(const char *name, enum kmp_stacks_file *file)
{
	static const char *const names[] = {
		[KMP_SHOW_STACKS] = "show_stacks",
		[KMP_SHOW_HANDLES] = "show_handles",
		[KMP_SHOW_STACKS_HANDLES] = "show_stacks_handles",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(names[i], name)) {
			*file = (enum kmp_stacks_file)i;
			return NULL;
		}
	}
	return kmp_error_new(KMP_ERROR_USAGE,
			     "unknown file '%s'; there are show_stacks, show_handles and "
			     "show_stacks_handles",
			     name);
}

static struct kmp_error *read_groups(struct kmp_source *source, struct kmp_ledger *ledger,
				     struct kmp_groups **groups)
{
	struct kmp_grouping *grouping cleanup(cleanup_grouping) = NULL;
	/* The kernel has counted; its page owners would take longer and be of another moment. */
	bool counted = kmp_source_holds(source) & KMP_READ_STACKS;

	try(kmp_grouping_create(ledger, "stack,handle", NULL, &grouping));
	struct kmp_sink sink = kmp_grouping_sink(grouping);

	try(kmp_source_read(source, ledger, counted ? KMP_READ_STACKS : KMP_READ_PAGES, &sink));
	return kmp_grouping_finish(no_free(grouping), groups);
}

/* Entries that had to be named by their handle instead of their stack, or the reverse. */
static void report_unnamed(struct cli_args *args, const struct kmp_groups *groups,
			   enum kmp_stacks_file file)
{
	uint64_t count = 0;

	for (size_t i = 0; i < groups->count; i++) {
		const struct kmp_value *key = groups->groups[i].key;
		bool stack = key[0].kind == KMP_VALUE_STACK && key[0].depth;
		bool handle = key[1].kind != KMP_VALUE_NONE;

		count += (file != KMP_SHOW_HANDLES && !stack) ||
			 (file != KMP_SHOW_STACKS && !handle);
	}
	if (!count)
		return;
	fprintf(stderr,
		"kmemprof: %" PRIu64 " entries lack their %s, which the source does not tell\n",
		count, file == KMP_SHOW_STACKS ? "stack" : "handle or stack");
	args->status = CLI_LOSSES;
}

static struct kmp_error *run(struct cli_args *args)
{
	struct kmp_ledger *ledger cleanup(cleanup_ledger) = NULL;
	struct kmp_source *source cleanup(cleanup_source) = NULL;
	struct kmp_groups *groups cleanup(cleanup_groups) = NULL;
	struct kmp_groups *all cleanup(cleanup_groups) = NULL;
	struct cli_output output cleanup(cli_output_deinit) = { 0 };
	enum kmp_stacks_file file = KMP_SHOW_STACKS;
	uint64_t threshold = 0;

	if (cli_value(args, "file"))
		try(parse_file(cli_value(args, "file"), &file));
	if (cli_value(args, "threshold"))
		try(cli_number(args, "threshold", &threshold));
	try(kmp_ledger_create(&ledger));
	try(cli_kernel_check(cli_page_owner_path(args)));
	try(kmp_source_open(cli_page_owner_path(args), NULL, &source));
	try(read_groups(source, ledger, &groups));
	if (file == KMP_SHOW_STACKS_HANDLES)
		try(kmp_stacks_list(ledger, groups, &all));
	try(cli_output_open(args, &output));
	try(kmp_stacks_write(all ? all : groups, file, threshold, output.file));
	try(cli_output_commit(&output));
	report_unnamed(args, groups, file);
	cli_report_losses(args, &groups->losses, groups->warnings, groups->warning_count);
	return NULL;
}

const struct cli_command cmd_stacks = {
	.name = "stacks",
	.summary = "prints the kernel's page_owner_stacks files of any source",
	.synopsis = "[FILE]",
	.details =
		"With no FILE, the running kernel is read. Newest stacks come first, as far as "
		"the\n"
		"source tells; a page_owner_stacks file is printed in its own order. Pages that "
		"the\n"
		"kernel allocated before page_owner started are left out, as the kernel does.\n",
	.options =
		(const struct cli_option[]){
			{ "file", 'f', "NAME", "show_stacks, show_handles or show_stacks_handles",
			  "show_stacks show_handles show_stacks_handles" },
			{ "threshold", 't', "N", "leave out stacks of fewer pages" },
			{ "output", 'o', "FILE", "write there, in place when complete" },
			{ 0 },
		},
	.max_args = 1,
	.run = run,
};
