# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What the tests against real mounts share: `. lib.sh KMEMPROF` runs the script that says so again
# in mount and PID namespaces of its own, so that no mount and no process outlives it, whatever
# ends it. Prints TAP: ok(), then finish().

skip_all() { # REASON
	echo "1..0 # SKIP $1"
	exit 0
}

[ "$(id -u)" = 0 ] || skip_all "not root: nothing was mounted"
[ -c /dev/fuse ] || skip_all "no /dev/fuse: nothing was mounted"
if [ -z "${KMEMPROF_TEST_INSIDE:-}" ]; then
	if unshare --mount --pid --fork --kill-child --mount-proc true 2>/dev/null; then
		exec env KMEMPROF_TEST_INSIDE=1 \
			unshare --mount --pid --fork --kill-child --mount-proc "$0" "$@"
	fi
	skip_all "no namespaces here: nothing was mounted"
fi

set -u
kmemprof=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
data=${here%/mount}/data/captures/linux-7.3
scratch=$(mktemp -d)
mnt=$scratch/mnt
server=
count=0
failures=0
export LC_ALL=C.UTF-8
# What is open when a server ends is not closed any more, and /proc is not always there to look at.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

clean_up() {
	umount --lazy "$mnt" 2>/dev/null
	[ -z "$server" ] || kill -9 "$server" 2>/dev/null
	rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP
mkdir "$mnt"
. "$here/server.sh"

# A test that passed if the command before did: `command; ok "what it shows"`.
ok() { # NAME
	local status=$?

	count=$((count + 1))
	if [ "$status" = 0 ]; then
		echo "ok $count - $1"
	else
		failures=$((failures + 1))
		echo "not ok $count - $1"
	fi
}

# The same, with the last line of a file behind the name. A $(…) in the name would have ended
# well, and its status would be the one that ok() sees.
ok_saying() { # NAME FILE
	local status=$? words

	words=$(tail -n 1 "$2")
	(exit "$status")
	ok "$1: $words"
}

finish() {
	echo "1..$count"
	exit $((failures > 0))
}

# The tests of another TAP program, counted with the script's own.
include() { # NAME COMMAND…
	local name=$1 lines status

	shift
	lines=$("$@" 2>&1)
	status=$?
	while IFS= read -r line; do
		case $line in
		'ok '*) true; ok "$name: ${line#ok * - }" ;;
		'not ok '*) false; ok "$name: ${line#not ok * - }" ;;
		'1..'*) ;;
		*) echo "# ${line#\#}" ;;
		esac
	done <<<"$lines"
	grep -q '^1\.\.[1-9]' <<<"$lines" && [ "$status" = 0 ]
	ok "$name: came to its end"
}

# The 7.3 capture as the kernel's files, in $scratch/capture.
unpack_capture() {
	local file

	mkdir -p "$scratch/capture"
	for file in page_owner.stack_handle show_stacks show_handles show_stacks_handles allocinfo; do
		xz -dc "$data/$file.xz" >"$scratch/capture/${file%.stack_handle}"
	done
}

# Has a process ended, at last?
is_gone() { # PID
	local tries state

	for ((tries = 0; tries < 400; tries++)); do
		state=$(sed -n 's/^State:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
		case $state in '' | Z*) return 0 ;; esac
		sleep 0.05
	done
	return 1
}

# The server has ended: with status 0, nothing mounted, and nothing said.
ended_well() {
	local status

	is_gone "$server" || kill -9 "$server"
	wait "$server"
	status=$?
	server=
	sed 's/^/#  /' "$scratch/server.log"
	if [ "$status" != 0 ]; then echo "# exit status $status"; fi
	[ "$status" = 0 ] && [ ! -s "$scratch/server.log" ] && ! is_mounted
}

end_server() {
	"$kmemprof" umount "$mnt"
	ended_well
}
