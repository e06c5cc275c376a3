#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What `kmemprof serve` costs with 5000 stacks and 5000 tags, of which 200 are series: CPU of a scrape,
# each of another sample; the time to make the metrics of one, once it was read; and the page until
# its first table, when nobody asked for that sample before, and when somebody did (0: no browser).
# Milliseconds, medians of the page's.
#
#     bench/serve.sh KMEMPROF [RUNS]
set -euo pipefail
kmemprof=$1
runs=${2:-15}
scratch=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$scratch"' EXIT

mkdir "$scratch/source"
awk 'BEGIN {
	# Of each stack some records, so that hardly two hold as much as each other.
	for (record = 0; record < 25000; record++) {
		i = int(5000 * (record / 25000) ^ 1.7)
		printf "Page allocated via order %d, mask 0xcc0(GFP_KERNEL), pid %d, tgid %d (task%d), " \
			"ts %d ns\nPFN 0x%x type Unmovable Block %d type Unmovable Flags " \
			"0x0(node=%d|zone=1)\n", record % 4, i % 300 + 1, i % 300 + 1, i % 300, record, record * 16, record / 32, i % 2
		printf " post_alloc_hook+0x6a/0x91\n get_page_from_freelist+0x8a8/0x92b\n" \
			" __alloc_pages_noprof+0x187/0x266\n"
		for (j = 0; j < 10; j++)
			printf " function_%d+0x%x/0x400 [module%d]\n", (i * 7 + j * 13) % 9000 + j, j + 16, i % 40
		printf " caller_%d+0x10/0x20\n\n", i
	}
}' >"$scratch/source/page_owner"
{
	echo 'allocinfo - version: 1.0'
	echo '#     <size>  <calls> <tag info>'
	awk 'BEGIN {
		for (i = 0; i < 5000; i++)
			printf "%12d %8d dir%d/file%d.c:%d [module%d] func:make_%d\n", i * 4096, i, i % 50, \
				i % 900, i, i % 40, i
	}'
} >"$scratch/source/allocinfo"

cpu() { # nanoseconds, of the threads that answer
	local task sum=0

	for task in /proc/"$server"/task/*; do
		[ "$(cat "$task/comm")" != MHD-worker ] || sum=$((sum + $(cut -d' ' -f1 "$task/schedstat")))
	done
	echo $sum
}

serve() { # INTERVAL
	: >"$scratch/out"
	"$kmemprof" serve --listen 127.0.0.1:0 --source "$scratch/source" --interval "$1" --top 200 \
		>"$scratch/out" &
	server=$!
	until url=$(sed -n 's/^serving at //p' "$scratch/out") && [ -n "$url" ]; do
		sleep 0.05
	done
}
end() {
	kill "$server"
	wait "$server" || true
	server=
}
scrape() { # COUNT
	curl -s -o /dev/null "${url}metrics?[1-$1]"
}

# Each reading is another sample: a directory is read anew at each interval.
serve 600ms
scrape 1
a=$(cpu)
for ((run = 0; run < runs; run++)); do
	scrape 1
	sleep 0.7
done
b=$(cpu)
made=$(curl -s "${url}metrics" | awk '$1 == "kmemprof_metrics_duration_seconds" { print $2 * 1000 }')
end

load() { # INTERVAL PAUSE: the median
	serve "$1"
	scrape 1
	bench/load.sh "$url" "$runs" "$2" | sort -n | sed -n "$(((runs + 1) / 2))p"
	end
}
new=0 known=0
if command -v chromium chromium-browser google-chrome >/dev/null; then
	new=$(load 1s 1.1)
	known=$(load 1d 0)
fi
awk -v new="$new" -v known="$known" -v scrape=$(((b - a) / runs)) -v made="$made" 'BEGIN { printf "%.3f %.1f %d %d\n", scrape / 1e6, made, new, known }'
