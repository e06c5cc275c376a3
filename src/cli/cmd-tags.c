// SPDX-License-Identifier: GPL-2.0-only
/* kmemprof tags: the allocating code locations of /proc/allocinfo. */
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/kernel.h"
#include "cli/tag-filter.h"

static const char live_path[] = "/proc/allocinfo";

DEFINE_CLEANUP(ledger, struct kmp_ledger *, kmp_ledger_destroy)
DEFINE_CLEANUP(source, struct kmp_source *, kmp_source_close)
DEFINE_CLEANUP(groups, struct kmp_groups *, kmp_groups_destroy)

static struct kmp_error *read_tags(const struct cli_args *args, const struct kmp_tag_filter *filter,
				   struct kmp_ledger *ledger)
{
	struct kmp_source_options options = { .tags = filter };
	struct kmp_source *source cleanup(cleanup_source) = NULL;
	const char *path = args->count ? args->rest[0] : live_path;

	cli_set_note(args, &options);
	struct kmp_error *err = cli_source_open(path, KMP_READ_TAGS, &options, &source);

	if (err && !strcmp(path, live_path) && access(path, F_OK)) {
		kmp_error_destroy(err);
		return kmp_error_new(
			KMP_ERROR_INPUT,
			"this kernel has no %s: it takes Linux 6.10 or later, built with "
			"CONFIG_MEM_ALLOC_PROFILING and not booted with "
			"sysctl.vm.mem_profiling=never; or name a file to read",
			path);
	}
	if (err)
		return err;
	try(kmp_source_read(source, ledger, KMP_READ_TAGS, NULL));
	if (kmp_ledger_facts(ledger)->profiling_off && !cli_has_counted(ledger))
		return kmp_error_new(KMP_ERROR_INPUT,
				     "%s: allocation profiling is off and has counted nothing; "
				     "'sysctl vm.mem_profiling=1' turns it on",
				     path);
	return NULL;
}

static struct kmp_error *run(struct cli_args *args)
{
	struct kmp_ledger *ledger cleanup(cleanup_ledger) = NULL;
	struct kmp_groups *groups cleanup(cleanup_groups) = NULL;
	struct cli_output output cleanup(cli_output_deinit) = { 0 };
	struct kmp_tag_filter filter;

	try(cli_tag_filter(args, &filter));
	try(cli_output_open(args, &output));
	try(kmp_ledger_create(&ledger));
	/* Before reading: a wrong key is told at once. */
	try(kmp_tags_group(ledger, cli_value(args, "by"), &filter, &groups));
	kmp_groups_destroy(no_free(groups));
	try(read_tags(args, &filter, ledger));
	try(kmp_tags_group(ledger, cli_value(args, "by"), &filter, &groups));
	return cli_write_groups(args, groups, &output);
}

const struct cli_command cmd_tags = {
	.name = "tags",
	.summary = "lists the kernel code that allocates, with what it holds",
	.synopsis = "[FILE]",
	.details =
		"FILE is a dump of /proc/allocinfo in any form (sorted, cut, rounded by numfmt), "
		"a\n"
		"kernel log with an out-of-memory report, a directory that holds a dump, or a "
		"ledger\n"
		"file; - is standard input. Without it, /proc/allocinfo of the running kernel, "
		"which looks\n"
		"for module, function, file and line itself where it can (Linux 7.3, and mounts of "
		"ours).\n"
		"\n"
		"All criteria that are given must hold. They are those of the kernel's ioctl: "
		"names\n"
		"compare for equality (their last 63 bytes), sizes are inclusive and are those of "
		"a\n"
		"location, whose rows are added up first. A size may have a unit: 4096, 4K, 1M.\n"
		"\n"
		"Keys of --by, joined with commas: tag (file, line, module and function; the "
		"default),\n"
		"module, file, directory, function, line.\n",
	.options =
		(const struct cli_option[]){
			{ "by", 'k', "KEYS", "group by these keys", CLI_TAG_KEYS, "," },
			{ "module", 'm', "NAME", "only this module's; '' for built-in code" },
			{ "function", 'F', "NAME", "only this function's" },
			{ "file", 0, "PATH", "only this source file's" },
			{ "line", 0, "N", "only this line's" },
			{ "min-size", 0, "SIZE", "only locations that hold this or more" },
			{ "max-size", 0, "SIZE", "only locations that hold this or less" },
			{ "accurate", 0, "yes|no",
			  "only locations with complete (incomplete) counters", "yes no" },
			CLI_VERBOSE_OPTION,
			CLI_VIEW_OPTIONS,
			{ 0 } },
	.max_args = 1,
	.run = run,
};
