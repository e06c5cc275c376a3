# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Built with both, booted with page_owner=off and sysctl.vm.mem_profiling=0: each verb says which
# of them is off, and none takes zeros for figures.
. /test/lib.sh

check "there is no page_owner" test ! -e $DEBUG/page_owner
is "profiling is off" "$(cat /proc/sys/vm/mem_profiling)" 0

refuses_all
is "nothing is mounted" "$(grep -c kmemprof /proc/mounts)" 0

# Switched on, it counts from then on.
sysctl -q -w vm.mem_profiling=1
check "tags, switched on" kmemprof tags --format csv
if [ "$(awk -F, 'NR > 1 { s += $5 } END { print (s > 0) }' out)" = 1 ]; then
	pass "they have counted"
else
	fail "they have counted" "$(head -n 3 out)"
fi
kmemprof capture -o x.kmp >out 2>err || fail "capture, switched on" "$(cat err)"
if grep -q 'no page owners:' err; then pass "$(cat err)"; else fail "capture says what is missing"; fi

check "doctor" kmemprof doctor --format json --output doctor.json
is "doctor: profiling" "$(jq -r '.kernel[] | select(.name == "profiling").value' doctor.json)" on
is "doctor: page_owner" "$(jq -r '.kernel[] | select(.name == "page_owner.on").value' doctor.json)" no
