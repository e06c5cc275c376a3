// SPDX-License-Identifier: GPL-2.0-only
/* kmemprof push: to a ClickHouse. */
#include "cli/commands.h"
#include "cli/launch.h"

const struct cli_command cmd_push = {
	.name = "push",
	.summary = "makes the tables for samples of many machines in a ClickHouse",
	.synopsis = "",
	.details =
		"The tables are made when they are missing, and brought up to date.\n"
		"\n"
		"A password is in a file of its own; the user's name stands before the @ of the\n"
		"URL.\n",
	.options =
		(const struct cli_option[]){
			{ "to", 0, "URL", "clickhouse://[USER@]HOST:8123/DATABASE, or https://" },
			{ "cluster", 0, "NAME", "tables over all servers of this cluster" },
			{ "ttl", 0, "TIME", "samples go when they are so old: 30d" },
			{ "password-file", 0, "FILE", "the password is its first line" },
			{ "ca-file", 0, "FILE", "certificates to trust; the system's" },
			{ 0 } },
	.run = cli_push_run,
};
