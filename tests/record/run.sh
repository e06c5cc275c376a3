#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# `kmemprof record` on the running kernel: known amounts of several kinds are attributed to who
# allocated them, what is freed is gone, and nothing stays attached. Records what it starts alone.
# Prints TAP.
#
#     tests/record/run.sh KMEMPROF HOLD
set -u

. "$(dirname "$0")/lib.sh"
hold=$(realpath "$2")
memory=$(mktemp -d /dev/shm/kmemprof-test.XXXXXX)
trap 'rm -rf "$scratch" "$memory"' EXIT

record() { # OUTPUT ARGS…
	"$kmemprof" record --format json --by comm "${@:2}" >"$1" 2>"$scratch/log"
}

possible recording record "$scratch/probe" -- true

pages_of_hold() { jq '[.groups[] | select(.key.comm == "hold") | .pages] | add // 0' "$1"; }

# Within one per cent of the amount, beside the process's own start: page tables, its program.
for kind in anon huge file pipe socket; do
	mib=48
	record "$scratch/$kind" --duration 1500ms -- "$hold" "$kind" $mib 30 "$memory"
	pages=$(pages_of_hold "$scratch/$kind")
	want=$((mib * 256))
	case $kind in
	# Each pipe or socket has small objects of its own, each page of data a page table's share.
	socket) high=$((want * 125 / 100)) ;;
	pipe) high=$((want * 110 / 100)) ;;
	*) high=$((want * 102 / 100)) ;;
	esac
	[ "$pages" -ge $((want * 99 / 100)) ] && [ "$pages" -le "$high" ]
	result $? "$kind: $mib MiB held are attributed" "$pages pages, $want wanted"
done
rm -f "$memory"/*

# What a process had is given back when it ends; its exit status is passed on.
record "$scratch/ended" -- "$hold" anon 48 0
result $((! ($? == 7))) "the command's exit status is passed on" "$(cat "$scratch/log")"
pages=$(pages_of_hold "$scratch/ended")
[ "$pages" -le 120 ]
result $? "what was freed is gone" "$pages pages left of 12288"

# Room for 1024 tasks lasts for more, a part of it at a time, and who holds memory all the while keeps it.
cat >"$scratch/forks" <<'END'
"$1" anon 16 60 &
sleep 1
for ((j = 0; j < 10; j++)); do
	for ((i = 0; i < 120; i++)); do (:); done
	sleep 0.4
done
echo done >"$2"
exec sleep 60
END
env --default-signal=INT "$kmemprof" record --format json --by comm --max-tasks 1024 -- \
	bash "$scratch/forks" "$hold" "$scratch/forked" >"$scratch/tasks" 2>"$scratch/log" &
recorder=$!
for ((tries = 0; tries < 600; tries++)); do
	[ ! -e "$scratch/forked" ] || break
	sleep 0.1
done
kill -INT $recorder
wait $recorder
pages=$(pages_of_hold "$scratch/tasks")
grep -q ' 0 tasks,' "$scratch/log" && [ "$pages" -ge 4096 ] && [ "$pages" -lt 4300 ]
result $? "numbers of tasks are used again" "$pages pages of 4096; $(cat "$scratch/log")"

# A ledger file tells the same.
"$kmemprof" record --duration 1s -o "$scratch/held.kmp" -- "$hold" anon 16 30 >"$scratch/out" 2>&1
pages=$("$kmemprof" report --by comm --format json "$scratch/held.kmp" |
	jq '[.groups[] | select(.key.comm == "hold") | .pages] | add')
[ "$pages" -ge 4096 ]
result $? "the ledger file holds what was recorded" "$pages pages"
"$kmemprof" report --where 'stack~do_anonymous_page' --format json "$scratch/held.kmp" |
	jq -e '.totals.pages >= 4096' >"$scratch/out"
result $? "stacks have names" "$(cat "$scratch/out")"

# Killed in mid-recording: the kernel lets go of all that was attached.
"$kmemprof" record --pid $$ >"$scratch/out" 2>&1 &
recorder=$!
attached=0
for ((tries = 0; tries < 200 && attached == 0; tries++)); do
	sleep 0.1
	attached=$(find "/proc/$recorder/fd" -lname "*bpf-prog*" 2>/dev/null | wc -l)
done
kill -9 $recorder 2>/dev/null
wait $recorder 2>/dev/null
[ "$attached" -gt 0 ] && [ ! -e /proc/$recorder ]
result $? "a killed recorder leaves nothing attached" "$attached BPF descriptors before"

# In a PID namespace numbers are others than those that the kernel tells programs.
if unshare --pid --fork --mount-proc true 2>"$scratch/log"; then
	unshare --pid --fork --mount-proc "$kmemprof" record --format json --by comm \
		--duration 1500ms -- "$hold" anon 16 30 >"$scratch/inside" 2>"$scratch/log"
	pages=$(pages_of_hold "$scratch/inside")
	[ "$pages" -ge 4096 ] && [ "$pages" -lt 4300 ]
	result $? "a command in a PID namespace" "$pages pages of 4096; $(cat "$scratch/log")"
	# As process 2 or 3 of it, which are others outside.
	cat >"$scratch/nested" <<'END'
"$1" churn 8 60 &
sleep 0.2
"$2" record --format json --by comm --duration 1s --pid $!
kill $!
END
	unshare --pid --fork --mount-proc bash "$scratch/nested" "$hold" "$kmemprof" \
		>"$scratch/inside" 2>"$scratch/log"
	grep -qE '^kmemprof: [1-9][0-9]{2,} allocations seen' "$scratch/log"
	result $? "--pid takes the namespace's own numbers" "$(cat "$scratch/log")"
fi
"$kmemprof" record --pid 4194305 >"$scratch/out" 2>&1
[ $? = 1 ] && grep -q 'no process 4194305' "$scratch/out"
result $? "a process that is not there" "$(cat "$scratch/out")"

"$kmemprof" record >"$scratch/out" 2>&1
[ $? = 2 ] && grep -q -- --all "$scratch/out"
result $? "without a scope it says which there are" "$(cat "$scratch/out")"
"$kmemprof" record -- "$scratch/no-such-program" >"$scratch/out" 2>&1
[ $? = 127 ]
result $? "a command that is not there" "$(cat "$scratch/out")"
echo "1..$count"
