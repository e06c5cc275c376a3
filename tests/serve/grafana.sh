#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The dashboard for Grafana: its form; and each expression in it asked of a real Prometheus that
# scrapes a real server: it has figures, of metrics that exist, with the labels that legends name.
#
#     grafana.sh KMEMPROF
# shellcheck disable=SC2016 # what is for jq and Grafana
# shellcheck source=tests/serve/lib.sh
. "${0%/*}/lib.sh"
need_prometheus
dashboard=${contrib%/prometheus}/grafana/kmemprof.json

board() { # FILTER
	jq -r "$1" "$dashboard"
}
is "the dashboard is JSON of a schema that is current" "$(board '.schemaVersion >= 38')" true
is "its panels have numbers of their own" "$(board '[.panels[].id] | length == (unique | length)')" true
is "and titles and explanations" \
	"$(board '[.panels[] | select(.type != "row") | select((.title and .description) | not)] | length')" 0
is "each asks the data source that was chosen" \
	"$(board '[.panels[] | select(.type != "row") | .datasource, .targets[].datasource | .uid] | unique[]')" \
	'${datasource}'
is "of the instances that were chosen" \
	"$(board '[.panels[].targets[]?.expr | select(contains("instance=~\"$instance\"") | not)] | length')" 0
is "no two of them overlap" "$(board '[.panels[].gridPos | . as $p |
	range(.x; .x + .w) as $x | range(.y; .y + .h) as $y | [$x, $y]] |
	length == (unique | length)')" true
is "none is wider than the page" "$(board '[.panels[].gridPos | .x + .w] | max')" 24

start --source "$data/captures/linux-7.3" --interval 1s --top 20
start_prometheus
await_query 'count_over_time(kmemprof_source_up[1h]) > 3'

# What Grafana would put in for its variables.
board '.panels[].targets[]? | [.expr, .legendFormat] | @tsv' |
	sed 's/\\\\/\\/g; s/\$instance/.*/; s/\$__range/1h/; s/\$__rate_interval/1m/' >"$scratch/asked"
while IFS=$'\t' read -r expression legend; do
	ask_prometheus query --data-urlencode "query=$expression" >"$scratch/answer"
	labels=$(grep -o '{{[a-z_]*}}' <<<"$legend" | tr -d '{}')
	is "has figures, and the labels of its legend: $expression" \
		"$(jq --arg labels "$labels" '.data.result | length > 0 and (($labels | split("\n")) -
			[.[].metric | keys[]] == [])' "$scratch/answer")" true
done <"$scratch/asked"
is "all expressions were asked" "$(wc -l <"$scratch/asked")" "$(board '[.panels[].targets[]?] | length')"

ask_prometheus label/__name__/values | jq -r '.data[]' | sort >"$scratch/names"
is "each metric that it names exists" "$(grep -oE '(kmemprof|process|scrape)_[a-z_]+' "$scratch/asked" |
	sort -u | comm -23 - "$scratch/names")" ''
# What is there, and no panel shows.
is "each metric is shown, but pages, which are bytes" \
	"$(grep kmemprof_ "$scratch/names" | grep -vFf <(grep -oE 'kmemprof_[a-z_]+' "$scratch/asked" | sort -u) |
		tr '\n' ' ')" \
	'kmemprof_allocated_pages kmemprof_build_info kmemprof_places kmemprof_readings_total kmemprof_stack_pages kmemprof_task_pages '
is "the variable has the instance" \
	"$(ask_prometheus label/instance/values --data-urlencode 'match[]=kmemprof_source_up' | jq -r '.data[]')" \
	"${url#http://}"
stop_prometheus
stop
is "ends well" "$ended" 0
finish
