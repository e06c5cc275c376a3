# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What became of a machine, as TAP lines, from what it left in a directory: `status` (QEMU's exit
# status, or 124 for the time that ran out), `results` (the guest's second serial port) and
# `console` (its kernel's log, on the first). A clean exit is not a clean run.

# Each stands for something that must not happen, however the tests end.
bad_kernel='WARNING: |BUG: |BUG at |Oops|Kernel panic|general protection|Call Trace:'
bad_kernel+='|soft lockup|hard LOCKUP|rcu: INFO:.*(stall|kthread)|blocked for more than'
bad_kernel+='|Unable to handle|divide error|invalid opcode|UBSAN:|KASAN:|KFENCE:|list_(add|del) corruption'
bad_kernel+='|Out of memory:|invoked oom-killer|page allocation failure|bad page|segfault at|trap (divide|invalid)'
bad_kernel+='|nobody cared|refcount_t:|scheduling while atomic|sleeping function called'

why_lost() { # DIRECTORY
	if [ "$(cat "$1/status")" = 124 ]; then
		echo "its time ran out"
	elif grep -aq 'Kernel panic' "$1/console"; then
		grep -am 1 -o 'Kernel panic.*' "$1/console"
	else
		echo "it went down by itself (QEMU's status $(cat "$1/status"))"
	fi
}

# Prints TAP; the status is 1 if anything is wrong.
verdict() { # ROW DIRECTORY
	local row=$1 dir=$2 lines told sent status=0 bad

	lines=$(tr -d '\r' <"$dir/results" | grep -aE '^(ok|not ok) - |^#' || true)
	[ -z "$lines" ] || sed -E "s/^((not )?ok - )/\1$row: /" <<<"$lines"
	! grep -aq '^not ok' <<<"$lines" || status=1

	# The guest's last words: how many results it has sent.
	sent=$(tr -d '\r' <"$dir/results" | sed -n 's/^end \([0-9]*\)$/\1/p' | tail -n 1)
	told=$(grep -acE '^(ok|not ok) - ' <<<"$lines" || true)
	if [ -z "$sent" ]; then
		echo "not ok - $row: the machine was lost after $told results: $(why_lost "$dir")"
		tail -n 15 "$dir/console" | tr -d '\r' | sed 's/^/# /'
		status=1
	elif [ "$sent" != "$told" ] || [ "$told" = 0 ]; then
		echo "not ok - $row: $sent results were sent and $told came"
		status=1
	fi

	if [ ! -s "$dir/console" ]; then
		echo "not ok - $row: there is no kernel log to look through"
		status=1
	elif bad=$(tr -d '\r' <"$dir/console" | grep -aE "$bad_kernel"); then
		echo "not ok - $row: the kernel's log is clean"
		head -n 20 <<<"$bad" | sed 's/^/# /'
		status=1
	else
		echo "ok - $row: the kernel's log is clean"
	fi
	return "$status"
}
