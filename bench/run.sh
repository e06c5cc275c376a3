#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# `./do bench`: every figure that the README quotes, measured in one run, against page_owner_sort of
# Debian's linux-source-6.1 and against one memchr() pass over the same bytes. Each time is the
# median of several runs with the input in the page cache. Needs 7 GB of disk in build-bench/.
#
#     bench/run.sh [ROUGH]      ROUGH: any word, one run each, for a quick look
set -euo pipefail
cd "$(dirname "$0")/.."

capture=tests/data/captures/linux-7.3
cache=build-bench
kmemprof=build/kmemprof
runs=5
peer_runs=3
[ $# = 0 ] || runs=1 peer_runs=1
mkdir -p "$cache"

prepare_tools() {
	local tool

	for tool in grow measure memchr; do
		gcc -O2 -o "$cache/$tool" "bench/$tool.c"
	done
}

# The peer, built from the package's source; nothing of it is kept in the repository.
prepare_peer() {
	local package=linux-source-6.1 file

	[ ! -x "$cache/page_owner_sort" ] || return 0
	(
		cd "$cache"
		ls ${package}_*.deb >/dev/null 2>&1 || apt-get download -qq "$package" >/dev/null
		file=$(ls ${package}_*.deb | head -n 1)
		dpkg-deb --fsys-tarfile "$file" |
			tar -xO ./usr/src/$package.tar.xz |
			tar -xJO $package/tools/vm/page_owner_sort.c >page_owner_sort.c
		gcc -O2 -o page_owner_sort page_owner_sort.c 2>/dev/null
	)
}

input() { # NAME MODE BYTES
	local file=$cache/$1

	if [ ! -f "$file" ]; then
		xz -dc "$capture/page_owner.$2.xz" | "$cache/grow" "$3" >"$file.part" 2>/dev/null
		mv "$file.part" "$file"
	fi
	cat "$file" >/dev/null # into the page cache
}

# Sets seconds and peak (KiB).
measure() { # RUNS COMMAND…
	read -r seconds peak < <("$cache/measure" "$@") || {
		echo "bench: failed: ${*:2}" >&2
		exit 1
	}
}

. bench/rows.sh

prepare_tools
prepare_peer
input stack-1g.txt stack 1000000000
input handle-1g.txt handle 1000000000
stack=$cache/stack-1g.txt
handle=$cache/handle-1g.txt
bytes=$(stat -c %s "$stack")
handle_bytes=$(stat -c %s "$handle")
missed=0

echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) CPUs," \
	"$(uname -sr), $("$kmemprof" version | head -n 1)"
row_head

measure "$runs" "$cache/memchr" "$stack"
info "limit: read() and one memchr() pass over the same 1 GB" %.2f "$bytes / $seconds / 1e9" GB/s
measure "$peer_runs" "$cache/page_owner_sort" -m --cull=stacktrace "$stack" "$cache/sorted.txt"
peer=$seconds
info "page_owner_sort -m --cull=stacktrace" %.3f "$bytes / $peer / 1e9" GB/s
info "  its peak memory" %.0f "$peak / 1024" MiB

measure "$runs" "$kmemprof" report --by stack --threads 1 "$stack"
one=$seconds
row "report --by stack, 1 thread" %.2f "$bytes / $one / 1e9" GB/s ">=" 1
row "  against page_owner_sort" %.1f "$peer / $one" times ">=" 20
row "  its peak memory" %.1f "$peak / 1024" MiB "<=" 64
measure "$runs" "$kmemprof" report --by stack --threads 2 "$stack"
info "report --by stack, 2 threads" %.2f "$bytes / $seconds / 1e9" GB/s
row "  against page_owner_sort" %.1f "$peer / $seconds" times ">=" 30
measure "$runs" "$kmemprof" report --by comm,order --threads 1 "$handle"
row "report --by comm,order on handle mode, 1 thread" %.2f "$handle_bytes / $seconds / 1e9" \
	GB/s ">=" 0.6

measure "$runs" "$kmemprof" capture --force --source "$stack" -o "$cache/1g.kmp"
row "text to ledger file (capture)" %.0f "$bytes / $seconds / 1e6" MB/s ">=" 300
measure "$runs" "$kmemprof" report --by stack "$cache/1g.kmp"
row "report from the ledger file against from the text" %.1f "$one / $seconds" times ">=" 20

xz -dc "$capture/page_owner.stack.xz" >"$cache/capture.txt"
text=$(stat -c %s "$cache/capture.txt")
"$kmemprof" capture --force --source "$cache/capture.txt" -o "$cache/capture.kmp" >/dev/null
row "ledger file of the 7.3 capture, share of its text" %.4f \
	"100 * $(stat -c %s "$cache/capture.kmp") / $text" % "<=" 0.6
info "  xz -6 of the same text" %.4f "100 * $(xz -6c "$cache/capture.txt" | wc -c) / $text" %

rm -f "$handle"
input stack-4g.txt stack 4000000000
measure 1 "$kmemprof" report --by stack "$cache/stack-4g.txt"
row "report --by stack on 4 GB: peak memory" %.1f "$peak / 1024" MiB "<=" 64
rm -f "$cache/stack-4g.txt" "$cache/sorted.txt"
read -r cpu size < <(build/bench/bench-history "$cache/history.kmp" 5000 5000 500)
row "a sample of 5000 stacks and 5000 tags into a history: CPU" %.2f "$cpu" ms "<=" 5
row "  and file" %.1f "$size / 1024" KiB "<=" 12
build/bench/bench-history "$cache/history.kmp" 10000 0 10000 >/dev/null
measure "$runs" "$kmemprof" trend "$cache/history.kmp"
row "trend over 10000 series of 10000 samples" %.2f "$seconds" s "<=" 2
row "  its peak memory" %.1f "$peak / 1024" MiB "<=" 200
rm -f "$cache/history.kmp"
. bench/mount.sh
. bench/tags-record.sh
. bench/watch.sh
. bench/page.sh
. bench/record.sh 1000000 7
read -r scrape made new known < <(bench/serve.sh "$kmemprof")
row "scrape of /metrics, 5000 stacks, 5000 tags, --top 200: CPU" %.2f "$scrape" ms "<=" 10
info "  making the metrics of a sample, once each --interval" %.1f "$made" ms
if [ "$new" = 0 ]; then
	echo "bench: no Chromium: the page of the server was not loaded" >&2
else
	row "  its page in Chromium until the first table, a new sample" %.0f "$new" ms "<=" 300
	info "  the same, a sample that somebody has asked for" %.0f "$known" ms
fi
. bench/fleet.sh 5
[ "$missed" = 0 ] && echo "all requirements met" || echo "$missed requirements missed"
