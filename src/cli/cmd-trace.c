// SPDX-License-Identifier: GPL-2.0-only
/* kmemprof trace: the stacks, tasks and sizes behind one tag. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/record.h"

DEFINE_CLEANUP(groups, struct kmp_groups *, kmp_groups_destroy)

static void print_stats(const struct kmp_recorder_stats *s)
{
	fprintf(stderr,
		"kmemprof: %" PRIu64 " kernel objects traced, %" PRIu64 " freed, %" PRIu64
		" reused without a free; dropped: %" PRIu64 " objects, %" PRIu64 " stacks, %" PRIu64
		" tasks, %" PRIu64 " contexts\n",
		s->objects, s->objects_freed, s->objects_reused, s->objects_full,
		s->stacks_full + s->stacks_failed, s->tasks_full, s->sites_full);
}

static struct kmp_error *write_result(struct cli_args *args, struct cli_record *job,
				      struct kmp_recorder *recorder)
{
	struct kmp_groups *groups cleanup(cleanup_groups) = NULL;
	struct cli_output output cleanup(cli_output_deinit) = { 0 };
	struct kmp_recorder_stats stats;

	try(kmp_recorder_contexts(recorder, job->by, cli_value(args, "freed") != NULL, &groups));
	try(kmp_recorder_stats(recorder, &stats));
	try(cli_output_open(args, &output));
	try(cli_write_groups(args, groups, &output));
	print_stats(&stats);
	return NULL;
}

/* Are keys and order right? Nothing is traced yet. */
static struct kmp_error *check(struct cli_record *job, struct kmp_recorder *recorder)
{
	struct kmp_groups *groups cleanup(cleanup_groups) = NULL;

	try(kmp_recorder_contexts(recorder, job->by, false, &groups));
	return job->sort ? kmp_groups_sort(groups, job->sort) : NULL;
}

static struct kmp_error *run(struct cli_args *args)
{
	struct cli_record job cleanup(cli_record_deinit) = { 0 };

	try(cli_record_start(args, 1, &job));
	job.options.trace = args->rest[0];
	job.check = check;
	job.sort = cli_value(args, "sort");
	return cli_record_run(args, &job, write_result);
}

const struct cli_command cmd_trace = {
	.name = "trace",
	.summary = "records the stacks, tasks and sizes behind one tag, live",
	.synopsis = "TAG [-- COMMAND …]",
	.details =
		"TAG is a function of the kernel, as `record --tags` names it (`alloc_inode`,\n"
		"`alloc_inode [ext4]` for a module's), a line (`fs/pipe.c:797`; it takes the\n"
		"kernel's debug information), or a cache of kernel objects as slabinfo names it\n"
		"(`dentry`, `kmalloc-64`). Told is what it holds of what was allocated\n"
		"meanwhile, with --freed also what was freed again. Only what TAG allocates has\n"
		"its stack taken.\n"
		"\n"
		"Keys of --by: stack (the default) comm pid tgid size. The scope is that of\n"
		"record.\n",
	.options =
		(const struct cli_option[]){
			{ "duration", 'd', "T",
			  "how long: 10s, 500ms, 5m; until Ctrl-C unless told" },
			{ "freed", 'r', NULL, "count what was freed again, too" },
			{ "all", 'a', NULL, "the whole machine" },
			{ "pid", 'p', "LIST", "only these processes: 1,200" },
			{ "cgroup", 'c', "DIR", "only tasks below this directory of cgroup 2" },
			{ "by", 'k', "KEYS", "group what is printed by these keys",
			  "stack comm pid tgid size", "," },
			{ "stack-depth", 'D', "N", "frames kept of a stack, at most 32; 16" },
			{ "max-stacks", 0, "N", "different stacks there is room for; 65536" },
			{ "max-tasks", 0, "N", "tasks that hold memory there is room for; 12288" },
			{ "max-tags", 0, "N",
			  "stacks with task and size there is room for; 65536" },
			{ "max-objects", 0, "N", "kernel objects there is room for; 1048576" },
			CLI_VIEW_OPTIONS,
			{ 0 } },
	.min_args = 1,
	.max_args = -1,
	.run = run,
};
