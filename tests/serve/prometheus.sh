#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A real Prometheus scrapes the server, and a query has the figure that report prints
# (KMEMPROF_SERVE_SECONDS: for longer). The rules in contrib are tried, too.
#
#     prometheus.sh KMEMPROF
# shellcheck source=tests/serve/lib.sh
. "${0%/*}/lib.sh"
need_prometheus
capture=$data/captures/linux-7.3

# What it says is no TAP.
# shellcheck disable=SC2317 # by ok
promtool_takes() { # promtool's arguments
	promtool "$@" >"$scratch/said" 2>&1 && return
	sed 's/^/# /' "$scratch/said"
	return 1
}

ok "the scrape configuration is one" promtool_takes check config "$contrib/prometheus.yml"
ok "the alert rules fire as they should" promtool_takes test rules "$here/rules-test.yml"

start --source "$capture" --interval 1s --top 20
total=$("$kmemprof" report --format json "$capture" | jq .totals.bytes)
tags=$("$kmemprof" tags --format json "$capture" | jq .totals.bytes)
start_prometheus
await_query 'sum(kmemprof_stack_bytes)'
sleep "${long:-3}"
is "Prometheus says the source is up" "$(query kmemprof_source_up)" 1
is "all stacks are report's total" "$(query 'sum(kmemprof_stack_bytes)')" "$total"
is "so are nodes, zones, orders, types" "$(query 'sum(kmemprof_allocated_bytes)')" "$total"
is "all tags are tags' total" "$(query 'sum(kmemprof_tag_bytes)')" "$tags"
is "the largest task is report's" "$(query 'topk(1, kmemprof_task_bytes)')" \
	"$("$kmemprof" report --by comm --limit 1 --format json "$capture" | jq '.groups[0].bytes')"
ok "scrapes are answered: $(query 'avg_over_time(up{job="kmemprof"}[1h])')" \
	[ "$(query 'avg_over_time(up{job="kmemprof"}[1h]) > bool 0.5')" = 1 ]
is "the rules were loaded" \
	"$(ask_prometheus rules | jq '[.data.groups[].rules[]] | length > 2')" true
stop_prometheus
stop
is "ends well" "$ended" 0
finish
