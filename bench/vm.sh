#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# `./do bench vm [ROW…]`: what must be how many times faster than the kernel's own, in virtual
# machines: the rows of tests/vm/rows whose ring is `bench`. What record costs is compared with what
# page_owner=on does, which is another boot: before and after, the medians of all rounds.
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/rows.sh

figures=build-vm/faults
status=0
missed=0

boot() { # ROW
	tests/vm/run.sh "$1" || status=1
	tr -d '\r' <"build-vm/run/$1/results" | sed -nE 's/^# (page_owner=on|page_owner=off|record): /\1 /p' \
		>>$figures
}

median() { # WHAT
	sed -n "s/^$1 //p" $figures | tr ' ' '\n' | grep . | sort -n |
		awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

# In one boot, round by round.
added() {
	awk '$1 == "page_owner=off" { split($0, off) }
		$1 == "record" { for (i = 2; i <= NF; i++) print "added", $i - off[i] }' $figures \
		>>$figures.added
	cat $figures.added >>$figures
	median added
}

faults() {
	rm -f $figures $figures.added
	boot 7.3-owner
	boot 7.3-record
	boot 7.3-owner
	on=$(median page_owner=on)
	off=$(median page_owner=off)
	recorded=$(added)
	row_head
	info "page fault and free in the 7.3 guest: page_owner=off" %.1f "$off / 1000" us
	info "  added by page_owner=on" %.1f "($on - $off) / 1000" us
	info "  added by record --all" %.1f "$recorded / 1000" us
	row "  record against page_owner=on" %.2f "$recorded / ($on - $off)" times "<=" 1
}

[ $# != 0 ] || set -- 7.3-speed faults
for word; do
	if [ "$word" = faults ]; then
		faults
	else
		tests/vm/run.sh "$word" || status=1
	fi
done
[ "$missed" = 0 ] || status=1
exit $status
