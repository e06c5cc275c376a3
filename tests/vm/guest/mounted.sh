# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Another machine's files, on a kernel that has none of its own.
. /test/lib.sh

mkdir m
check "mount" kmemprof mount --source /data m
trap 'umount m 2>/dev/null || true' EXIT
kmemprof filter --mode stack /data/page_owner.stack_handle.xz >want
cat m/page_owner >got
same "page_owner: $(grep -c ^PFN got) records" got want
check "report" kmemprof report --by comm /data
check "page_owner_filter of the mount" page_owner_filter -m handle -n 1 -o filtered m/page_owner
kmemprof filter --mode handle --node 1 /data/page_owner.stack_handle.xz >want
same "its output: $(grep -c ^PFN filtered) records" filtered want
check "tags of the mount" kmemprof tags m/allocinfo
check "umount" kmemprof umount m
