// SPDX-License-Identifier: GPL-2.0-only
/* What `fleet` does, in the program kmemprof-fleet. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "cli/common.h"
#include "cli/fleet/where.h"
#include "cli/launch.h"

DEFINE_CLEANUP(server, struct clickhouse *, clickhouse_close)

static void fleet_deinit(struct fleet *fleet)
{
	pool_deinit(&fleet->pool);
}

static struct kmp_error *open_server(const struct cli_args *args, struct clickhouse **server)
{
	struct clickhouse_options options = { .url = cli_value(args, "from"),
					      .password_file = cli_value(args, "password-file"),
					      .ca_file = cli_value(args, "ca-file") };

	if (!options.url)
		options.url = getenv("KMEMPROF_FLEET");
	if (!options.url || !*options.url)
		return kmp_error_new(KMP_ERROR_USAGE,
				     "--from is missing: clickhouse://HOST:8123/DATABASE (or in "
				     "KMEMPROF_FLEET)");
	return clickhouse_open(&options, server);
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

static struct kmp_error *set_facts(struct fleet *fleet, const struct hosts *hosts,
				   struct kmp_groups *groups)
{
	const struct fleet_ask *ask = fleet->ask;
	bool compare = ask->question == FLEET_COMPARE;
	const char *now, *before = "";
	size_t count = hosts->counts[HOST_GOOD];
	char then[FLEET_TIME];

	if (compare) {
		try(pool_print(&fleet->pool, &now, "mean of %zu host%s", hosts->sides[2],
			       plural(hosts->sides[2])));
		try(pool_print(&fleet->pool, &before, "mean of %zu host%s", hosts->sides[1],
			       plural(hosts->sides[1])));
	} else {
		try(pool_print(&fleet->pool, &now, "%zu host%s", count, plural(count)));
		try(pool_print(&fleet->pool, &before, "%zu host%s at %s", count, plural(count),
			       fleet_time(then, ask->since)));
	}
	groups->facts = answer_facts(fleet, hosts, compare ? ask->labels[1].text : NULL, now);
	groups->facts_before =
		answer_facts(fleet, hosts, compare ? ask->labels[0].text : NULL, before);
	groups->facts_before.time = compare ? groups->facts.time : ask->since / 1000000000;
	return NULL;
}

/* A table that is cut shows the largest differences in either direction. */
static struct kmp_error *choose_rows(const struct fleet_ask *ask, const struct kmp_view *view,
				     struct kmp_groups *groups)
{
	struct kmp_groups shown = *groups;

	if (ask->question != FLEET_COMPARE || view->format != KMP_FORMAT_TABLE || !view->limit ||
	    groups->count <= view->limit)
		return NULL;
	try(kmp_groups_sort(groups, "change"));
	shown.count = view->limit;
	return kmp_groups_sort(&shown, "delta");
}

/* Names are asked for where they are shown; to put all in an order can take all. */
static struct kmp_error *name_owners(const struct cli_args *args, struct fleet *fleet,
				     const struct cli_output *output, struct answer *answer)
{
	size_t count = answer->groups.count;
	struct kmp_view view;

	try(cli_view(args, output, &view));
	if (!cli_value(args, "sort")) {
		try(choose_rows(fleet->ask, &view, &answer->groups));
		if (view.limit && view.limit < count)
			count = view.limit;
	}
	return answer_name(fleet, count, answer);
}

static struct kmp_error *answer_owners(const struct cli_args *args, struct fleet *fleet,
				       const struct hosts *hosts, const struct cli_output *output,
				       struct answer *answer)
{
	struct owners owners cleanup(owners_deinit) = { 0 };
	struct owners before cleanup(owners_deinit) = { 0 };
	bool compare = fleet->ask->question == FLEET_COMPARE;

	for (int side = 1; compare && side <= 2; side++) {
		if (!hosts->sides[side])
			return kmp_error_new(KMP_ERROR_INPUT,
					     "%s: no host with a sample of late has "
					     "%.200s",
					     clickhouse_name(fleet->server),
					     fleet->ask->labels[side - 1].text);
	}
	try(owners_load(fleet, hosts, compare ? 2 : 0, &owners));
	if (compare) {
		try(owners_load(fleet, hosts, 1, &before));
		try(owners_compare(&owners, hosts->sides[2], &before, hosts->sides[1]));
	}
	try(answer_make(fleet, hosts, &owners, answer));
	return name_owners(args, fleet, output, answer);
}

static struct kmp_error *answer_hosts(const struct cli_args *args, struct fleet *fleet,
				      const struct where *where, const struct hosts *hosts,
				      const struct cli_output *output, struct answer *answer)
{
	struct kmp_view view;

	try(where_answer(fleet, where, hosts, answer));
	try(cli_view(args, output, &view));
	if (view.format != KMP_FORMAT_TABLE)
		return NULL;
	/* What is the same in each row stands above them. */
	answer->groups.key_count = 1;
	fprintf(output->file, "%s\n\n", where->title);
	return NULL;
}

static struct kmp_error *answer_it(struct cli_args *args, struct fleet *fleet,
				   struct cli_output *output)
{
	const struct fleet_ask *ask = fleet->ask;
	struct answer answer cleanup(answer_deinit) = { 0 };
	struct hosts hosts cleanup(hosts_deinit) = { 0 };
	struct where where = { .by = ask->by };

	if (ask->question == FLEET_HOSTS)
		try(where_find(fleet, &where));
	try(hosts_load(fleet, where.by->kind, &hosts));
	try(answer_tell_hosts(fleet, &hosts, &answer));
	if (ask->question == FLEET_HOSTS)
		try(answer_hosts(args, fleet, &where, &hosts, output, &answer));
	else
		try(answer_owners(args, fleet, &hosts, output, &answer));
	try(set_facts(fleet, &hosts, &answer.groups));
	answer.groups.warnings = answer.warnings.data;
	answer.groups.warning_count = answer.warnings.len;
	return cli_write_groups(args, &answer.groups, output);
}

struct kmp_error *cli_fleet_run(struct cli_args *args)
{
	struct clickhouse *server cleanup(cleanup_server) = NULL;
	struct fleet fleet cleanup(fleet_deinit) = { 0 };
	struct cli_output output cleanup(cli_output_deinit) = { 0 };
	struct fleet_ask ask;

	try(fleet_ask_read(args, &ask));
	try(open_server(args, &server));
	fleet.ask = &ask;
	fleet.server = server;
	try(clickhouse_connect(server));
	try(schema_check(server));
	try(cli_output_open(args, &output));
	return answer_it(args, &fleet, &output);
}
