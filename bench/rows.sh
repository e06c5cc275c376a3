# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The rows of the table, for the scripts that measure.

calc() { # FORMAT EXPRESSION
	awk "BEGIN { printf \"$1\", $2 }"
}

# One row; the verdict comes from the exact value, not from the rounded one that is printed.
row() { # WHAT FORMAT EXPRESSION UNIT RELATION REQUIRED
	local verdict

	verdict=$(awk "BEGIN { print ($3 $5 $6) ? \"PASS\" : \"MISS\" }")
	[ "$verdict" = PASS ] || missed=$((missed + 1))
	printf '| %-62s | %9s %-5s | %2s %6s %-5s | %s |\n' "$1" "$(calc "$2" "$3")" "$4" "$5" "$6" \
		"$4" "$verdict"
}

info() { # WHAT FORMAT EXPRESSION UNIT
	printf '| %-62s | %9s %-5s | %15s | %4s |\n' "$1" "$(calc "$2" "$3")" "$4" "" ""
}

row_head() {
	printf '| %-62s | %-15s | %-15s | %-4s |\n' what measured required ""
	printf '|%.64s|%.17s|%.17s|%.6s|\n' "$(printf -- '-%.0s' {1..64})" "$(printf -- '-%.0s' {1..17})" \
		"$(printf -- '-%.0s' {1..17})" ------
}

# bpftrace wants tracefs, which is nobody else's business.
in_tracefs() {
	unshare -m sh -c 'mount -t tracefs none /sys/kernel/tracing 2>/dev/null; exec "$@"' - "$@"
}
