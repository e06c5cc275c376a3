#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What is installed works by itself: the example of the public header's top comment is compiled
# with what pkg-config tells, and run; the tools of other names are there.
#
#     install.sh SOURCE-ROOT BUILD-ROOT
set -eu
source=$1
build=$2
CC=${CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

DESTDIR="$work/root" meson install -C "$build" --no-rebuild --quiet >"$work/log" 2>&1 || {
	cat "$work/log"
	exit 1
}
pc=$(find "$work/root" -name kmemprof.pc)
export PKG_CONFIG_SYSROOT_DIR="$work/root" PKG_CONFIG_PATH="${pc%/*}"
bin=$(dirname "$(find "$work/root" -path '*/bin/kmemprof')")
"$bin/kmemprof" version
for name in page_owner_filter page_owner_sort; do
	[ -x "$bin/$name" ] || { echo "$name is not installed"; exit 1; }
done
if [ -x "$build/kmemprof-serve" ]; then
	helper=$(find "$work/root" -path '*/kmemprof/kmemprof-serve')
	[ -x "$helper" ] || { echo "kmemprof-serve is not installed"; exit 1; }
	# It is found from where the program is, and says itself what is wrong.
	"$bin/kmemprof" serve --top 0 >"$work/log" 2>&1 && exit 1
	grep -q -e '--top: from 1 to' "$work/log" || { cat "$work/log"; exit 1; }
fi
if [ -x "$build/kmemprof-fleet" ]; then
	helper=$(find "$work/root" -path '*/kmemprof/kmemprof-fleet')
	[ -x "$helper" ] || { echo "kmemprof-fleet is not installed"; exit 1; }
	"$bin/kmemprof" push --to nowhere >"$work/log" 2>&1 && exit 1
	grep -q 'URL: an unknown kind of server' "$work/log" || { cat "$work/log"; exit 1; }
fi
share=${bin%/bin}/share
for page in man1/kmemprof.1 man1/kmemprof-report.1 man1/page_owner_sort.1 man5/kmemprof-ledger.5; do
	# Without scdoc there are none, which tests/checks/manual.sh tells.
	[ ! -d "$share/man" ] || [ -s "$share/man/$page" ] || { echo "$page is not installed"; exit 1; }
done
[ -s "$share/zsh/site-functions/_kmemprof" ] || { echo "no completion for zsh"; exit 1; }
loader=/usr/share/bash-completion/bash_completion
if [ -e $loader ]; then
	for name in kmemprof page_owner_filter page_owner_sort; do
		# shellcheck disable=SC2016 # the inner shell's
		XDG_DATA_DIRS=$share bash -c '
			. "$1"
			_completion_loader "$2"
			complete -p "$2"' - $loader $name | grep -q _kmemprof || {
			echo "bash-completion does not find that of $name"
			exit 1
		}
	done
fi

{
	echo '#include <kmemprof/kmemprof.h>'
	echo 'int main(void) {'
	sed -n '1,/\*\//s/^ \*     //p' "$source/include/kmemprof/kmemprof.h"
	echo 'kmp_groups_destroy(groups); kmp_source_close(source); kmp_ledger_destroy(ledger); }'
} >"$work/example.c"
cp "$source/tests/checks/one-record.txt" "$work/page_owner.txt"
# shellcheck disable=SC2046 # words
$CC -Wall -Wextra -Werror -o "$work/example" "$work/example.c" $(pkg-config --cflags --libs kmemprof)
lib=$(dirname "$(find "$work/root" -name 'libkmemprof.so')")
(cd "$work" && LD_LIBRARY_PATH="$lib" ./example) >"$work/out" || { cat "$work/example.c"; exit 1; }
grep -q '__alloc_frozen_pages_noprof' "$work/out" || { cat "$work/out"; exit 1; }
