// SPDX-License-Identifier: GPL-2.0-only
/*
 * The verbs of the command line, asked by a request: parameters are their options, by the same
 * table, but for those that are about files.
 */
#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/group.h"
#include "cli/serve/answer.h"
#include "cli/tag-filter.h"
#include "cli/timelines.h"
#include "cli/trend.h"

DEFINE_CLEANUP(filter, struct kmp_filter *, kmp_filter_destroy)
DEFINE_CLEANUP(groups, struct kmp_groups *, kmp_groups_destroy)
DEFINE_CLEANUP(history, struct kmp_history *, kmp_history_close)
DEFINE_CLEANUP(sample, struct serve_sample *, serve_sample_put)
DEFINE_CLEANUP(trends, struct kmp_trends *, kmp_trends_destroy)

enum { WHERE_MAX = 2000 };

/* What a page or a picture may do: it holds its own script, and reaches for nothing. */
static const char alone[] =
	"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; sandbox "
	"allow-scripts";

static const struct cli_timelines no_timelines;

/* Moments that are compared, in place of the two arguments. */
struct moments {
	const char *before;
	const char *after;
};

static bool is_for_files(const char *name)
{
	return !strcmp(name, "output") || !strcmp(name, "threads") || !strcmp(name, "verbose");
}

static struct kmp_error *set_option(struct cli_args *args, const char *name, const char *value)
{
	const struct cli_option *options = args->command->options;

	for (size_t i = 0; options[i].name; i++) {
		if (strcmp(options[i].name, name) != 0 || is_for_files(name))
			continue;
		args->values[i] = value;
		return NULL;
	}
	return kmp_error_new(KMP_ERROR_USAGE, "unknown parameter '%s' of %s", name,
			     args->command->name);
}

static struct kmp_error *read_query(const struct serve_query *query, struct cli_args *args,
				    struct moments *moments)
{
	for (size_t i = 0; i < query->count; i++) {
		const char *name = query->pairs[i].name, *value = query->pairs[i].value;

		if (moments && !strcmp(name, "before"))
			moments->before = value;
		else if (moments && !strcmp(name, "after"))
			moments->after = value;
		else
			try(set_option(args, name, value));
	}
	return NULL;
}

/* Expressions whose compiling or matching can take for ever are for whoever sits at the machine. */
static struct kmp_error *check_where(const char *where)
{
	if (!where)
		return NULL;
	if (strlen(where) > WHERE_MAX)
		return kmp_error_new(KMP_ERROR_USAGE, "where: longer than %d bytes", WHERE_MAX);
	for (const char *p = where; *p; p++) {
		if (*p == '{' || (*p == '\\' && isdigit((unsigned char)p[1])))
			return kmp_error_new(KMP_ERROR_USAGE,
					     "where: counts in braces and references back are not "
					     "taken in requests");
	}
	return NULL;
}

static struct kmp_error *check_sort(const struct cli_group *group)
{
	const char *sort = group->sort;

	if (sort && !strcmp(sort + (*sort == '-'), "ts"))
		return kmp_error_new(KMP_ERROR_USAGE, "sort: times are not kept");
	return NULL;
}

static struct kmp_error *needs(const struct serve_sample *sample, uint32_t what)
{
	return sample->holds & what ? NULL
				    : kmp_error_new(KMP_ERROR_USAGE, "the source holds no %s",
						    what == KMP_READ_TAGS ? "tags" : "page owners");
}

static void choose_type(enum kmp_format format, struct serve_answer *answer)
{
	static const char *const types[] = {
		[KMP_FORMAT_TABLE] = "text/plain; charset=utf-8",
		[KMP_FORMAT_JSON] = "application/json",
		[KMP_FORMAT_CSV] = "text/csv; charset=utf-8",
		[KMP_FORMAT_FOLDED] = "text/plain; charset=utf-8",
		[KMP_FORMAT_SVG] = "image/svg+xml",
		[KMP_FORMAT_PPROF] = "application/octet-stream",
		[KMP_FORMAT_HTML] = "text/html; charset=utf-8",
	};

	answer->type = types[format];
	if (format == KMP_FORMAT_SVG || format == KMP_FORMAT_HTML)
		answer->policy = alone;
}

