# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The table that our mount is held to, held against the kernel's own files: the test of the test.
# Then against a mount of what this kernel says.
. /test/lib.sh

tap() { # WHAT COMMAND…
	what=$1
	shift
	got=0
	"$@" >lines 2>err || got=$?
	sed -nE "s/^((not )?ok) [0-9]+ - /\1 - $TEST: $what: /p; /^#/p; s/^Bail out!/# &/p" lines
	[ "$got" = 0 ] || fail "$what: ends with 0" "$got: $(cat err)"
}

tap kernel conformance $DEBUG/page_owner /proc/allocinfo $DEBUG/page_owner_stacks/count_threshold
kmemprof capture --quiet -o x.kmp
mkdir m
trap 'umount m 2>/dev/null || true' EXIT
kmemprof mount --source x.kmp m
tap mount conformance --fuse m/page_owner m/allocinfo m/page_owner_stacks/count_threshold
kmemprof umount m
