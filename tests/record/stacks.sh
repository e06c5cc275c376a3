#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Stacks that are taken by the kernel's rules, without its unwinder: each compared with what that
# says, over allocations of many kinds. Records what it starts alone. Prints TAP.
#
#     tests/record/stacks.sh KMEMPROF HOLD
set -u

. "$(dirname "$0")/lib.sh"
hold=$(realpath "$2")
trap 'rm -rf "$scratch"' EXIT

record() { # STACKS ARGS…
	KMEMPROF_STACKS=$1 "$kmemprof" record --by stack --format folded "${@:2}" \
		>"$scratch/$1" 2>"$scratch/log"
}
said() { # WHAT: the number that the end report has before it
	grep -oE "[0-9]+ $1" "$scratch/log" | cut -d' ' -f1
}

possible recording record kernel -- true

cat >"$scratch/load" <<'LOAD'
cd "$1" || exit 1
mkdir d
for kind in anon huge pipe socket; do "$2" $kind 8 0 .; done
"$2" file 8 0 d
cat d/held d/held >copy
dd if=copy bs=64k 2>/dev/null | tr a b | cat >/dev/null
for ((i = 0; i < 30; i++)); do (: "$i") & done
wait
find /proc/self /sys/kernel /usr/include -type f 2>/dev/null | head -n 2000 >names
find d -exec cat {} + >/dev/null 2>&1
ln -s copy link && rm -rf d copy link
LOAD
for depth in 16 5 32; do
	record compare --stack-depth $depth -- bash "$scratch/load" "$scratch" "$hold"
	walked=$(said "by the kernel's rules")
	unwound=$(said "by its unwinder")
	[ "$(said "of those compared differ")" = 0 ]
	result $? "stacks of $depth frames are what the kernel's unwinder says" "$(cat "$scratch/log")"
	# A kernel without such rules, or another machine, has its unwinder do it all.
	if [ "$(uname -m)" = x86_64 ] && grep -q ' __start_orc_unwind$' /proc/kallsyms; then
		[ "$walked" -gt 5000 ] && [ $((unwound * 10)) -le "$walked" ]
		result $? "$walked stacks by rules, $unwound by the unwinder" "$(cat "$scratch/log")"
	fi
done

# Both ways find the same stacks, from the same frame on.
for way in kernel rules; do
	record $way --duration 2s -- "$hold" anon 16 30
	awk '$NF > most { most = $NF; $NF = ""; line = $0 } END { print line }' "$scratch/$way" \
		>"$scratch/frames.$way"
done
grep -q do_anonymous_page "$scratch/frames.kernel" && cmp -s "$scratch/frames.kernel" "$scratch/frames.rules"
result $? "the frames are the same either way" \
	"$(cat "$scratch/frames.kernel" "$scratch/frames.rules")"
[ "$(said "by its unwinder")" -lt 1000 ]
result $? "when it is not compared" "$(cat "$scratch/log")"
echo "1..$count"