static struct kmp_error *write_groups(struct cli_args *args, struct kmp_groups *groups,
				      const struct kmp_groups *tags,
				      const struct cli_timelines *timelines,
				      struct serve_answer *answer)
{
	struct cli_output output = { .file = answer->out };
	const char *sort = cli_value(args, "sort");
	struct kmp_view view;

	try(cli_view(args, &output, &view));
	if (!cli_value(args, "format"))
		view.format = KMP_FORMAT_JSON;
	if (!cli_value(args, "limit") && view.format != KMP_FORMAT_TABLE)
		view.limit = 0;
	if (sort)
		try(kmp_groups_sort(groups, sort));
	view.tags = tags;
	view.timelines = timelines->list;
	view.timeline_count = timelines->count;
	choose_type(view.format, answer);
	answer->status = 200;
	return kmp_groups_write(groups, answer->out, &view);
}

static struct kmp_error *group_pages(struct serve_sample *sample, const struct cli_group *group,
				     struct kmp_groups **groups)
{
	const char *whole = "stack,comm,node,zone,order";
	const char *by = group->by ? group->by : group->page ? whole : "stack";

	try(needs(sample, KMP_READ_PAGES));
	return serve_sample_group(sample, by, group->where, groups);
}

/* A page shows the tags, and a history over time, unless something was asked about page owners. */
static struct kmp_error *more_for_page(struct server *server, struct serve_sample *sample,
				       const struct cli_group *group, struct kmp_groups **tags,
				       struct cli_timelines *timelines)
{
	if (!group->page || group->where)
		return NULL;
	if (sample->holds & KMP_READ_TAGS)
		try(serve_sample_group_tags(sample, NULL, NULL, tags));
	return server->reader.history && !server->reader.redact
		       ? cli_timelines_read(server->reader.path, timelines)
		       : NULL;
}

struct kmp_error *serve_report(struct server *server, struct serve_sample *sample,
			       const struct serve_query *query, struct serve_answer *answer)
{
	struct kmp_groups *groups cleanup(cleanup_groups) = NULL;
	struct kmp_groups *tags cleanup(cleanup_groups) = NULL;
	struct cli_timelines timelines cleanup(cli_timelines_deinit) = { 0 };
	struct cli_args args = { .command = &cmd_report };
	struct cli_group group;

	try(read_query(query, &args, NULL));
	try(cli_group_options(&args, &group));
	try(check_where(group.where));
	try(check_sort(&group));
	try(group_pages(sample, &group, &groups));
	try(more_for_page(server, sample, &group, &tags, &timelines));
	return write_groups(&args, groups, tags, &timelines, answer);
}

static struct kmp_error *answer_report(struct server *server, const struct serve_query *query,
				       struct serve_answer *answer)
{
	struct serve_sample *sample cleanup(cleanup_sample) = NULL;

	try(server_sample(server, NULL, &sample));
	return serve_report(server, sample, query, answer);
}

static struct kmp_error *answer_tags(struct server *server, const struct serve_query *query,
				     struct serve_answer *answer)
{
	struct serve_sample *sample cleanup(cleanup_sample) = NULL;
	struct kmp_groups *groups cleanup(cleanup_groups) = NULL;
	struct cli_args args = { .command = &cmd_tags };
	struct kmp_tag_filter filter;

	try(read_query(query, &args, NULL));
	try(cli_tag_filter(&args, &filter));
	try(server_sample(server, NULL, &sample));
	try(needs(sample, KMP_READ_TAGS));
	try(serve_sample_group_tags(sample, cli_value(&args, "by"), &filter, &groups));
	return write_groups(&args, groups, NULL, &no_timelines, answer);
}

static struct kmp_error *group_moment(struct server *server, const char *when,
				      const struct cli_args *args, const struct cli_group *group,
				      struct kmp_groups **groups)
{
	struct serve_sample *sample cleanup(cleanup_sample) = NULL;

	try(server_sample(server, when, &sample));
	if (!cli_value(args, "tags") && (sample->holds & KMP_READ_PAGES))
		return group_pages(sample, group, groups);
	try(needs(sample, KMP_READ_TAGS));
	if (group->where)
		return kmp_error_new(KMP_ERROR_USAGE, "where is about page owners, not tags");
	return serve_sample_group_tags(sample, group->by, NULL, groups);
}

