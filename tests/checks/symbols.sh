#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The functions of the public header, the symbol map and what the shared library exports are the
# same; and the command line calls no other function of the library.
#
#     symbols.sh SOURCE-ROOT LIBRARY CLI-OBJECT-DIRECTORY
set -eu

root=$1
library=$2
objects=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed 's,/\*.*\*/,,' "$root/include/kmemprof/kmemprof.h" | grep -v '^ \*' |
	grep -o '\<kmp_[a-z0-9_]*(' | tr -d '(' | sort -u >"$work/header"
sed -n 's/^[[:space:]]*\(kmp_[a-z0-9_]*\);$/\1/p' "$root/src/libkmemprof.map" |
	sort >"$work/map"
nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
	sort -u >"$work/library"
nm --undefined-only "$objects"/*.o | awk '$1 == "U" && $2 ~ /^kmp_/ { print $2 }' | sort -u >"$work/cli"

status=0
differ() { # A B WHAT
	if [ -n "$(comm -23 "$work/$1" "$work/$2")" ]; then
		comm -23 "$work/$1" "$work/$2" | sed "s|^|$3: |"
		status=1
	fi
}
[ -s "$work/header" ] && [ -s "$work/cli" ] || { echo "nothing found: the check is broken"; exit 1; }
differ header map "in the header, not in src/libkmemprof.map"
differ map header "in src/libkmemprof.map, not in the header"
differ map library "in the map, not defined in the library"
differ library map "exported by the library, not in the map"
differ cli map "called by src/cli, not public"
echo "$(wc -l <"$work/map") public functions, $(wc -l <"$work/cli") used by the command line"
exit "$status"
