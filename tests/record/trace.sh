#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# `kmemprof trace` on the running kernel: stacks, tasks and sizes behind one tag, and nothing else.
# Traces what it starts alone. Prints TAP.
#
#     tests/record/trace.sh KMEMPROF OBJECTS
set -u

. "$(dirname "$0")/lib.sh"
objects=$(realpath "$2")
trap 'rm -rf "$scratch"' EXIT

trace() { # OUTPUT TAG ARGS…
	"$kmemprof" trace "$2" --format json "${@:3}" >"$1" 2>"$scratch/log"
}

possible tracing trace "$scratch/probe" __alloc_skb -- true

load="60 udp=1000 event=2000 pages=3000"
# shellcheck disable=SC2086 # words they are
held() { # OUTPUT TAG ARGS…
	trace "$1" "$2" --duration 2s "${@:3}" -- "$objects" $load
}

held "$scratch/out" sk_prot_alloc
jq -e '.totals.calls == 1000 and ([.groups[].key.stack | map(test("^sk_prot_alloc[+.]")) | any] |
	all) and .groups[0].calls == 1000' "$scratch/out" >/dev/null
result $? "a function: its 1000 calls, all of one stack" "$(cat "$scratch/out")"
bytes=$(jq '.groups[0].bytes / 1000' "$scratch/out")
held "$scratch/out" sk_prot_alloc --by comm,size
jq -e --argjson b "$bytes" '.groups[0] | .key.comm == "objects" and .key.size == $b and
	.calls == 1000' "$scratch/out" >/dev/null
result $? "tasks and sizes" "$(cat "$scratch/out")"

held "$scratch/out" dentry
jq -e '.totals.calls >= 3000 and .totals.calls <= 3030' "$scratch/out" >/dev/null
result $? "a cache" "$(cat "$scratch/out")"
jq -e '[.groups[].key.stack | map(test("do_eventfd|__sys_socket|do_filp_open|d_alloc")) | any] |
	all' "$scratch/out" >/dev/null
result $? "and nothing else" "$(cat "$scratch/out")"

held "$scratch/out" do_anonymous_page --by stack,size
jq -e '.totals.bytes >= 3000 * 4096 and .totals.bytes <= 3100 * 4096' "$scratch/out" >/dev/null
result $? "a function that allocates pages" "$(cat "$scratch/out")"

trace "$scratch/out" __alloc_skb --duration 100s -- "$objects" 0 churn=10000
jq -e '.totals.calls <= 4' "$scratch/out" >/dev/null
result $? "what was freed is not told" "$(cat "$scratch/out")"
trace "$scratch/out" __alloc_skb --freed --duration 100s -- "$objects" 0 churn=10000
jq -e '.totals.calls >= 10000' "$scratch/out" >/dev/null
result $? "--freed tells it" "$(cat "$scratch/out")"

for format in folded svg csv pprof; do
	"$kmemprof" trace sk_prot_alloc --format $format --duration 1s -o "$scratch/out.$format" -- \
		"$objects" 60 udp=100 2>"$scratch/log"
done
grep -qE 'do_syscall_64;.*;sk_prot_alloc.*;.* [0-9]+$' "$scratch/out.folded"
result $? "folded" "$(cat "$scratch/out.folded" "$scratch/log")"
grep -q 'sk_prot_alloc' "$scratch/out.svg" && grep -q '</svg>' "$scratch/out.svg"
result $? "svg" "$(head -c 300 "$scratch/out.svg")"
grep -q '^stack,bytes,calls,' "$scratch/out.csv"
result $? "csv" "$(head -n 2 "$scratch/out.csv")"
[ -s "$scratch/out.pprof" ]
result $? "pprof" "$(cat "$scratch/log")"

refuses() { # STATUS WORDS ARGS…
	"$kmemprof" trace "${@:3}" >"$scratch/out" 2>&1
	[ $? = "$1" ] && grep -q -- "$2" "$scratch/out"
	result $? "trace ${*:3}: $2" "$(cat "$scratch/out")"
}
refuses 2 'no function and no cache' no_such_function -- true
refuses 2 'no function and no cache' 'sk_prot_alloc [nosuch]' -- true
[ -e "/usr/lib/debug/boot/vmlinux-$(uname -r)" ] ||
	refuses 1 'debug information' net/core/sock.c:2050 -- true
refuses 2 'no function and no cache' nosuch.c:x -- true
refuses 2 'unknown key' sk_prot_alloc --by order --duration 1h -- sleep 3600
refuses 2 'sort' sk_prot_alloc --sort order --duration 1h -- sleep 3600
refuses 2 'what to record' sk_prot_alloc
refuses 2 'trace' --all
trace "$scratch/out" 'sk_prot_alloc []' --duration 1s -- "$objects" 60 udp=10
jq -e '.totals.calls == 10' "$scratch/out" >/dev/null
result $? "a function of the kernel itself, not of a module" "$(cat "$scratch/out" "$scratch/log")"
trace "$scratch/out" sk_prot_alloc -- sh -c 'exit 5'
[ $? = 5 ]
result $? "the command's exit status is passed on"
echo "1..$count"
