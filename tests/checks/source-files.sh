#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Small rooms: every source file has its licence on top, no file and no function grows too long, no
# goto, no note of something left undone. What is long but still bearable is listed.
#
#     source-files.sh SOURCE-ROOT
set -eu
cd "$1"

files=$(find . \( -name build\* -o -name .git -o -name data -o -name corpus -o -name demo \
	-o -name stdout -o -name stderr \) -prune -o -type f -print | grep -E \
	'\.(c|h|sh|map)$|meson|/do$|/cmd$|\.ci/run$')
sources=$(echo "$files" | grep '\.[ch]$')
undone='TO''DO|FIX''ME|XX''X'
status=0
fail() {
	echo "$1"
	status=1
}

for file in $files; do
	case $file in
	*/cmd | *.map) continue ;;
	esac
	head -n 2 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-only' ||
		fail "$file: no SPDX line on top"
done
for file in $sources; do
	lines=$(wc -l <"$file")
	[ "$lines" -le 400 ] || echo "long: $file: $lines lines"
	[ "$lines" -le 500 ] || [ "$file" = ./include/kmemprof/kmemprof.h ] ||
		fail "$file: $lines lines, more than 500"
done
# shellcheck disable=SC2086 # no file of ours has a blank in its name
{
	found=$(grep -nE '\<goto\>' $sources | grep -vE '^[^:]*:[0-9]*:[[:space:]]*(/?\*|//)' || true)
	[ -z "$found" ] || fail "$found"
	found=$(grep -nwE "$undone" $files || true)
	[ -z "$found" ] || fail "$found"
	found=$(awk '
		/^{$/ { start = FNR }
		/^}$/ && start {
			if (FNR - start - 1 > 60)
				print (FNR - start - 1 > 100 ? "too long" : "long") ": " FILENAME \
					":" start ": a function of " FNR - start - 1 " lines"
			start = 0
		}' $sources)
	[ -z "$found" ] || echo "$found"
	echo "$found" | grep -q '^too long' && status=1
}
exit "$status"
