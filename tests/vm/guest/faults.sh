# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What page owners cost who takes pages: as they are, and with record where the kernel has none of
# its own. Run by ./do bench vm, which compares the figures of several boots.
. /test/lib.sh

# For a quick look: words of the boot line.
rounds=${FAULT_ROUNDS:-9}
pages=${FAULT_PAGES:-40960}

owner=off
[ ! -e $DEBUG/page_owner ] || owner=on
for _ in $(seq $rounds); do
	fault $pages >>plain
	[ $owner = off ] || continue
	kmemprof record --all --by comm --output x.kmp -- fault $pages >out 2>err || true
	grep -E '^[0-9.]+$' out >>recorded
	seen=$(sed -n 's/^kmemprof: \([0-9]*\) allocations seen.*/\1/p' err)
	[ "${seen:-0}" -ge $pages ] || fail "record sees the pages" "$(cat err)"
done
# Nanoseconds a page, a round each.
echo "# page_owner=$owner: $(tr '\n' ' ' <plain)"
[ $owner = on ] || echo "# record: $(tr '\n' ' ' <recorded)"
pass "$(wc -l <plain) rounds with page_owner=$owner"
