#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Each verb explains itself, twice the same, and stands in docs/cli.md with each of its options.
#
#     verbs.sh SOURCE-ROOT KMEMPROF
set -eu
manual=$1/docs/cli.md
kmemprof=$2
status=0
fail() {
	echo "$1"
	status=1
}

verbs=$("$kmemprof" help | sed -n '/^verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(echo "$verbs" | wc -l)" -ge 2 ] || { echo "no verbs found: the check is broken"; exit 1; }
for verb in $verbs; do
	long=$("$kmemprof" "$verb" --help) || fail "$verb --help fails"
	short=$("$kmemprof" help "$verb") || fail "help $verb fails"
	[ "$long" = "$short" ] || fail "$verb --help and help $verb differ"
	echo "$long" | grep -q "^usage: kmemprof $verb" || fail "$verb --help shows no usage"
	echo "$long" | awk 'length > 100 { print "wide: " $0 }'
	grep -q "^| \`$verb\\>" "$manual" || fail "$verb is not in docs/cli.md"
	for option in $(echo "$long" | sed -n 's/^  \(    \|-., \)--\([a-z-]*\).*/\2/p'); do
		grep -q -e "--$option\\>" "$manual" || fail "$verb --$option is not in docs/cli.md"
	done
done
exit "$status"
