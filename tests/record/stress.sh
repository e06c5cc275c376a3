#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# `kmemprof record` while stress-ng takes and gives back memory, maps it and forks: kmemprof's own
# memory stays as it was, and what is left at the end is next to nothing. Not among the tests that
# run by themselves: it takes as long as it is told to.
#
#     tests/record/stress.sh KMEMPROF [SECONDS]
set -u

kmemprof=$(realpath "$1")
seconds=${2:-600}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

command -v stress-ng >/dev/null || {
	echo "stress-ng is not installed"
	exit 77
}
"$kmemprof" record --by comm --format json -- \
	stress-ng --quiet --vm 1 --vm-bytes 128M --fork 1 --mmap 1 --mmap-bytes 64M --timeout "$seconds" \
	>"$scratch/out" 2>"$scratch/log" &
recorder=$!

# KiB: all that is resident, and what is kmemprof's own (the rest are the kernel's tables).
memory() {
	awk '/^VmRSS:/ { all = $2 } /^RssAnon:/ { own = $2 } END { print all + 0, own + 0 }' \
		"/proc/$recorder/status" 2>/dev/null
}

sleep 5
read -r first_all first_own < <(memory)
last_own=$first_own last_all=$first_all most_own=$first_own
for ((passed = 5; passed < seconds - 2; passed += 5)); do
	sleep 5
	read -r all own < <(memory) || break
	[ "${own:-0}" -gt 0 ] || break
	last_all=$all last_own=$own
	[ "$own" -le "$most_own" ] || most_own=$own
done
wait "$recorder"
status=$?
grep '^kmemprof: ' "$scratch/log"
left=$(jq '[.groups[].pages] | add // 0' "$scratch/out")
echo "$passed s: resident $first_all KiB at the start, $last_all at the end;" \
	"its own $first_own, $last_own, at most $most_own; $left pages left; exit status $status"
[ "$first_own" -gt 0 ] && [ "$most_own" -le $((first_own + 256)) ] && [ "$left" -le 2000 ]
