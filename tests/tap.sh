# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# TAP of tests that run real servers: skip_all(), or ok(), is(), skip(), then finish().
count=0
failures=0

skip_all() { # REASON
	echo "1..0 # SKIP $1"
	exit 0
}

ok() { # NAME COMMAND…
	local name=$1

	shift
	count=$((count + 1))
	if "$@"; then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		failures=$((failures + 1))
	fi
}

is() { # NAME GOT WANTED
	ok "$1" [ "$2" = "$3" ]
	[ "$2" = "$3" ] || printf '# got %q, not %q\n' "$2" "$3"
}

skip() { # NAME REASON
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

finish() {
	echo "1..$count"
	[ "$failures" = 0 ]
	exit
}
