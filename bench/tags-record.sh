# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The rows of `record --tags`, sourced by run.sh: what it adds to a load that does little but
# allocate kernel objects, against the same idea in bpftrace. In turns, the quickest of each.

# Sets least, by WHAT, to the time of a message under COMMAND…
least_of() { # WHAT COMMAND…
	local time

	time=$("${@:2}" 2>/dev/null | awk '$1 == "message" { print $2 }')
	[ -n "$time" ] || return 1
	least[$1]=$(awk "BEGIN { print $time < ${least[$1]} ? $time : ${least[$1]} }")
}

record_tags() {
	local turn load="$cache/messages 20 20000"
	declare -A least=([off]=1e9 [tags]=1e9 [bpftrace]=1e9)

	gcc -O2 -o "$cache/messages" bench/messages.c
	for ((turn = 0; turn < runs; turn++)); do
		# shellcheck disable=SC2086 # words they are
		least_of off $load
		# shellcheck disable=SC2086
		least_of tags "$kmemprof" record --tags -- $load ||
			{ info "record --tags: cannot record here" %.0f 0 ns; return; }
		least_of bpftrace in_tracefs bpftrace -c "$load" bench/tags-record.bt ||
			{ info "record --tags: bpftrace cannot run here" %.0f 0 ns; return; }
	done
	info "a message through a socketpair: 2 objects allocated and freed" %.0f "${least[off]}" ns
	info "  bpftrace adds, bytes and calls by call site" %.0f "${least[bpftrace]} - ${least[off]}" ns
	info "  record --tags adds" %.0f "${least[tags]} - ${least[off]}" ns
	row "  record --tags against bpftrace" %.2f \
		"(${least[tags]} - ${least[off]}) / (${least[bpftrace]} - ${least[off]})" times "<=" 0.5
}

record_tags
