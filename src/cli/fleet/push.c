// SPDX-License-Identifier: GPL-2.0-only
/* What `push` does, in the program kmemprof-fleet. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "cli/fleet/schema.h"
#include "cli/launch.h"
#include "cli/ticker.h"

DEFINE_CLEANUP(server, struct clickhouse *, clickhouse_close)

struct kmp_error *cli_push_run(struct cli_args *args)
{
	struct clickhouse *server cleanup(cleanup_server) = NULL;
	struct clickhouse_options options = { .url = cli_value(args, "to"),
					      .password_file = cli_value(args, "password-file"),
					      .ca_file = cli_value(args, "ca-file") };
	struct schema_options schema = { .cluster = cli_value(args, "cluster") };
	auto_free char *note = NULL;

	if (!options.url)
		return kmp_error_new(KMP_ERROR_USAGE, "--to is missing: where to push");
	if (cli_value(args, "ttl"))
		try(cli_interval(args, "ttl", &schema.ttl));
	schema.ttl /= 1000000000;
	try(clickhouse_open(&options, &server));
	try(clickhouse_connect(server));
	try(schema_prepare(server, &schema, &note));
	if (note)
		fprintf(stderr, "kmemprof: %s\n", note);
	return NULL;
}
