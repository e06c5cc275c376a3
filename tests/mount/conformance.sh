#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What Linux 7.3 answers, asked of a mount of the 7.3 capture, of a ledger file made from it, and of
# a page_owner without anything beside it. Prints TAP.
#
#     conformance.sh KMEMPROF CONFORMANCE
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

conformance=$(realpath "$2")
unpack_capture
"$kmemprof" capture --quiet --source "$scratch/capture" -o "$scratch/capture.kmp"
ok "capture into a ledger file"

for source in capture capture.kmp; do
	serve "$scratch/$source" && include "$source" timeout 100 "$conformance" --fuse \
		"$mnt/page_owner" "$mnt/allocinfo" "$mnt/page_owner_stacks/count_threshold"
	end_server
	ok "$source: the server ends well"
done
finish
