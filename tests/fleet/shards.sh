#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Two ClickHouse servers are two shards of one cluster; twenty hosts push to it while one of them is
# killed and started again. In the end all is there, once.
#
#     shards.sh KMEMPROF
# shellcheck source=tests/fleet/lib.sh
. "${0%/*}/lib.sh"
capture=$data/captures/linux-7.3
history=$scratch/history.kmp
hosts=20
samples=60

pair_xml() {
	local name

	echo '<remote_servers><pair>'
	for name in left right; do
		echo "<shard><replica><host>127.0.0.1</host><port>${tcp[$name]}</port></replica></shard>"
	done
	echo '</pair></remote_servers>'
}
start_pair() {
	local tries name

	for ((tries = 0; tries < 20; tries++)); do
		for name in left right; do
			http[$name]=$((20000 + RANDOM % 5000 * 2))
			tcp[$name]=$((http[$name] + 1))
		done
		for name in left right; do
			configure_clickhouse $name <<<"$(pair_xml)"
		done
		! run_clickhouse left || ! run_clickhouse right || return 0
		end_clickhouse left KILL
	done
	echo "Bail out! no two ClickHouses: $(tail -n 1 "$scratch/left/errors" "$scratch/right/errors")"
	exit 1
}
url_of() { echo "clickhouse://127.0.0.1:${http[$1]}/fleet"; }

start_pair
"$kmemprof" monitor --quiet --source "$capture" --interval 50ms --count $samples -o "$history" 2>/dev/null
for name in left right; do
	"$kmemprof" push --setup --to "$(url_of $name)" --cluster pair 2>"$scratch/err"
	is "tables are made on the $name shard" "$?$(cat "$scratch/err")" 0
done
is "a table is over both" "$(sql left "SELECT engine FROM system.tables WHERE database = 'fleet' AND name = 'figures'")" Distributed

pushers=()
for ((host = 1; host <= hosts; host++)); do
	[ $((host % 2)) = 0 ] && to=left || to=right
	"$kmemprof" push "$history" --to "$(url_of "$to")" --cluster pair --host "host$host" \
		--label "parity=$((host % 2))" --interval 1h --verbose >"$scratch/out$host" 2>"$scratch/err$host" &
	pushers+=($!)
done
others+=("${pushers[@]}")
for ((tries = 0; tries < 300; tries++)); do
	[ "$(sql left 'SELECT count() > 0 FROM fleet.figures_local')" != 1 ] || break
	sleep 0.05
done
end_clickhouse right KILL
sleep 2
run_clickhouse right
is "the shard is back" $? 0
total=$((hosts * samples))
for ((tries = 0; tries < 1200; tries++)); do
	[ "$(sql left 'SELECT uniqExact(session, at) FROM fleet.samples' 2>/dev/null)" != $total ] || break
	sleep 0.1
done
kill -INT "${pushers[@]}"
failed=0
for pid in "${pushers[@]}"; do
	wait "$pid" || failed=$((failed + 1))
done
is "every push ends well" $failed 0
ok "some had trouble [$(cat "$scratch"/err* | grep -c warning)]" grep -q warning "$scratch"/err*

each=$(sql left "SELECT any(rows) FROM fleet.samples")
for name in left right; do
	is "$name: all samples are there, once" \
		"$(sql $name "SELECT count(), uniqExact(session, at), uniqExact(host), sum(rows) FROM fleet.samples")" \
		"$total	$total	$hosts	$((total * each))"
	for table in figures figures_by_host; do
		is "$name: so are all $table" \
			"$(sql $name "SELECT count(), uniqExact(session, at), uniqExact(session, at, kind, owner), uniqExact(session) FROM fleet.$table")" \
			"$((total * each))	$total	$((total * each))	$hosts"
	done
done
bytes=$("$kmemprof" report --format json "$history" | jq .totals.bytes)
is "and the bytes are report's" \
	"$(sql left "SELECT sum(bytes), sum(bytes) / count(DISTINCT session, at) FROM fleet.figures WHERE kind = 0" | cut -f1)" \
	"$((bytes * total))"
for name in left right; do
	ok "$name has some of the hosts" [ "$(sql $name "SELECT uniqExact(session) FROM fleet.figures_local")" -gt 0 ]
done

first=$(sql left 'SELECT intDiv(min(at), 1000000000) FROM fleet.samples')
# Questions look at the samples of all shards, whichever is asked.
for name in left right; do
	fleet() { "$kmemprof" fleet "$@" --from "$(url_of $name)" --format json; }

	for by in stack function task; do
		is "$name: fleet top by $by" "$(fleet top --by $by | jq -c '[.source.kind, .totals.bytes]')" \
			"[\"$hosts hosts\",$((bytes * hosts))]"
	done
	is "$name: growth since the first second, of which there is none" \
		"$(fleet growers --since "@$first" | jq -c '[.from.source.kind[:8], .from.bytes, ([.groups[].delta] | unique)]')" \
		"[\"$hosts hosts\",$((bytes * hosts)),[0]]"
	is "$name: fleet compare" "$(fleet compare --label parity=0 --label parity=1 |
		jq -c '[.from, .to | .bytes - '"$bytes"' | . > -1000 and . < 1000]')" '[true,true]'
	fingerprint=$(fleet top --limit 1 | jq -r '.groups[0].fingerprint')
	is "$name: fleet hosts" "$(fleet hosts "$fingerprint" --since 1h | jq '.groups | length')" $hosts
done
finish
