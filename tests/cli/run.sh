#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs the command tests: each directory below this one that holds a file `cmd`.
#
#     tests/cli/run.sh [--accept] KMEMPROF [NAME…]
#
# `cmd` is run by sh -eu in an empty directory of its own, with kmemprof (and its links of other
# names) on PATH, $DATA naming tests/data and $HERE the test's directory. Its standard output,
# standard error and exit status must equal the files `stdout`, `stderr` and `status`; a file that
# is not there stands for empty, empty and 0. Exit status 77 skips: the last line printed says why.
# NAMEs choose tests by the beginning of their path. --accept writes the files from what came out.
# Prints TAP.
set -u

here=$(cd "$(dirname "$0")" && pwd)
accept=
if [ "${1:-}" = --accept ]; then
	accept=yes
	shift
fi
[ $# -gt 0 ] || { sed -n '3,13s/^# \{0,1\}//p' "$0" >&2; exit 2; }
binary=$(realpath "$1")
shift

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
echo 0 >"$scratch/zero"
for name in kmemprof page_owner_filter page_owner_sort; do
	ln -s "$binary" "$scratch/bin/$name"
done
export PATH="$scratch/bin:$PATH" DATA="${here%/cli}/data" LC_ALL=C.UTF-8 TZ=UTC
unset NO_COLOR COLUMNS HERE

# Does a file (or nothing) that is expected equal what came? Shows the difference if not.
same() { # WHAT EXPECTED GOT
	local expected=$2

	[ -f "$expected" ] || expected=/dev/null
	cmp -s "$expected" "$3" && return 0
	echo "# $1 differs (- expected, + got):"
	diff -u --label "expected $1" --label "$1" --text "$expected" "$3" | head -60 | sed 's/^/#  /'
	return 1
}

# Keep what came as what is expected; what is empty, and status 0, need no file.
keep() { # TEST OUT
	local file

	for file in stdout stderr status; do
		if [ -s "$2/$file" ] && { [ $file != status ] || ! grep -qx 0 "$2/status"; }; then
			cp "$2/$file" "$1/$file"
		else
			rm -f "$1/$file"
		fi
	done
}

run_one() { # NUMBER NAME
	local test=$here/$2 out=$scratch/out work=$scratch/work ok=yes status

	rm -rf "$out" "$work"
	mkdir "$out" "$work"
	(cd "$work" && HERE=$test exec timeout 60 sh -eu "$test/cmd") </dev/null \
		>"$out/stdout" 2>"$out/stderr"
	echo $? >"$out/status"
	if [ "$(cat "$out/status")" = 77 ]; then
		echo "ok $1 - $2 # SKIP $(tail -n 1 "$out/stdout")"
		return 0
	fi
	[ -z "$accept" ] || keep "$test" "$out"
	same stdout "$test/stdout" "$out/stdout" || ok=
	same stderr "$test/stderr" "$out/stderr" || ok=
	status=$test/status
	[ -f "$status" ] || status=$scratch/zero
	same status "$status" "$out/status" || ok=
	if [ -n "$ok" ]; then echo "ok $1 - $2"; else echo "not ok $1 - $2"; fi
	[ -n "$ok" ]
}

wanted() { # NAME PREFIX…
	local name=$1 prefix

	shift
	[ $# -gt 0 ] || return 0
	for prefix; do
		case $name in "$prefix"*) return 0 ;; esac
	done
	return 1
}

tests=()
while read -r name; do
	wanted "$name" "$@" && tests+=("$name")
done < <(cd "$here" && find . -name cmd -type f | sed 's,^\./,,; s,/cmd$,,' | sort)
[ ${#tests[@]} -gt 0 ] || { echo "1..0"; echo "no such test" >&2; exit 1; }

echo "1..${#tests[@]}"
failed=0
number=0
for name in "${tests[@]}"; do
	number=$((number + 1))
	run_one "$number" "$name" || failed=$((failed + 1))
done
[ "$failed" = 0 ]
