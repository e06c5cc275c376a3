// SPDX-License-Identifier: GPL-2.0-only
#include "cli/old-names.h"

#include <string.h>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/filter.h"
#include "cli/kernel-filter.h"

/* page_owner_filter takes numbers and ranges, and nothing else that the kernel would. */
static bool is_plain_list(const char *list)
{
	for (; *list; list++) {
		bool digit = false, dash = false;

		for (; *list && *list != ','; list++) {
			if (*list == '-' ? !digit || dash : *list < '0' || *list > '9')
				return false;
			dash |= *list == '-';
			digit = *list != '-';
		}
		if (!digit || (*list && !list[1]))
			return false;
		if (!*list)
			return true;
	}
	return false;
}

static struct kmp_error *run_page_owner_filter(struct cli_args *args)
{
	const char *mode = cli_value(args, "mode"), *nodes = cli_value(args, "nid");
	struct filter_job job = { .path = args->rest[0], .nodes = nodes };
	bool done = false;

	if (!mode && !nodes)
		return kmp_error_new(KMP_ERROR_USAGE,
				     "give a mode (-m), a list of nodes (-n) or "
				     "both");
	if (mode)
		try(cli_mode_parse(mode, &job.mode));
	if (nodes && !is_plain_list(nodes))
		return kmp_error_new(KMP_ERROR_USAGE, "'%s' is no list of nodes, such as 0,2-3",
				     nodes);
	try(cli_kernel_filter(args, job.path, mode, nodes, &done));
	return done ? NULL : cli_filter(args, &job);
}

static const struct cli_command cmd_page_owner_filter = {
	.name = "page_owner_filter",
	.summary = "prints page_owner in a mode, or of some nodes, as the kernel tree's tool does",
	.synopsis = "[FILE]",
	.details =
		"The kernel filters where it can (Linux 7.3); older kernels' text is filtered\n"
		"here, and so is a FILE.\n",
	.options =
		(const struct cli_option[]){
			{ "mode", 'm', "MODE", "stack, handle or stack_handle", CLI_MODE_WORDS },
			{ "nid", 'n', "LIST", "only these NUMA nodes: 0,2-3" },
			{ "output", 'o', "FILE", "write there; not standard output" },
			{ 0 },
		},
	.max_args = 1,
	.own_program = true,
	.run = run_page_owner_filter,
};

const struct cli_command *const cli_old_commands[] = {
	&cmd_page_owner_filter,
	&cmd_page_owner_sort,
	NULL,
};

const struct cli_command *cli_old_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	for (size_t i = 0; cli_old_commands[i]; i++) {
		if (!strcmp(cli_old_commands[i]->name, name))
			return cli_old_commands[i];
	}
	return NULL;
}

int cli_old_status(int status)
{
	return status == CLI_USAGE ? CLI_FAILED : status;
}
