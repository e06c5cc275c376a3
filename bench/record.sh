#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What recording costs who is recorded: processor time of a page fault and its free, with and
# without, beside the same idea in bpftrace and beside programs that take stacks and do nothing
# else. All in turns, medians. Records what it starts alone; bpftrace is told the same process.
# As root. Is run by run.sh, and alone:
#
#     bench/record.sh [PAGES [RUNS]]
# shellcheck disable=SC2154 # run.sh's
if ! declare -F row >/dev/null; then
	set -euo pipefail
	cd "$(dirname "$0")/.."
	. bench/rows.sh
	missed=0
	row_head
fi

fault_pages=${1:-1000000}
fault_runs=${2:-7}
record_tmp=$(mktemp -d)
gcc -O2 -o "$record_tmp/fault" bench/fault.c
kmemprof=$PWD/build/kmemprof
bpftool=$(command -v bpftool || echo /usr/sbin/bpftool)

off() { "$record_tmp/fault" "$fault_pages"; }
stack() { build/bench/stack-only "$record_tmp/fault" "$fault_pages" 2>/dev/null; }
recorded() {
	"$kmemprof" record --by comm -- "$record_tmp/fault" "$fault_pages" 2>/dev/null |
		grep -E '^[0-9.]+$'
}
bpftraced() {
	BPFTRACE_MAP_KEYS_MAX=1000000 in_tracefs \
		bpftrace -c "$record_tmp/fault $fault_pages" bench/pages.bt 2>/dev/null |
		grep -E '^[0-9.]+$'
}

median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

# Pairs of one round: what each adds to the same round's run without.
for ((round = 0; round < fault_runs; round++)); do
	without=$(off)
	echo "$without" >>"$record_tmp/off"
	for kind in stack recorded bpftraced; do
		with=$($kind)
		awk "BEGIN { print $with - $without }" >>"$record_tmp/$kind"
	done
done
without=$(median "$record_tmp/off")
least=$(median "$record_tmp/stack")
ours=$(median "$record_tmp/recorded")
theirs=$(median "$record_tmp/bpftraced")

info "page fault and free, $fault_pages times: nothing attached" %.2f "$without / 1000" us
info "  added by stacks that are taken and thrown away" %.2f "$least / 1000" us
info "  added by bpftrace, the same process" %.2f "$theirs / 1000" us
info "  added by record" %.2f "$ours / 1000" us
row "  record against bpftrace" %.2f "$ours / $theirs" times "<=" 0.75
row "  record above the stacks alone" %.2f "($ours - $least) / 1000" us "<=" 0.6

# From the command's start to the first record, and from the end of the recording to the last word.
for ((round = 0; round < fault_runs; round++)); do
	begun=$(date +%s%N)
	"$kmemprof" record --by comm -- date +%s%N >"$record_tmp/out" 2>/dev/null || true
	told=$(head -n 1 "$record_tmp/out")
	ended=$(date +%s%N)
	echo $((told - begun)) >>"$record_tmp/start"
	echo $((ended - told)) >>"$record_tmp/end"
done
row "record: from its start to the first record" %.2f "$(median "$record_tmp/start") / 1e9" s "<=" 1
row "  from the last one until it has written and is detached" %.2f \
	"$(median "$record_tmp/end") / 1e9" s "<=" 1

# What the kernel charges for each table, by name.
"$kmemprof" record -- sleep 30 >/dev/null 2>&1 &
recorder=$!
sleep 4
for file in /proc/"$recorder"/fdinfo/*; do
	map=$(sed -n 's/^map_id:[[:space:]]*//p' "$file")
	[ -z "$map" ] || "$bpftool" -j map show id "$map" |
		jq -r '"\(.name) \(.bytes_memlock) \(.max_entries)"'
done >"$record_tmp/maps"
kill -INT $recorder
wait $recorder || true
frames=$(awk '$1 == "pages" { print $3 }' "$record_tmp/maps")
table=$(awk '$1 == "pages" { print $2 }' "$record_tmp/maps")
stacks=$(awk '/^stack/ { n += $2 } END { print n + 0 }' "$record_tmp/maps")
others=$(awk '$1 != "pages" && !/^stack/ { n += $2 } END { print n + 0 }' "$record_tmp/maps")
row "record: memory for a page frame (of $frames)" %.1f "$table / $frames" bytes "<=" 24.01
row "  beside frames and stacks" %.2f "$others / 1048576" MiB "<=" 2
info "  for 65536 stacks of 16 frames" %.1f "$stacks / 1048576" MiB
rm -rf "$record_tmp"