static struct kmp_error *answer_diff(struct server *server, const struct serve_query *query,
				     struct serve_answer *answer)
{
	struct kmp_groups *before cleanup(cleanup_groups) = NULL;
	struct kmp_groups *after cleanup(cleanup_groups) = NULL;
	struct kmp_groups *diff cleanup(cleanup_groups) = NULL;
	struct moments moments = { "first", "last" };
	struct cli_args args = { .command = &cmd_diff };
	struct cli_group group;

	try(read_query(query, &args, &moments));
	try(cli_group_options(&args, &group));
	try(check_where(group.where));
	try(check_sort(&group));
	try(group_moment(server, moments.before, &args, &group, &before));
	try(group_moment(server, moments.after, &args, &group, &after));
	try(kmp_groups_diff(before, after, &diff));
	return write_groups(&args, diff, NULL, &no_timelines, answer);
}

static struct kmp_error *write_trends(const struct cli_args *args, struct kmp_trends *trends,
				      struct serve_answer *answer)
{
	struct cli_output output = { .file = answer->out };
	struct kmp_view view;

	try(cli_view(args, &output, &view));
	if (!cli_value(args, "format"))
		view.format = KMP_FORMAT_JSON;
	if (!cli_value(args, "limit") && view.format != KMP_FORMAT_TABLE)
		view.limit = 0;
	if (cli_value(args, "sort"))
		try(kmp_trends_sort(trends, cli_value(args, "sort")));
	choose_type(view.format, answer);
	answer->status = 200;
	return kmp_trends_write(trends, answer->out, &view, false);
}

static struct kmp_error *answer_trend(struct server *server, const struct serve_query *query,
				      struct serve_answer *answer)
{
	struct kmp_history *history cleanup(cleanup_history) = NULL;
	struct kmp_filter *filter cleanup(cleanup_filter) = NULL;
	struct kmp_trends *trends cleanup(cleanup_trends) = NULL;
	struct cli_args args = { .command = &cmd_trend };
	struct kmp_trend_options options = { 0 };

	try(read_query(query, &args, NULL));
	if (!server->reader.history)
		return kmp_error_new(KMP_ERROR_USAGE, "the source is no history");
	if (server->reader.redact)
		return kmp_error_new(KMP_ERROR_USAGE, "trends are not told where names are not");
	try(check_where(cli_value(&args, "where")));
	if (cli_value(&args, "where"))
		try(kmp_filter_compile(cli_value(&args, "where"), &filter));
	options.filter = filter;
	try(kmp_history_open(server->reader.path, &history));
	try(cli_trend_options(&args, history, &options));
	try(kmp_trends_find(history, &options, &trends));
	return write_trends(&args, trends, answer);
}

struct kmp_error *serve_api(struct server *server, const char *verb,
			    const struct serve_query *query, struct serve_answer *answer)
{
	static const struct {
		const char *verb;
		struct kmp_error *(*answer)(struct server *server, const struct serve_query *query,
					    struct serve_answer *answer);
	} verbs[] = {
		{ "report", answer_report },
		{ "tags", answer_tags },
		{ "diff", answer_diff },
		{ "trend", answer_trend },
	};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		if (!strcmp(verbs[i].verb, verb))
			return verbs[i].answer(server, query, answer);
	}
	return NULL;
}

struct kmp_error *serve_pprof(struct server *server, const struct serve_query *query,
			      struct serve_answer *answer)
{
	struct serve_query with = *query;

	/* Its format is what its path says; profilers may ask for so many seconds, which is now. */
	for (size_t i = 0; i < with.count; i++) {
		if (!strcmp(with.pairs[i].name, "seconds") || !strcmp(with.pairs[i].name, "format"))
			with.pairs[i--] = with.pairs[--with.count];
	}
	if (with.count == sizeof(with.pairs) / sizeof(*with.pairs))
		return kmp_error_new(KMP_ERROR_USAGE, "too many parameters");
	with.pairs[with.count].name = "format";
	with.pairs[with.count++].value = "pprof";
	answer->disposition = "attachment; filename=\"pages.pb.gz\"";
	return answer_report(server, &with, answer);
}
