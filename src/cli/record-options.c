// SPDX-License-Identifier: GPL-2.0-only
#include "cli/record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

struct kmp_error *cli_duration(const struct cli_args *args, const char *option, double *seconds)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = { { "", 1 },   { "ms", 0.001 }, { "s", 1 },
		      { "m", 60 }, { "h", 3600 },   { "d", 86400 } };
	const char *text = cli_value(args, option);
	char *end;
	double value = strtod(text, &end);

	for (size_t i = 0; end != text && i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(end, units[i].name) != 0 || !isfinite(value) || value <= 0)
			continue;
		*seconds = value * units[i].seconds;
		return NULL;
	}
	return kmp_error_new(KMP_ERROR_USAGE, "--%s: '%s' is no duration, as 10s or 500ms", option,
			     text);
}

static struct kmp_error *read_pids(const char *text, struct cli_record *job)
{
	size_t count = 1;

	for (const char *p = text; *p; p++)
		count += *p == ',';
	job->pids = calloc(count, sizeof(*job->pids));
	if (!job->pids)
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	for (const char *p = text; *p;) {
		char *end;

		errno = 0;
		unsigned long pid = strtoul(p, &end, 10);

		if (errno || end == p || pid == 0 || pid > INT32_MAX || (*end && *end != ','))
			return kmp_error_new(KMP_ERROR_USAGE, "--pid: '%s' is no list of processes",
					     text);
		job->pids[job->options.pid_count++] = (uint32_t)pid;
		p = *end ? end + 1 : end;
	}
	job->options.pids = job->pids;
	return NULL;
}

static struct kmp_error *read_limit(const struct cli_args *args, const char *option, unsigned *to)
{
	uint64_t value;

	if (!cli_value(args, option))
		return NULL;
	try(cli_number(args, option, &value));
	if (value < 1 || value > 100000000)
		return kmp_error_new(KMP_ERROR_USAGE, "--%s: %s is out of range", option,
				     cli_value(args, option));
	*to = (unsigned)value;
	return NULL;
}

struct kmp_error *cli_record_scope(const struct cli_args *args, bool has_command,
				   struct cli_record *job)
{
	struct kmp_recorder_options *o = &job->options;

	if (cli_value(args, "pid"))
		try(read_pids(cli_value(args, "pid"), job));
	try(read_limit(args, "stack-depth", &o->stack_depth));
	try(read_limit(args, "max-stacks", &o->max_stacks));
	try(read_limit(args, "max-tasks", &o->max_tasks));
	try(read_limit(args, "max-tags", &o->max_tags));
	try(read_limit(args, "max-objects", &o->max_objects));
	o->cgroup = cli_value(args, "cgroup");
	o->all = cli_value(args, "all") != NULL;
	o->follow = has_command && !o->all;
	if (o->all && (o->pids || o->cgroup))
		return kmp_error_new(KMP_ERROR_USAGE, "--all excludes --pid and --cgroup");
	return NULL;
}

struct kmp_error *cli_record_live(const struct cli_args *args, struct cli_record *job)
{
	const struct kmp_recorder_options *o = &job->options;

	try(cli_record_scope(args, false, job));
	return o->all || o->pids || o->cgroup
		       ? NULL
		       : kmp_error_new(KMP_ERROR_USAGE, "what to record? --all, --pid or --cgroup");
}

struct kmp_error *cli_record_refuse(const struct cli_args *args)
{
	static const char *const live_only[] = { "all",	       "pid",	    "cgroup",
						 "pages",      "tags",	    "stack-depth",
						 "max-stacks", "max-tasks", "max-tags",
						 "max-objects" };

	for (size_t i = 0; i < sizeof(live_only) / sizeof(*live_only); i++) {
		if (cli_value(args, live_only[i]))
			return kmp_error_new(KMP_ERROR_USAGE, "--%s: only with --source live",
					     live_only[i]);
	}
	return NULL;
}

uint32_t cli_record_what(const struct cli_args *args)
{
	uint32_t what = cli_value(args, "tags") ? KMP_READ_TAGS : 0;

	return cli_value(args, "pages") || !what ? what | KMP_READ_PAGES : what;
}

static struct kmp_error *read_what(const struct cli_args *args, struct kmp_recorder_options *o)
{
	const char *format = cli_value(args, "format");

	o->what = cli_record_what(args);
	if (o->what == (KMP_READ_PAGES | KMP_READ_TAGS) && format && strcmp(format, "table") != 0)
		return kmp_error_new(KMP_ERROR_USAGE,
				     "--format %s prints page owners or tags, not both; --output "
				     "keeps both",
				     format);
	return NULL;
}

struct kmp_error *cli_record_start(const struct cli_args *args, int command, struct cli_record *job)
{
	struct kmp_recorder_options *o = &job->options;

	*job = (struct cli_record){ .path = cli_value(args, "output"),
				    .by = cli_value(args, "by") };
	if (args->count > command)
		job->command = args->rest + command;
	if (cli_value(args, "duration"))
		try(cli_duration(args, "duration", &job->duration));
	try(cli_record_scope(args, job->command != NULL, job));
	if (!o->all && !o->pids && !o->cgroup && !o->follow)
		return kmp_error_new(KMP_ERROR_USAGE,
				     "what to record? --all, --pid, --cgroup or -- COMMAND");
	return NULL;
}

struct kmp_error *cli_record_options(const struct cli_args *args, struct cli_record *job)
{
	try(cli_record_start(args, 0, job));
	return read_what(args, &job->options);
}

void cli_record_deinit(struct cli_record *job)
{
	free(job->pids);
}
