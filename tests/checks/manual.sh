#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Each verb has a manual page, which tells of each of its options; man shows all pages without a
# warning.
#
#     manual.sh SOURCE-ROOT KMEMPROF DIRECTORY-OF-PAGES
set -eu
prose=$1/docs/man
kmemprof=$2
pages=$3
status=0
fail() {
	echo "$1"
	status=1
}

names=$("$kmemprof" help | sed -n '/^verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(echo "$names" | wc -l)" -ge 2 ] || { echo "no verbs found: the check is broken"; exit 1; }
for verb in $names; do
	[ -e "$prose/kmemprof-$verb.scd" ] ||
		fail "docs/man/kmemprof-$verb.scd is not there: write its EXAMPLES, as those beside it have"
	grep -qx "  '$verb'," "$prose/meson.build" || fail "'$verb' is not in docs/man/meson.build"
done
[ "$status" = 0 ] || exit 1
[ -d "$pages" ] && [ -e "$pages/kmemprof.1" ] || { echo "scdoc is not installed"; exit 77; }
command -v man >/dev/null || { echo "man is not installed"; exit 77; }

for verb in $names page_owner_filter page_owner_sort; do
	page=$pages/kmemprof-$verb.1
	[ -e "$page" ] || page=$pages/$verb.1
	for option in $("$kmemprof" help "$verb" | sed -n 's/^  \(    \|-., \)--\([a-z-]*\).*/\2/p'); do
		sed 's/\\-/-/g; s/\\f[RBI]//g' "$page" | grep -q -e "--$option\\>" ||
			fail "${page##*/} does not tell of --$option"
	done
done
for page in "$pages"/*.[1-9]; do
	# The width of a line is not what is looked at: breaks that cannot be made are no error.
	warnings=$(MANROFFSEQ='' MANWIDTH=200 LC_ALL=C.UTF-8 man --warnings -l "$page" 2>&1 >/dev/null)
	[ -z "$warnings" ] || fail "${page##*/}: $warnings"
done
exit "$status"
