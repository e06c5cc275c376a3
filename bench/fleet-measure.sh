#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# `kmemprof push` into a ClickHouse of this machine, and `kmemprof fleet` over 30 million rows: the
# stacks, tags and tasks that three kernels' captures hold, pushed by three hosts, and from them 1000
# hosts with a sample each half hour of a day, in sizes of their own, where one owner in twenty grows.
# Prints version, rows of the history, rows a second, rows of the fleet, bytes a row in the two tables
# together, then the seconds that growers, top, hosts and compare take. Nothing without a ClickHouse.
#
#     bench/fleet-measure.sh KMEMPROF HISTORY-MAKER [RUNS]
set -euo pipefail
cd "$(dirname "$0")/.."
command -v clickhouse-server >/dev/null || {
	echo 'bench: clickhouse-server is not installed: nothing was pushed, no fleet was asked' >&2
	exit 0
}
maker=$2
runs=${3:-5}
# shellcheck source=tests/fleet/lib.sh
. tests/fleet/lib.sh "$1"
set -e
hosts=1000
samples=48
url=

seconds() { # COMMAND…: the median of its runs
	local run start

	for ((run = 0; run < runs; run++)); do
		start=$EPOCHREALTIME
		"$@" >/dev/null
		echo "$EPOCHREALTIME $start" | awk '{ print $1 - $2 }'
	done | sort -n | sed -n "$(((runs + 1) / 2))p"
}

push_history() { # each time as another host
	"$kmemprof" push --quiet --host "bench$RANDOM$RANDOM" --to "$url/pushed" "$scratch/history.kmp"
}

# The captures, as three hosts of the database real.
push_captures() {
	local kernel

	for kernel in 6.1 6.12 7.3; do
		"$kmemprof" push --quiet --host "$kernel" --to "$url/real" \
			--source "tests/data/captures/linux-$kernel" 2>"$scratch/log" || cat "$scratch/log" >&2
	done
	"$kmemprof" push --setup --to "$url/fleet"
	sql one 'INSERT INTO fleet.stacks SELECT * FROM real.stacks'
	sql one 'INSERT INTO fleet.tags SELECT * FROM real.tags'
	sql one 'INSERT INTO fleet.tasks SELECT * FROM real.tasks'
}

# Of host h and sample s; each host has the kernel of one capture.
multiply() {
	local now kernel table which=0

	now=$(date +%s)
	local of_host="intDiv(number, $samples) AS h, number % $samples AS s,
		sipHash64('bench', h) AS session, ($now - ($samples - 1 - s) * 1800 - h % 60) * 1000000000 AS at"
	for kernel in 6.1 6.12 7.3; do
		local some="(SELECT * FROM (SELECT $of_host FROM numbers($((hosts * samples)))) WHERE h % 3 = $which)"

		for table in figures figures_by_host; do
			sql one "INSERT INTO fleet.$table (kind, owner, session, at, bytes, count)
				SELECT kind, owner, session, toUInt64(at),
					toInt64(b + intDiv(b * (h % 97), 100) + 4096 * (intHash32(h * 7919 + s * 104729 + owner) % 8)
						+ if(intHash32(h * 31 + owner) % 20 = 0, s * 40960, 0)), toInt64(c + s % 5)
				FROM $some CROSS JOIN (SELECT kind, owner, bytes AS b, count AS c FROM real.figures
					WHERE session = (SELECT any(session) FROM real.samples WHERE host = '$kernel'))"
		done
		sql one "INSERT INTO fleet.samples (session, at, host, boot, kernel, page_size, holds, labels.name,
				labels.value) SELECT session, toUInt64(at), concat('host', toString(h)), 'boot',
				(SELECT any(kernel) FROM real.samples WHERE host = '$kernel'), 4096, 3, ['rack'],
				[toString(h % 20)] FROM $some"
		which=$((which + 1))
	done
}

start_clickhouse one
url=clickhouse://127.0.0.1:${http[one]}
"$maker" "$scratch/history.kmp" 5000 5000 200 >/dev/null
"$kmemprof" push --setup --to "$url/pushed"
pushed=$(seconds push_history)
rows=$(sql one "SELECT intDiv(count(), $runs) FROM pushed.figures")
push_captures
multiply >&2
fleet_rows=$(sql one 'SELECT count() FROM fleet.figures_by_host')
bytes=$(sql one "SELECT sum(bytes) / $fleet_rows FROM system.parts WHERE active AND database = 'fleet'
	AND table LIKE 'figures%'")
ask=("$kmemprof" fleet --from "$url/fleet")
largest=$("${ask[@]}" top --format json --limit 1 | jq -r '.groups[0].fingerprint')
echo "$(sql one 'SELECT version()')" "$rows" "$(awk "BEGIN { print $rows / $pushed }")" "$fleet_rows" "$bytes" \
	"$(seconds "${ask[@]}" growers --since 12h)" "$(seconds "${ask[@]}" top)" \
	"$(seconds "${ask[@]}" hosts "$largest" --since 12h)" \
	"$(seconds "${ask[@]}" compare --label 'kernel=6.1.*' --label 'kernel=7.*')"
