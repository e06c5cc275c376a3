// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/sort-options.h"

DEFINE_CLEANUP(ledger, struct kmp_ledger *, kmp_ledger_destroy)
DEFINE_CLEANUP(source, struct kmp_source *, kmp_source_close)

static struct kmp_error *write_sorted(struct sorter *sorter, const char *path)
{
	struct cli_output output cleanup(cli_output_deinit) = { 0 };

	try(cli_output_open_at(path, &output));
	/* What page_owner_sort tells, where it does not stand among the result. */
	if (sorter->rules->chatty && output.file != stdout)
		printf("loaded %" PRIu64 "\nsorting ....\nculling\n", sorter->loaded);
	try(sorter_sort(sorter));
	try(sorter_print(sorter, output.file));
	return cli_output_commit(&output);
}

static struct kmp_error *sort_file(struct cli_args *args, const struct sort_rules *rules)
{
	struct kmp_ledger *ledger cleanup(cleanup_ledger) = NULL;
	struct kmp_source *source cleanup(cleanup_source) = NULL;
	struct sorter sorter cleanup(sorter_deinit) = { 0 };

	try(kmp_ledger_create(&ledger));
	try(cli_source_open(args->rest[0], KMP_READ_PAGES, NULL, &source));
	sorter_init(&sorter, rules, ledger);
	struct kmp_sink sink = sorter_sink(&sorter);

	try(kmp_source_read(source, ledger, KMP_READ_PAGES, &sink));
	try(write_sorted(&sorter, args->rest[1]));
	cli_report_ledger(args, ledger);
	return NULL;
}

static struct kmp_error *run_with(struct cli_args *args, bool chatty)
{
	struct sort_rules rules cleanup(sort_rules_deinit) = { 0 };

	try(sort_rules_parse(args, &rules));
	rules.chatty = chatty;
	return sort_file(args, &rules);
}

static struct kmp_error *run(struct cli_args *args)
{
	return run_with(args, false);
}

static struct kmp_error *run_old(struct cli_args *args)
{
	return run_with(args, true);
}

#define DETAILS                                                                                    \
	"IN is any source of page owners, and - is standard input; OUT - is standard output.\n"    \
	"Records with the same text become one; the text holds no time unless -a sorts by it.\n"   \
	"With --cull, records that agree in the rules become one line: pid, tgid, name,\n"         \
	"stacktrace, allocator, free. Keys of --sort: pid, tgid, name, stacktrace, txt, "          \
	"alloc_ts,\n"                                                                              \
	"free_ts, allocator; - before one turns it round. A letter's order comes first, and\n"     \
	"--sort decides what it leaves equal.\n"

const struct cli_command cmd_sort = {
	.name = "sort",
	.summary = "does what page_owner_sort does",
	.synopsis = "IN OUT",
	.details = DETAILS,
	.options = sort_options,
	.min_args = 2,
	.max_args = 2,
	.run = run,
};

const struct cli_command cmd_page_owner_sort = {
	.name = "page_owner_sort",
	.summary = "sorts page_owner text, as the kernel tree's tool does",
	.synopsis = "IN OUT",
	.details = DETAILS,
	.options = sort_options,
	.min_args = 2,
	.max_args = -1,
	.own_program = true,
	.run = run_old,
};
