# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The recorder against the kernel's own page_owner, page by page.
. /test/lib.sh

mkdir t
mount -t tmpfs -o size=600M t t
trap 'umount -l t' EXIT
kmemprof record --all --duration 12s -o r.kmp >log 2>&1 &
recorder=$!
attached $recorder
dd if=/dev/zero of=t/big bs=1M count=80 2>/dev/null
mkfifo go ready
hold a-task=40 'b 2), ts 5 n=20' <go >ready &
exec 3>go
read -r _ <ready
ls -lR /proc >/dev/null 2>&1 || true
echo 1 >/proc/sys/vm/compact_memory
ls -lR /sys >/dev/null 2>&1 || true
wait $recorder || true
kmemprof filter --mode stack >kernel
exec 3>&-
tail -n 2 log | sed 's/^/# /'
kmemprof filter --mode stack_handle r.kmp >recorded
read -r compared agree missed changed <<-END
	$(agree recorded kernel | grep -v '^#')
END
if [ "${compared:-0}" -gt 5000 ] && [ $((agree * 1000)) -ge $((compared * 995)) ]; then
	pass "of $compared pages $agree agree with page_owner; $changed changed meanwhile"
else
	fail "pages agree with page_owner: $agree of $compared" "$(agree recorded kernel; cat log)"
fi
if [ $((missed * 200)) -le "${compared:-0}" ]; then
	pass "pages of page_owner that were not recorded: $missed"
else
	fail "pages of page_owner that were not recorded: $missed"
fi
