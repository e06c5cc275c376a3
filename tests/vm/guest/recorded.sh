# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Live on a kernel without page_owner: what a task holds is recorded, and the kernel's files are
# served from it.
. /test/lib.sh

kmemprof record --duration 4s -o r.kmp -- sh -c 'sleep 60 | hold held=40' >out 2>log || true
sed 's/^/# /' log | tail -n 6
pages=$(kmemprof report --by comm --format json r.kmp |
	jq '[.groups[] | select(.key.comm == "held") | .pages] | add // 0')
near "40 MiB that a task holds, in pages" "$pages" 10290 160
check "its stacks have names" kmemprof report --where 'stack~fault && comm==held' r.kmp
if kmemprof report --by gfp --format json r.kmp | jq -e '[.groups[].key.gfp | select(test("GFP_HIGHUSER_MOVABLE"))] | length > 0' >/dev/null; then
	pass "masks have names"
else
	fail "masks have names" "$(kmemprof report --by gfp r.kmp)"
fi
mkdir m
check "mount of the recording" kmemprof mount --source r.kmp m
page_owner_filter -m stack -o text m/page_owner >/dev/null 2>err || true
near "page_owner_filter reads it, records" "$(grep -c '(held), ts' text)" 10290 160
check "umount" kmemprof umount m

# Tags of a kernel that has none.
kmemprof record --tags --duration 6s -o t.kmp -- objects 60 udp=1000 pipe=500 open=2000 >out 2>log || true
sed 's/^/# /' log | tail -n 1
calls() { # FUNCTION
	kmemprof tags --function "$1" --format json t.kmp | jq .totals.calls
}
near "objects held by sk_prot_alloc" "$(calls sk_prot_alloc)" 1000 10
near "objects held by alloc_pipe_info" "$(calls alloc_pipe_info)" 1000 10
near "objects held by __alloc_file" "$(calls __alloc_file)" 4000 40
kmemprof record --tags --duration 12s -o t.kmp -- objects -c 60 udp=1000 pipe=500 open=2000 >out 2>log || true
# Files and sockets are freed when the RCU callbacks come round to it.
near "objects held when closed" "$(($(calls sk_prot_alloc) + $(calls alloc_pipe_info) + $(calls __alloc_file)))" 0 150
kmemprof trace --format json sk_prot_alloc --freed -- objects 0 udp=500 >trace 2>log || true
is "a trace: calls" "$(jq .totals.calls trace)" 500
kmemprof trace --format json filp --freed -- objects 0 udp=500 >trace 2>log || true
near "a trace of a cache: calls" "$(jq .totals.calls trace)" 505 5
