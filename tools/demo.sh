# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# `./do demo`: the main job on a bundled capture of a real Linux 7.3: from the kernel's files to a
# ledger file, then who owns the memory, from that.

need build
build build -Dwerror=true

files=demo/linux-7.3
ledger=demo/linux-7.3.kmp
flame=demo/flamegraph.svg
rm -rf "$files" "$ledger"
mkdir -p "$files"
# What one would copy from the machine; the tests' captures hold page_owner in other modes, too.
for file in page_owner.stack_handle show_stacks show_handles show_stacks_handles allocinfo; do
	cp "tests/data/captures/linux-7.3/$file.xz" "$files"
done
cp tests/data/captures/linux-7.3/{zoneinfo,version} "$files"

# Show a command as one would type it, and run it.
show() { # WHAT COMMAND…
	printf '\n== %s\n$ %s\n' "$1" "${*:2}"
	PATH="$PWD/build:$PATH" "${@:2}"
}

show "From the kernel's files, copied to a directory, to one ledger file" \
	kmemprof capture --source "$files" -o "$ledger"
show "Who owns the memory, by stack: the five largest" \
	kmemprof report --by stack --limit 5 "$ledger"
show "By task" kmemprof report --by comm --limit 10 "$ledger"
show "By node and zone" kmemprof report --by node,zone "$ledger"
show "By line of kernel code: the ten tags that hold most" kmemprof tags --limit 10 "$ledger"
printf '\n== A flame graph\n$ kmemprof report --by stack --format svg %s >%s\n' "$ledger" "$flame"
build/kmemprof report --by stack --format svg "$ledger" >"$flame"

cat <<END

Written:
  $(du -h "$ledger" | cut -f1)	$ledger	any kmemprof command reads it; so does sqlite3
  $(du -h "$flame" | cut -f1)	$flame	open it in a browser: xdg-open $flame
                             (or file://$PWD/$flame); hover, click to zoom, search
END
