// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/filter.h"
#include "cli/kernel-filter.h"

DEFINE_CLEANUP(ledger, struct kmp_ledger *, kmp_ledger_destroy)
DEFINE_CLEANUP(source, struct kmp_source *, kmp_source_close)
DEFINE_CLEANUP(filter, struct kmp_filter *, kmp_filter_destroy)

struct kmp_error *cli_mode_parse(const char *name, enum kmp_mode *mode)
{
	static const struct {
		const char *name;
		enum kmp_mode mode;
	} modes[] = {
		{ "stack", KMP_MODE_STACK },
		{ "handle", KMP_MODE_HANDLE },
		{ "stack_handle", KMP_MODE_STACK_HANDLE },
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (!strcmp(modes[i].name, name)) {
			*mode = modes[i].mode;
			return NULL;
		}
	}
	return kmp_error_new(KMP_ERROR_USAGE,
			     "unknown mode '%s'; there are stack, handle and stack_handle", name);
}

/* The node list is checked before anything is read; the text is finished, whatever the outcome. */
static struct kmp_error *stream(const struct filter_job *job, struct kmp_ledger *ledger,
				struct kmp_filter *filter, FILE *out, uint64_t *missing)
{
	struct kmp_source *source cleanup(cleanup_source) = NULL;
	/* The running kernel prints what will be printed here: stacks, unless told otherwise. */
	const struct kmp_source_options options = {
		.mode = job->mode == KMP_MODE_AS_READ ? KMP_MODE_STACK : job->mode,
	};
	struct kmp_text *text;

	try(kmp_text_create(out, job->mode, job->nodes, filter, &text));
	struct kmp_sink sink = kmp_text_sink(text);
	struct kmp_error *err = cli_source_open(job->path ? job->path : CLI_KERNEL, KMP_READ_PAGES,
						&options, &source);

	if (!err)
		err = kmp_source_read(source, ledger, KMP_READ_PAGES, &sink);
	struct kmp_error *finish_err = kmp_text_finish(text, missing);

	if (!err)
		return finish_err;
	kmp_error_destroy(finish_err);
	return err;
}

static void report_missing(struct cli_args *args, enum kmp_mode mode, uint64_t missing)
{
	if (!missing)
		return;
	fprintf(stderr,
		"kmemprof: %" PRIu64
		" records were printed without %s, which the source does not "
		"tell\n",
		missing,
		mode == KMP_MODE_HANDLE	 ? "their handle"
		: mode == KMP_MODE_STACK ? "their stack"
					 : "their stack or handle");
	args->status = CLI_LOSSES;
}

struct kmp_error *cli_filter(struct cli_args *args, const struct filter_job *job)
{
	struct kmp_filter *filter cleanup(cleanup_filter) = NULL;
	struct kmp_ledger *ledger cleanup(cleanup_ledger) = NULL;
	struct cli_output output cleanup(cli_output_deinit) = { 0 };
	uint64_t missing = 0;

	if (job->where)
		try(kmp_filter_compile(job->where, &filter));
	try(kmp_ledger_create(&ledger));
	try(cli_output_open(args, &output));
	try(stream(job, ledger, filter, output.file, &missing));
	try(cli_output_commit(&output));
	report_missing(args, job->mode, missing);
	cli_report_ledger(args, ledger);
	return NULL;
}

static struct kmp_error *run(struct cli_args *args)
{
	const char *mode = cli_value(args, "mode");
	bool done = false;
	struct filter_job job = {
		.path = args->rest[0],
		.nodes = cli_value(args, "node"),
		.where = cli_value(args, "where"),
	};

	if (mode)
		try(cli_mode_parse(mode, &job.mode));
	/* The kernel prints in its own modes alone what it has not told otherwise. */
	if (!job.where && (mode || job.nodes))
		try(cli_kernel_filter(args, job.path, mode, job.nodes, &done));
	return done ? NULL : cli_filter(args, &job);
}

const struct cli_command cmd_filter = {
	.name = "filter",
	.summary = "prints the kernel's page_owner text of any source, in another mode or in part",
	.synopsis = "[FILE]",
	.details =
		"With no FILE, the running kernel is read. What is kept is printed byte for byte "
		"as\n"
		"the kernel that it came from would: stack_handle text in mode handle is the same\n"
		"text without its frames. A mode that asks for what the source does not tell "
		"prints\n"
		"the records without it, counts them, and ends with status 3.\n",
	.options =
		(const struct cli_option[]){
			{ "mode", 'm', "MODE",
			  "stack, handle or stack_handle; as read unless given", CLI_MODE_WORDS },
			{ "node", 'n', "LIST", "only these NUMA nodes: 0,2-3" },
			{ "where", 'w', "EXPR", "only records for which this holds" },
			{ "output", 'o', "FILE", "write there, in place when complete" },
			{ 0 },
		},
	.max_args = 1,
	.run = run,
};
