#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# `kmemprof record --tags` on the running kernel: known numbers of kernel objects are attributed to
# the functions that allocate them, and go with their frees. Records what it starts alone. Prints
# TAP.
#
#     tests/record/tags.sh KMEMPROF OBJECTS
set -u

. "$(dirname "$0")/lib.sh"
objects=$(realpath "$2")
trap 'rm -rf "$scratch"' EXIT

record() { # OUTPUT ARGS…
	"$kmemprof" record --tags --format json --by function "${@:2}" >"$1" 2>"$scratch/log"
}

calls() { # FILE FUNCTION
	jq --arg f "$2" '[.groups[] | select(.key.function | test("^(" + $f + ")$")) | .calls] |
		add // 0' "$1"
}

# The number before these words in the last report.
reported() { # WORDS
	grep -oE "[0-9]+ $1" "$scratch/log" | tail -n 1 | cut -d' ' -f1
}

possible recording record "$scratch/probe" -- true

# The functions that allocate objects of these kinds, and how many. Names of several kernels: what
# is inlined differs.
kinds='udp=1000 unix=2000 pipe=3000 event=4000 epoll=500 open=1500'
wanted='sk_prot_alloc 5000
sock_alloc_inode 5000
alloc_empty_file|__alloc_file 17000
__d_alloc 12500
alloc_pipe_info 6000
do_eventfd 4000
do_epoll_create|ep_alloc 500'

# shellcheck disable=SC2086 # a word for each kind
record "$scratch/held" --duration 3s -- "$objects" 60 $kinds
# shellcheck disable=SC2086
record "$scratch/closed" --duration 5s -- "$objects" -c 60 $kinds
while read -r functions want; do
	held=$(calls "$scratch/held" "$functions")
	# Beside what the program itself has open.
	[ "$held" -ge "$want" ] && [ "$held" -le $((want + want / 100)) ]
	result $? "$want objects held by $functions" "$held"
	# What kfree_rcu() frees is not seen in every kernel.
	[ "$want" = 500 ] && continue
	held=$(calls "$scratch/closed" "$functions")
	[ "$held" -le $((want / 100)) ]
	result $? "none held by $functions when closed" "$held of $want"
done <<<"$wanted"

# What the sum of messages allocates is freed, none is lost.
messages=500000
record "$scratch/churn" --duration 100s -- "$objects" 0 churn=$messages
seen=$(reported 'kernel objects seen')
freed=$(reported 'freed, [0-9]+ reused')
[ "${seen:-0}" -ge $((2 * messages)) ] && [ $((seen - freed)) -le 300 ]
result $? "$messages messages: all that was allocated is freed" "$(cat "$scratch/log")"
[ "$(calls "$scratch/churn" '__alloc_skb|kmalloc_reserve')" -le 10 ]
result $? "no message is held" "$(cat "$scratch/churn")"
[ "$(reported 'objects;')" = 0 ] && [ "$(reported 'without their call site')" = 0 ]
result $? "nothing was dropped" "$(cat "$scratch/log")"

# A full table is told, with the option that helps; what found no room is in no sum.
record "$scratch/full" --max-objects 100 --duration 2s -- "$objects" 60 event=5000
status=$?
held=$(calls "$scratch/full" '.*')
[ $status = 3 ] && grep -q 'max-objects' "$scratch/log" && [ "$held" -lt 2000 ]
result $? "a full table of objects is told" "status $status, $held held, $(cat "$scratch/log")"
record "$scratch/full" --max-objects 100 --duration 3s -- "$objects" -c 60 event=5000
held=$(calls "$scratch/full" 'do_eventfd')
[ "$held" -le 20 ]
result $? "a full table raises no sum" "$held held"
record "$scratch/full" --max-tags 4 --duration 500ms -- "$objects" 60 event=100
[ $? = 3 ] && grep -q 'max-tags' "$scratch/log" && [ "$(calls "$scratch/full" '[?]')" -ge 100 ]
result $? "more call sites than there is room for are told" "$(cat "$scratch/log")"

# Page owners and tags in one file; tags of one kind of memory are what page owners say.
"$kmemprof" record --pages --tags --duration 1500ms -o "$scratch/both.kmp" -- \
	"$objects" 60 udp=1000 pages=4096 >"$scratch/out" 2>&1
tags=$("$kmemprof" tags --function do_anonymous_page --format json "$scratch/both.kmp" \
	2>"$scratch/out" | jq .totals.bytes)
pages=$("$kmemprof" report --by function --format json "$scratch/both.kmp" 2>"$scratch/out" |
	jq '.groups[] | select(.key.function == "do_anonymous_page").bytes')
[ "${tags:-0}" -ge $((4096 * 4096)) ] && [ "$tags" = "$pages" ]
result $? "pages are in tags as in page owners" "$tags bytes of tags, $pages of page owners"
"$kmemprof" tags --function sk_prot_alloc --format json "$scratch/both.kmp" 2>"$scratch/out" |
	jq -e '.totals.calls == 1000' >/dev/null
result $? "the ledger file holds the tags" "$("$kmemprof" tags "$scratch/both.kmp" 2>&1 | head)"
"$kmemprof" diff --tags "$scratch/both.kmp" "$scratch/both.kmp" >"$scratch/out" 2>&1
result $? "tags of recordings are compared" "$(cat "$scratch/out")"

# A history of a recording has its tags as well.
wait_for() { # REGEX FILE
	local tries

	for ((tries = 0; tries < 600; tries++)); do
		! grep -qE "$1" "$2" || return 0
		sleep 0.05
	done
}
mkfifo "$scratch/go"
: >"$scratch/ready"
sh -c "read -r _ <'$scratch/go'; exec '$objects' 60 event=200" 2>"$scratch/ready" &
holder=$!
env --default-signal=INT "$kmemprof" monitor --source live --pid $holder --tags --interval 200ms \
	--verbose -o "$scratch/history.kmp" >"$scratch/out" 2>"$scratch/log" &
monitor=$!
wait_for 'sample 1:' "$scratch/log"
echo >"$scratch/go"
wait_for ready "$scratch/ready"
taken=$(grep -c 'kmemprof: sample' "$scratch/log")
wait_for "sample $((taken + 2)):" "$scratch/log"
kill -INT $monitor
wait $monitor
status=$?
kill $holder
held=$("$kmemprof" tags --function do_eventfd --format json "$scratch/history.kmp" |
	jq .totals.calls)
[ "$held" = 200 ] && { [ $status = 0 ] || [ $status = 3 ]; }
result $? "monitor keeps tags of a recording" "$held of 200, status $status, $(cat "$scratch/log")"

# Killed in mid-recording: the kernel lets go of all that was attached.
"$kmemprof" record --tags --pid $$ >"$scratch/out" 2>&1 &
recorder=$!
for _ in $(seq 100); do
	attached=$(find "/proc/$recorder/fd" -lname "*bpf*" 2>/dev/null | wc -l)
	[ "$attached" -gt 15 ] && break
	sleep 0.1
done
kill -9 $recorder 2>/dev/null
wait $recorder 2>/dev/null
[ "$attached" -gt 15 ] && [ ! -e /proc/$recorder ]
result $? "a killed recorder leaves nothing attached" "$attached BPF descriptors before"

"$kmemprof" record --pages --tags --format json -- true >"$scratch/out" 2>&1
[ $? = 2 ] && grep -q 'not both' "$scratch/out"
result $? "one form for two kinds is refused" "$(cat "$scratch/out")"
echo "1..$count"
