#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The judge of the virtual machines, on machines that were not there: what may pass passes, and a
# lost machine, a lost line, a failed test and a kernel that complains are told apart.
#
#     vm-verdict.sh SOURCE-ROOT
set -eu
cd "$1"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0

# What the judge says about this machine has this status and this line.
judged() { # STATUS REGEX QEMU-STATUS RESULTS CONSOLE
	echo "$3" >"$dir/status"
	printf '%b' "$4" >"$dir/results"
	printf '%b' "$5" >"$dir/console"
	got=0
	bash -c '. tests/vm/verdict.sh; verdict row "$1"' - "$dir" >"$dir/out" || got=$?
	if [ "$got" != "$1" ] || ! grep -qE "$2" "$dir/out"; then
		echo "status $got, not $1, or no line /$2/ for: $4 $5"
		sed 's/^/    /' "$dir/out"
		status=1
	fi
}

fine='# Linux\r\nok - a: b\r\nok - a: c\r\nend 2\r\n'
log='booting\r\nreboot: Power down\r\n'
judged 0 '^ok - row: a: b$' 0 "$fine" "$log"
judged 0 '^ok - row: the kernel.s log is clean$' 0 "$fine" "$log"
judged 1 '^not ok - row: a: b$' 0 'not ok - a: b\nend 1\n' "$log"
judged 1 '^not ok - row: the machine was lost after 1 results: its time ran out' 124 'ok - a: b\n' "$log"
judged 1 'lost after 0 results: Kernel panic - not syncing: x' 0 '' 'Kernel panic - not syncing: x\n'
judged 1 'lost after 1 results: it went down by itself .*status 1' 1 'ok - a: b\n' "$log"
judged 1 '2 results were sent and 1 came' 0 'ok - a: b\nend 2\n' "$log"
judged 1 '0 results were sent and 0 came' 0 'end 0\n' "$log"
judged 1 'no kernel log' 0 "$fine" ''
for line in 'WARNING: mm/x.c:1 at f+0x1/0x2' 'BUG: Bad page state in process' \
	'BUG: kernel NULL pointer dereference' 'Oops: 0002 [#1]' 'kernel BUG at mm/x.c:1!' \
	'watchdog: BUG: soft lockup - CPU#0 stuck' 'rcu: INFO: rcu_preempt detected stalls' \
	'INFO: task cat:1 blocked for more than 120 seconds.' 'Out of memory: Killed process 1' \
	'general protection fault' 'kmemprof[9]: segfault at 0 ip 0'; do
	judged 1 '^not ok - row: the kernel.s log is clean$' 0 "$fine" "[    1.0] $line\n"
done
exit "$status"
