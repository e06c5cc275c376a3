# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Another machine's files, on a kernel that has none of its own.
. /test/lib.sh

mkdir m
check "mount" kmemprof mount --source /data m
trap 'umount m 2>/dev/null || true' EXIT
kmemprof filter --mode stack /data/page_owner.stack_handle.xz >want
# Not cat: busybox would have the kernel copy it, which takes a FUSE file for empty from 6.5 on.
dd if=m/page_owner of=got bs=64k 2>/dev/null
same "page_owner: $(grep -c ^PFN got) records" got want
check "report" kmemprof report --by comm /data
check "page_owner_filter of the mount" page_owner_filter -m stack -n 1 -o filtered m/page_owner
kmemprof filter --mode stack --node 1 /data/page_owner.stack_handle.xz >want
same "its output: $(grep -c ^PFN filtered) records" filtered want
check "tags of the mount" kmemprof tags m/allocinfo
check "umount" kmemprof umount m
