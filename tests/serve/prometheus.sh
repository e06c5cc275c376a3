#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A real Prometheus scrapes the server, and a query has the figure that report prints
# (KMEMPROF_SERVE_SECONDS: for longer). The rules in contrib are tried, too.
#
#     prometheus.sh KMEMPROF
# shellcheck source=tests/serve/lib.sh
. "${0%/*}/lib.sh"
for tool in prometheus promtool; do
	command -v $tool >/dev/null || skip_all "$tool is not installed: nothing was scraped"
done
capture=$data/captures/linux-7.3
contrib=${here%/tests/serve}/contrib/prometheus

ok "the scrape configuration is one" promtool check config "$contrib/prometheus.yml"
ok "the alert rules fire as they should" promtool test rules "$here/rules-test.yml"

start --source "$capture" --interval 1s --top 20
total=$("$kmemprof" report --format json "$capture" | jq .totals.bytes)
tags=$("$kmemprof" tags --format json "$capture" | jq .totals.bytes)
sed "s,127.0.0.1:9417,${url#http://},; s/scrape_interval:.*/scrape_interval: 1s/
	s/evaluation_interval:.*/evaluation_interval: 1s/; s,kmemprof-alerts.yml,$contrib/&," \
	"$contrib/prometheus.yml" >"$scratch/prometheus.yml"

# A port that nobody has: it says so if somebody does.
for ((tries = 0; tries < 20; tries++)); do
	prometheus_at=127.0.0.1:$((20000 + RANDOM % 10000))
	prometheus --config.file="$scratch/prometheus.yml" --storage.tsdb.path="$scratch/tsdb" \
		--web.listen-address=$prometheus_at --log.level=warn 2>"$scratch/log" &
	prometheus=$!
	others=("$prometheus")
	for ((wait = 0; wait < 300; wait++)); do
		! curl -s "http://$prometheus_at/-/ready" | grep -q Ready || break 2
		kill -0 $prometheus 2>/dev/null || break
		sleep 0.1
	done
done
query() { # EXPRESSION
	curl -sG --data-urlencode "query=$1" "http://$prometheus_at/api/v1/query" |
		jq -r '.data.result[0].value[1] // "none"'
}
for ((tries = 0; tries < 300; tries++)); do
	[ "$(query 'sum(kmemprof_stack_bytes)')" = none ] || break
	sleep 0.1
done
sleep "${long:-3}"
is "Prometheus says the source is up" "$(query kmemprof_source_up)" 1
is "all stacks are report's total" "$(query 'sum(kmemprof_stack_bytes)')" "$total"
is "so are nodes, zones, orders, types" "$(query 'sum(kmemprof_allocated_bytes)')" "$total"
is "all tags are tags' total" "$(query 'sum(kmemprof_tag_bytes)')" "$tags"
is "the largest task is report's" "$(query 'topk(1, kmemprof_task_bytes)')" \
	"$("$kmemprof" report --by comm --limit 1 --format json "$capture" | jq '.groups[0].bytes')"
is "no scrape failed" "$(query 'min_over_time(up{job="kmemprof"}[1h])')" 1
is "the rules were loaded" \
	"$(curl -s "http://$prometheus_at/api/v1/rules" | jq '[.data.groups[].rules[]] | length > 2')" true
kill -TERM "$prometheus"
wait "$prometheus"
stop
is "ends well" "$ended" 0
finish
