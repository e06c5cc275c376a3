#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A real Prometheus scrapes a recording while it goes on (KMEMPROF_SERVE_SECONDS: for longer): of two
# processes, one of which takes memory and gives it back. In the end its figures are report's.
#
#     prometheus-live.sh KMEMPROF HOLD
# shellcheck source=tests/serve/lib.sh
. "${0%/*}/lib.sh"
need_prometheus
"$kmemprof" record -- true >/dev/null 2>"$scratch/log" ||
	skip_all "no recording here: $(tail -n 1 "$scratch/log")"
seconds=${long:-4}

# Two names, which wait to be let go until they are recorded.
mkfifo "$scratch/go"
for name in keeper churner; do
	cp "$2" "$scratch/$name"
done
sh -c "read -r _ <'$scratch/go'; exec '$scratch/keeper' anon 48 600" &
keeper=$!
sh -c "read -r _ <'$scratch/go'; exec '$scratch/churner' churn 8 $seconds" &
churner=$!
others=("$keeper" "$churner")
start --source live --pid "$keeper,$churner" --interval 500ms --top 20
start_prometheus
await_query kmemprof_source_up
printf '\n\n' >"$scratch/go"
printf '\n\n' >"$scratch/go" & # for a reader that came later
others+=($!)
wait "$churner"

# What is recorded stands still now: each sample from here on has the same, and so has each scrape.
await_query 'kmemprof_task_bytes{comm="keeper"} >= 48 * 1024 * 1024'
now=$(date +%s)
for ((tries = 0; tries < 240; tries++)); do
	[ "$(query "kmemprof_sample_timestamp_seconds > bool $((now + 2))")" != 1 ] || break
	sleep 0.25
done
wanted=$(get /api/v1/report | jq .totals.bytes)
is "the recording's figure is report's" "$(query 'sum(kmemprof_stack_bytes)')" "$wanted"
ok "which has what is held: $wanted bytes" [ "$wanted" -ge $((48 << 20)) -a "$wanted" -lt $((60 << 20)) ]
is "by task, too" "$(query 'kmemprof_task_bytes{comm="keeper"}')" \
	"$(get '/api/v1/report?by=comm' | jq '.groups[] | select(.key.comm == "keeper").bytes')"
is "the largest stack is report's" "$(query 'topk(1, kmemprof_stack_bytes)')" \
	"$(get '/api/v1/report?by=stack&limit=1' | jq '.groups[0].bytes')"
ok "what came and went was seen" \
	[ "$(query 'max(max_over_time(kmemprof_task_bytes{comm="churner"}[1h])) > bool 1e6')" = 1 ]
samples=$(query 'changes(kmemprof_sample_timestamp_seconds[1h])')
ok "samples came and went: $samples" [ "$samples" -ge 3 ]
# Each has but a second, on a machine that may have much else to do.
ok "scrapes are answered: $(query 'avg_over_time(up{job="kmemprof"}[1h])')" \
	[ "$(query 'avg_over_time(up{job="kmemprof"}[1h]) > bool 0.5')" = 1 ]
is "no reading failed" "$(query kmemprof_reading_failures_total)" 0
is "nothing was lost" "$(query 'max(max_over_time(kmemprof_sample_lost_records[1h]))')" 0
echo "# $(query 'count_over_time(up{job="kmemprof"}[1h])') scrapes of" \
	"$(query 'avg_over_time(scrape_duration_seconds[1h])') s; the server took" \
	"$(query process_cpu_seconds_total) s of CPU, $(query process_resident_memory_bytes) bytes"
kill "$keeper"
wait "$keeper" 2>/dev/null
stop_prometheus
stop
is "ends well" "$ended" 0
finish
