// SPDX-License-Identifier: GPL-2.0-only
/* kmemprof record: who allocates memory on this machine, live. */
#include <inttypes.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/vec.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/group.h"
#include "cli/record.h"

DEFINE_CLEANUP(ledger, struct kmp_ledger *, kmp_ledger_destroy)
DEFINE_CLEANUP(store, struct kmp_store *, kmp_store_abort)
DEFINE_CLEANUP(grouping, struct kmp_grouping *, kmp_grouping_destroy)
DEFINE_CLEANUP(groups, struct kmp_groups *, kmp_groups_destroy)

/* What is recorded goes into the file and into the groups that are printed. */
struct outputs {
	struct kmp_sink groups;
	struct kmp_sink store; /* pages is NULL without a file */
};

static struct kmp_error *to_outputs(void *arg, struct kmp_ledger *ledger,
				    const struct kmp_page *pages, size_t count)
{
	const struct outputs *o = arg;

	if (o->store.pages)
		try(o->store.pages(o->store.arg, ledger, pages, count));
	return o->groups.pages(o->groups.arg, ledger, pages, count);
}

static struct kmp_error *check_file(const char *path)
{
	if (!path || access(path, F_OK) || kmp_store_probe(path))
		return NULL;
	return kmp_error_new(KMP_ERROR_INPUT,
			     "%s: is there already, is not a ledger file and stays as it is", path);
}

static void print_stats(const struct kmp_recorder_stats *s, uint32_t what)
{
	fprintf(stderr,
		"kmemprof: %" PRIu64 " allocations seen (%" PRIu64
		" pages by the bulk allocator), "
		"%" PRIu64 " freed; %" PRIu64 " split, %" PRIu64 " migrated, %" PRIu64
		" reused without a free\n",
		s->allocations, s->bulk, s->frees, s->splits, s->migrations, s->reused);
	fprintf(stderr,
		"kmemprof: dropped: %" PRIu64 " stacks, %" PRIu64 " tasks, %" PRIu64
		" pages beyond the table, %" PRIu64 " events missed; %" PRIu64
		" pages unattributed\n",
		s->stacks_full + s->stacks_failed, s->tasks_full, s->outside, s->missed,
		s->unattributed);
	fprintf(stderr,
		"kmemprof: stacks: %" PRIu64 " by the kernel's rules, %" PRIu64
		" by its unwinder; %" PRIu64 " of those compared differ\n",
		s->walked, s->unwound, s->walked_wrong);
	if (!(what & KMP_READ_TAGS))
		return;
	fprintf(stderr,
		"kmemprof: %" PRIu64 " kernel objects seen (%" PRIu64 " in bulk), %" PRIu64
		" freed, %" PRIu64 " reused without a free; dropped: %" PRIu64 " objects; %" PRIu64
		" without their call site\n",
		s->objects, s->objects_bulk, s->objects_freed, s->objects_reused, s->objects_full,
		s->sites_full + s->sites_failed);
}

/* Into the ledger, the groups of page owners and, if there is one, the file. */
static struct kmp_error *read_result(struct cli_record *job, struct kmp_recorder *recorder,
				     struct kmp_ledger *ledger, struct kmp_groups **pages)
{
	struct kmp_store *store cleanup(cleanup_store) = NULL;
	struct kmp_grouping *grouping cleanup(cleanup_grouping) = NULL;
	struct outputs to = { 0 };

	try(kmp_grouping_create(ledger,
				job->options.what & KMP_READ_PAGES && job->by ? job->by : "stack",
				NULL, &grouping));
	to.groups = kmp_grouping_sink(grouping);
	if (job->path) {
		try(kmp_store_create(job->path, false, &store));
		to.store = kmp_store_sink(store);
	}
	const struct kmp_sink sink = { to_outputs, &to, KMP_COLUMN_ALL };

