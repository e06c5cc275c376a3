// SPDX-License-Identifier: GPL-2.0-only
/* kmemprof fleet: questions to a ClickHouse that many machines push to. */
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/launch.h"

const struct cli_command cmd_fleet = {
	.name = "fleet",
	.summary = "asks who owns the memory of many machines",
	.synopsis = "top|growers|hosts OWNER|compare",
	.words = "top growers hosts compare",
	.details =
		"Of the ClickHouse that 'kmemprof push' has filled: top tells what holds most,\n"
		"over the newest sample of each host; growers what grew most since --since, on "
		"how\n"
		"many hosts, and where most; hosts where an owner is and since when it grows "
		"there:\n"
		"a stack's fingerprint as top prints it, a tag's FILE:LINE, a function, or with "
		"--by\n"
		"a task, module or file; compare what a host has in the mean, of two groups: "
		"those\n"
		"with the first --label, and those with the second.\n"
		"\n"
		"Owners are stacks, unless --by names another kind. --host and --label choose\n"
		"hosts; both take patterns of * and ?, and kernel=RELEASE and host=NAME are "
		"labels\n"
		"of each. WHEN is 1h, -1h30m, 17:05, 2026-11-30T17:05:10 or @SECONDS.\n"
		"\n"
		"A host without a sample of the last --fresh (1h) is not counted, nor is one that\n"
		"had none at --since, or was started anew since: how many those are, and their\n"
		"names, is told.\n",
	.options =
		(const struct cli_option[]){
			{ "from", 0, "URL",
			  "clickhouse://[USER@]HOST:8123/DATABASE; KMEMPROF_FLEET unless told" },
			{ "by", 'k', "KEY", "stack, function, module, task, tag or file",
			  "stack function module task tag file" },
			{ "tags", 't', NULL, "function and module are those of tags" },
			{ "host", 'H', "GLOB", "only hosts whose name is so",
			  .repeats = CLI_REPEATS },
			{ "label", 'L', "NAME=GLOB",
			  "only hosts with this label; compare: two groups",
			  .repeats = CLI_REPEATS },
			{ "since", 'S', "WHEN", "growers, hosts: compared with then; 24h" },
			{ "at", 'A', "WHEN", "what was newest then; now" },
			{ "fresh", 'F', "TIME",
			  "a host without a sample for so long is stale; 1h" },
			{ "password-file", 0, "FILE", "the password is its first line" },
			{ "ca-file", 0, "FILE", "certificates to trust; the system's" },
			CLI_VIEW_OPTIONS,
			{ 0 } },
	.min_args = 1,
	.max_args = 2,
	.run = cli_fleet_run,
};
