// SPDX-License-Identifier: GPL-2.0-only
/* kmemprof push: samples of this machine, or of a history, into a ClickHouse. */
#include "cli/commands.h"
#include "cli/feed.h"
#include "cli/launch.h"

const struct cli_command cmd_push = {
	.name = "push",
	.summary = "sends samples of stacks, tags and tasks to a ClickHouse",
	.synopsis = "[HISTORY]",
	.details =
		"Of a HISTORY (see monitor), the samples are sent that the server does not have.\n"
		"Of a source, one sample, or one each --interval until it is interrupted. The\n"
		"tables are made when they are missing.\n"
		"\n"
		"With --spool each sample is on the disk until the server has it: while it is\n"
		"away, full or slow, and also after a crash; the next run sends what is left.\n"
		"Reading goes on meanwhile. When the spool is full, the oldest samples go, which\n"
		"is counted and told. Each sample is there once, however often it is sent: its\n"
		"key is the host, its boot and the time.\n"
		"\n"
		"A password is in a file of its own; the user's name stands before the @ of the\n"
		"URL.\n",
	.options =
		(const struct cli_option[]){
			{ "to", 0, "URL", "clickhouse://[USER@]HOST:8123/DATABASE, or https://" },
			{ "interval", 'i', "TIME", "a sample each 10s, 1m, …; one alone" },
			{ "count", 'n', "N", "so many samples; until it is interrupted" },
			{ "label", 'l', "NAME=VALUE", "goes with each sample; can be repeated",
			  .repeats = CLI_REPEATS },
			{ "host", 0, "NAME", "the machine's name; what it calls itself" },
			{ "spool", 0, "DIR", "samples wait here for the server" },
			{ "spool-max", 0, "SIZE", "of files there at most, 256MiB" },
			{ "cluster", 0, "NAME", "tables over all servers of this cluster" },
			{ "ttl", 0, "TIME", "samples go when they are so old: 30d" },
			{ "setup", 0, NULL, "make the tables, and send nothing" },
			{ "password-file", 0, "FILE", "the password is its first line" },
			{ "ca-file", 0, "FILE", "certificates to trust; the system's" },
			{ "timeout", 0, "TIME", "wait so long for an answer; 1m" },
			CLI_FEED_OPTIONS,
			{ "tags", 't', NULL, "live: tags, too" },
			{ "verbose", 'v', NULL, "tell of each sample" },
			{ "quiet", 'q', NULL, "do not tell what was sent" },
			{ 0 } },
	.max_args = 1,
	.run = cli_push_run,
};