	try(kmp_recorder_read(recorder, ledger, &sink));
	if (store)
		try(kmp_store_commit(no_free(store), ledger));
	return kmp_grouping_finish(no_free(grouping), pages);
}

static struct kmp_error *write_result(struct cli_args *args, struct cli_record *job,
				      struct kmp_recorder *recorder)
{
	struct kmp_ledger *ledger cleanup(cleanup_ledger) = NULL;
	struct kmp_groups *pages cleanup(cleanup_groups) = NULL;
	struct kmp_groups *tags cleanup(cleanup_groups) = NULL;
	struct cli_output output cleanup(cli_output_deinit) = { 0 };
	struct kmp_recorder_stats stats;
	bool both = job->options.what == (KMP_READ_PAGES | KMP_READ_TAGS);

	try(kmp_ledger_create(&ledger));
	try(read_result(job, recorder, ledger, &pages));
	try(kmp_recorder_stats(recorder, &stats));
	if (job->options.what & KMP_READ_TAGS)
		try(kmp_tags_group(ledger, both ? NULL : job->by, NULL, &tags));
	try(cli_output_open_at(NULL, &output));
	if (job->options.what & KMP_READ_PAGES)
		try(cli_write_groups(args, pages, &output));
	if (both)
		fputc('\n', output.file);
	if (tags)
		try(cli_write_groups(args, tags, &output));
	print_stats(&stats, job->options.what);
	return NULL;
}

static struct kmp_error *run(struct cli_args *args)
{
	struct cli_record job cleanup(cli_record_deinit) = { 0 };

	try(cli_record_options(args, &job));
	try(check_file(job.path));
	return cli_record_run(args, &job, write_result);
}

const struct cli_command cmd_record = {
	.name = "record",
	.summary = "records who allocates memory on this machine, live, on any kernel",
	.synopsis = "[-- COMMAND …]",
	.details =
		"Needs root and a kernel with BTF (5.17 on); nothing is built or rebooted, and\n"
		"nothing stays attached. With a COMMAND, it and its children are recorded while\n"
		"it runs, and its exit status is passed on. The whole machine is recorded only\n"
		"with --all, which also lists the pages that were in use before as unattributed.\n"
		"\n"
		"--tags tells what each function of the kernel holds, kernel objects and pages;\n"
		"with --pages also page owners, both in one file.\n",
	.options =
		(const struct cli_option[]){
			{ "duration", 'd', "T",
			  "how long: 10s, 500ms, 5m; until Ctrl-C unless told" },
			{ "output", 'o', "FILE.kmp", "keep what was recorded in a ledger file" },
			{ "pages", 'P', NULL, "page owners: what is recorded unless told" },
			{ "tags", 't', NULL, "bytes and calls by the code that allocates" },
			{ "all", 'a', NULL, "the whole machine" },
			{ "pid", 'p', "LIST", "only these processes: 1,200" },
			{ "cgroup", 'c', "DIR", "only tasks below this directory of cgroup 2" },
			{ "by", 'k', "KEYS", "group what is printed by these keys", CLI_PAGE_KEYS,
			  "," },
			{ "stack-depth", 'D', "N", "frames kept of a stack, at most 32; 16" },
			{ "max-stacks", 0, "N", "different stacks there is room for; 65536" },
			{ "max-tasks", 0, "N", "tasks that hold memory there is room for; 12288" },
			{ "max-tags", 0, "N", "different call sites there is room for; 16384" },
			{ "max-objects", 0, "N", "kernel objects there is room for; 1048576" },
			{ "sort", 's', "KEY", "order of what is printed", CLI_SORT_WORDS },
			{ "limit", 'l', "N", "rows to print, 0 for all; 20" },
			{ "format", 'f', "FORMAT", CLI_FORMATS, CLI_FORMAT_WORDS },
			{ "bytes", 'b', NULL, "exact bytes, not binary units" },
			{ 0 } },
	.max_args = -1,
	.run = run,
};
