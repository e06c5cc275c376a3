# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What the tests of recording share: TAP by result(), a scratch directory, and possible().

# shellcheck disable=SC2034 # for the scripts
kmemprof=$(realpath "$1")
scratch=$(mktemp -d)
count=0

result() { # OK WHAT [WHY]
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		[ -z "${3:-}" ] || sed 's/^/# /' <<<"$3"
	fi
}

# Does the command end well? If not, what it would have tested is skipped, or fails where nothing
# may be skipped.
possible() { # WHAT COMMAND…
	local reason

	"${@:2}" && return 0
	reason=$(head -n 1 "$scratch/log")
	if [ -n "${KMEMPROF_NO_SKIP:-}" ]; then
		echo "not ok 1 - $1 is possible"
		echo "# $reason"
	else
		echo "ok 1 - $1 # SKIP $reason"
	fi
	echo 1..1
	exit 0
}
