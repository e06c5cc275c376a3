// SPDX-License-Identifier: GPL-2.0-only
/* kmemprof serve: a machine's figures for monitoring, over HTTP. */
#include "cli/commands.h"
#include "cli/launch.h"

const struct cli_command cmd_serve = {
	.name = "serve",
	.summary = "answers over HTTP: metrics for Prometheus, pprof, JSON",
	.synopsis = "",
	.details =
		"/ is a page for a browser. /metrics is Prometheus's text, or OpenMetrics where "
		"that is asked for;\n"
		"/pprof/pages a profile for pprof, Pyroscope and Parca. /api/v1/report, tags,\n"
		"diff and trend tell in JSON what these verbs tell, their options as\n"
		"parameters: ?by=comm&limit=5. diff compares before=first|previous with\n"
		"after=last; in a history, any moments, as -1h or 12:30. /healthz tells\n"
		"whether the source can be read.\n"
		"\n"
		"--source is a dump, a directory, a ledger file, a history, kernel (unless told)\n"
		"or live, which records as record does. It is read again each --interval.\n"
		"\n"
		"--listen takes ADDRESS:PORT, or unix:PATH; port 0 is any free one, which is\n"
		"told. Only this machine is answered unless another address is given, which\n"
		"takes --token-file (each request has the header 'Authorization: Bearer TOKEN')\n"
		"or --no-token. SIGTERM and SIGINT end it.\n",
	.options =
		(const struct cli_option[]){
			{ "listen", 'L', "WHERE", "127.0.0.1:9417 unless told; or unix:PATH" },
			{ "source", 'S', "FILE|DIR|kernel|live",
			  "what to read; the kernel's own files unless told" },
			{ "interval", 'i', "TIME", "between two readings: 5s, 1m; 30s" },
			{ "top", 'n', "N", "series of stacks, of tags and of tasks; 50" },
			{ "token-file", 0, "FILE", "who asks must know the word in this file" },
			{ "no-token", 0, NULL, "answer other machines without a token" },
			{ "redact", 0, NULL, "leave out tasks, cgroups and paths" },
			{ "all", 'a', NULL, "live: the whole machine" },
			{ "pid", 'p', "LIST", "live: only these processes: 1,200" },
			{ "cgroup", 0, "DIR", "live: only tasks below this directory of cgroup 2" },
			{ "tags", 't', NULL, "live: tags, too" },
			{ "stack-depth", 'D', "N", "live: frames kept of a stack, at most 32; 16" },
			{ "max-stacks", 0, "N", "live: different stacks there is room for; 65536" },
			{ "max-tasks", 0, "N",
			  "live: tasks that hold memory there is room for; 12288" },
			{ 0 },
		},
	.run = cli_serve_run,
};
