#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# kmemprof push into a real ClickHouse: what is there is what report and tags tell, and it is there
# once, whatever the server does meanwhile.
#
#     push.sh KMEMPROF
# shellcheck source=tests/fleet/lib.sh
. "${0%/*}/lib.sh"
capture=$data/captures/linux-7.3
history=$scratch/history.kmp
many=280
push() { "$kmemprof" push "$@" >"$scratch/out" 2>"$scratch/err"; }
url_of() { echo "clickhouse://127.0.0.1:${http[$1]}/fleet"; }

# How many samples and figures of a host there are, in both tables, and how many are there twice.
counts() { # SERVER HOST
	sql "$1" "SELECT count(), uniqExact(at), sum(rows) FROM fleet.samples WHERE host = '$2'"
	local table

	for table in figures figures_by_host; do
		sql "$1" "SELECT count(), uniqExact(kind, owner, at), uniqExact(at) FROM fleet.$table
			WHERE session IN (SELECT session FROM fleet.samples WHERE host = '$2')"
	done
}
# What counts should say of so many samples, of which each has so many figures.
wanted() { # SAMPLES FIGURES
	printf '%s\t%s\t%s\n' "$1" "$1" $(($1 * $2)) $(($1 * $2)) $(($1 * $2)) "$1" \
		$(($1 * $2)) $(($1 * $2)) "$1"
}

"$kmemprof" monitor --quiet --source "$capture" --interval 1ms --count 12 -o "$history"
start_clickhouse one
one=$(url_of one)

# ---- A history --------------------------------------------------------------------------------

push "$history" --to "$one" --host alpha --label role=db --label 'odd=it'\''s \ "x"'
is "a history is pushed" $? 0
is "without a word of warning" "$(cat "$scratch/err")" ""
figures=$(sed -n 's/.*: 12 samples sent, \([0-9]*\) figures$/\1/p' "$scratch/out")
each=$((figures / 12))
ok "which says how much that was" [ "$each" -gt 500 ]
is "all of it is there" "$(counts one alpha)" "$(wanted 12 $each)"
sums() { # KIND
	sql one "SELECT sum(bytes), sum(count) FROM fleet.figures_by_host WHERE kind = $1
		AND (session, at) IN (SELECT session, max(at) FROM fleet.samples
			WHERE host = 'alpha' GROUP BY session)"
}
report=$("$kmemprof" report --format json --by comm "$history")
is "stacks are report's total" "$(sums 0)" "$(jq -r '.totals | "\(.bytes)\t\(.records // 0)"' <<<"$report")"
is "so are tasks" "$(sums 2)" "$(sums 0)"
is "tags are tags' total" "$(sums 1)" \
	"$("$kmemprof" tags --format json "$history" | jq -r '.totals | "\(.bytes)\t\(.calls)"')"
is "the sample says so, too" \
	"$(sql one "SELECT pages_bytes, tags_bytes, kernel, holds, page_size FROM fleet.samples LIMIT 1")" \
	"$(jq .totals.bytes <<<"$report")	$(sums 1 | cut -f1)	7.3.4	3	4096"
is "labels are as they were given" \
	"$(sql one "SELECT labels.name, labels.value[1] FROM fleet.samples LIMIT 1")" "['role','odd']	db"
is "with quotes, too" "$(sql one "SELECT count() FROM fleet.samples WHERE labels.value[2] = 'it\\'s \\\\ \"x\"'")" 12
largest=$("$kmemprof" report --format json --by stack --limit 1 "$history" | jq -r '.groups[0].bytes')
is "the largest stack has report's bytes, and a name" \
	"$(sql one "SELECT max(bytes) FROM fleet.figures WHERE kind = 0 AND owner IN
		(SELECT fingerprint FROM fleet.stacks WHERE function != '' AND length(frames) > 3)")" \
	"$largest"
tag=$("$kmemprof" tags --format json --limit 1 "$history" | jq -r '.groups[0] | "\(.key.tag // .key)"')
ok "the largest tag has a place [${tag:0:60}]" [ "$(sql one "SELECT any(line) FROM fleet.tags WHERE tag IN
	(SELECT owner FROM fleet.figures WHERE kind = 1 ORDER BY bytes DESC LIMIT 1)")" -gt 0 ]
is "each stack is stored once" "$(sql one "SELECT count() - uniqExact(fingerprint) FROM fleet.stacks")" 0

push "$history" --to "$one" --host alpha
is "again: nothing is sent" "$(cat "$scratch/out")" \
	"127.0.0.1:${http[one]}/fleet: 0 samples sent, 0 figures; 12 samples were there"
is "nothing is doubled" "$(counts one alpha)" "$(wanted 12 $each)"

# A run that was killed before its samples were marked as complete leaves figures alone.
push "$history" --to "$one" --host beta --count 5
sql one "CREATE TABLE fleet.keep AS fleet.samples ENGINE = Log"
session=$(sql one "SELECT any(session) FROM fleet.samples WHERE host = 'beta'")
sql one "INSERT INTO fleet.keep SELECT * FROM fleet.samples WHERE host = 'alpha'"
sql one "TRUNCATE TABLE fleet.samples"
sql one "INSERT INTO fleet.samples SELECT * FROM fleet.keep"
is "half of a push: figures alone" \
	"$(sql one "SELECT count() FROM fleet.figures WHERE session = $session")" $((5 * each))
push "$history" --to "$one" --host beta
is "the next one completes it" "$(counts one beta)" "$(wanted 12 $each)"

# ---- Who may, and where -----------------------------------------------------------------------

push --to "clickhouse://nobody@127.0.0.1:${http[one]}/fleet" "$history" --host x
is "an unknown user is an error" $? 1
ok "which the server tells" grep -q 'Unknown user nobody' "$scratch/err"
push --to "clickhouse://guarded@127.0.0.1:${http[one]}/fleet" --setup
is "a wrong password is one, too" "$?$(grep -c 'Wrong password\|Password required' "$scratch/err")" 11
echo 'open sesame' >"$scratch/password"
push --to "clickhouse://guarded@127.0.0.1:${http[one]}/fleet" --setup --password-file "$scratch/password"
is "the right one is read from its file" "$?$(cat "$scratch/err")" 0
push --to "clickhouse://me:secret@127.0.0.1/fleet" "$history" --host x
is "no password in a URL" $? 2
push --to "$one" --cluster nowhere "$history" --host x
is "an unknown cluster is a mistake" "$?$(grep -c 'no cluster is called' "$scratch/err")" 21
push --to "$one" "$history" --host x --ttl 1d
ok "an old server's TTL is told of" grep -q 'has no TTL of its own' "$scratch/err"
sql one "INSERT INTO fleet.samples (session, at, host) VALUES (1, 1000000000000000000, 'old')"
push --to "$one" --setup --ttl 1d
is "what is too old goes" "$(sql one "SELECT count() FROM fleet.samples WHERE host = 'old'")" 0
sql one "INSERT INTO fleet.schema_version VALUES (99, now())"
push --to "$one" "$history" --host x
is "tables of a newer kmemprof are refused" "$?$(grep -c 'of version 99' "$scratch/err")" 11
sql one "ALTER TABLE fleet.schema_version DROP PARTITION tuple()"
sql one "INSERT INTO fleet.schema_version VALUES (1, now())"

# ---- TLS ----------------------------------------------------------------------------------------

if command -v openssl >/dev/null; then
	openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -days 2 \
		-addext subjectAltName=IP:127.0.0.1 -keyout "$scratch/key" -out "$scratch/cert" 2>/dev/null
	https=$((30000 + RANDOM % 2000))
	start_clickhouse secure "<https_port>$https</https_port><openSSL><server>
		<certificateFile>$scratch/cert</certificateFile><privateKeyFile>$scratch/key</privateKeyFile>
		<verificationMode>none</verificationMode><cacheSessions>true</cacheSessions>
		</server></openSSL>"
	push "$history" --to "https://127.0.0.1:$https/fleet" --host iota
	is "a certificate that nobody knows is refused" "$?$(grep -ci 'certificate' "$scratch/err")" 11
	push "$history" --to "https://127.0.0.1:$https/fleet" --host iota --ca-file "$scratch/cert"
	is "one that is known is taken" "$?$(cat "$scratch/err")" 0
	is "and all is there" "$(counts secure iota)" "$(wanted 12 $each)"
	end_clickhouse secure KILL
else
	skip "TLS" "openssl is not installed"
fi

# ---- A server that goes away -------------------------------------------------------------------

end_clickhouse one KILL
push "$history" --to "$one" --host gamma
is "no server: an error at once" "$?$(grep -c 'Failed to connect' "$scratch/err")" 11

spool=$scratch/spool
push --source "$capture" --to "$one" --host gamma --spool "$spool"
is "with a spool, a sample waits" "$?$(grep -c '1 samples wait in' "$scratch/err")" 01
is "in a file of its own" "$(find "$spool" -name '*.sample' -perm 0600 | wc -l)" 1
cp -p "$spool"/*.sample "$scratch"
run_clickhouse one
push --source "$capture" --to "$one" --host delta --spool "$spool"
is "the next run sends it" "$(counts one gamma; counts one delta)" "$(wanted 1 $each; wanted 1 $each)"
is "and nothing waits" "$(find "$spool" -name '*.sample' | wc -l)" 0

# The file is back, as after a crash between the answer and its removal.
cp -p "$scratch"/*.sample "$spool"
push --source "$capture" --to "$one" --host delta --spool "$spool"
is "what was sent and is still in the spool is not doubled" \
	"$(counts one gamma; counts one delta)" "$(wanted 1 $each; wanted 1 $each)"

# ---- A spool that is full, or damaged -----------------------------------------------------------

# Each sample of its own time: a copy of the capture that is touched.
mkdir "$scratch/moving"
cp -r "$capture" "$scratch/moving/capture"
for second in 1 2 3 4 5; do
	find "$scratch/moving/capture" -exec touch -d "2026-01-01 00:00:0$second" {} +
	push --source "$scratch/moving/capture" --to clickhouse://127.0.0.1:1/fleet --host epsilon \
		--spool "$spool" --spool-max 100K
	status=$?
done
waiting=$(find "$spool" -name '*.sample' | wc -l)
ok "a full spool keeps to its size [$waiting samples]" [ "$(du -bc "$spool"/*.sample | tail -n 1 | cut -f1)" -le 102400 ]
is "what had to go is told" "$status$(grep -c '1 samples are lost: no room' "$scratch/err")" 31
echo damaged >"$spool/0000000000000001-0000000000000002.sample"
push --source "$scratch/moving/capture" --to "$one" --host epsilon --spool "$spool"
is "a damaged file is told" "$?$(grep -c 'a sample of the spool is lost' "$scratch/err")" 31
is "the rest, the newest ones, is there" "$(counts one epsilon)" "$(wanted "$waiting" $each)"
( exec 9>"$spool/lock"; flock 9
push --source "$capture" --to "$one" --host epsilon --spool "$spool" )
is "one process has a spool" $? 1
chmod go+w "$spool"
push --source "$capture" --to "$one" --host epsilon --spool "$spool"
is "nor has one that others may write to" "$?$(grep -c 'chmod go-w' "$scratch/err")" 11

# ---- A server that does not answer ------------------------------------------------------------------

push "$history" --to "clickhouse://127.0.0.1:${tcp[one]}/fleet" --host x --timeout 2s
is "what is no ClickHouse over HTTP is an error" $? 1
# Each sample of a recording has its own time; nobody waits for a server that stands still.
rm -rf "$spool"
live() { # OPTION…
	"$kmemprof" push --source live --pid $$ --host nu --spool "$spool" --timeout 500ms "$@" \
		>"$scratch/out" 2>"$scratch/err"
}
if live --to clickhouse://127.0.0.1:1/fleet; then
	kill -STOP "${server[one]}"
	live --to "$one" --interval 20ms --count 10
	status=$?
	kill -CONT "${server[one]}"
	is "a server that stands still delays no sample" \
		"$status $(find "$spool" -name '*.sample' | wc -l)" "0 11"
	live --to "$one"
	is "they are sent when it goes on" \
		"$? $(sql one "SELECT count(), uniqExact(at) FROM fleet.samples WHERE host = 'nu'")" "0 12	12"
else
	skip "a server that stands still delays no sample" "nothing can be recorded: $(tail -n 1 "$scratch/err")"
fi

# ---- Without a spool ------------------------------------------------------------------------------

push --source "$capture" --to clickhouse://127.0.0.1:1/fleet --host lambda --interval 10ms --count 3 \
	--timeout 200ms
is "what was not sent in time is lost, and told" "$?$(grep -c 'are lost: they were not sent' "$scratch/err")" 31

# What comes while it is followed.
"$kmemprof" monitor --quiet --source "$capture" --interval 1ms --count 3 -o "$scratch/growing.kmp" 2>/dev/null
"$kmemprof" push "$scratch/growing.kmp" --to "$one" --host mu --interval 50ms >"$scratch/out" 2>"$scratch/err" &
pushing=$!
others+=("$pushing")
"$kmemprof" monitor --quiet --source "$capture" --interval 1ms --count 4 -o "$scratch/growing.kmp" 2>/dev/null
for ((tries = 0; tries < 300; tries++)); do
	[ "$(sql one "SELECT count() FROM fleet.samples WHERE host = 'mu'")" != 7 ] || break
	sleep 0.1
done
kill -TERM $pushing
wait $pushing
is "a history is followed" "$?$(counts one mu)" "0$(wanted 7 $each)"
for word in a =b 'a b=c' "$(printf '%065d=x' 0)"; do
	push "$history" --to "$one" --host x --label "$word"
	is "no label: ${word:0:10}" "$?$(grep -c 'is not NAME=VALUE' "$scratch/err")" 21
done
push "$history" --to "$one" --host x --label a=b --label a=c
is "a label comes once" "$?$(grep -c 'comes twice' "$scratch/err")" 21
push "$history" --to "$one" --spool "$spool" --host x
is "a history needs no spool" $? 2
push "$history" --to "$one"
is "whose history it is must be known" "$?$(grep -c 'host NAME' "$scratch/err")" 21

# ---- A disk that is full -------------------------------------------------------------------------

# A file system of its own, which ends with the server, and a file that fills it.
full_clickhouse() {
	unshare --mount sh -c "mount -t tmpfs -o size=16m none '$scratch/full/data' &&
		fallocate -l 15900K '$scratch/full/data/filler'; exec \"\$@\"" sh \
		clickhouse-server --config-file="$scratch/full/config.xml" >"$scratch/full/out" 2>&1 &
	server[full]=$!
}
http[full]=$((http[one] + 2))
tcp[full]=$((tcp[one] + 2))
configure_clickhouse full </dev/null
mkdir -p "$scratch/full/data"
if ! unshare --mount true 2>/dev/null; then
	skip "a full disk" "no mount of its own is allowed here"
else
	full_clickhouse
	for ((tries = 0; tries < 600; tries++)); do
		! curl -s "http://127.0.0.1:${http[full]}/ping" | grep -q Ok || break
		sleep 0.1
	done
	"$kmemprof" push "$history" --to "$(url_of full)" --host zeta --interval 1h --verbose \
		>"$scratch/out" 2>"$scratch/err" &
	pushing=$!
	others+=("$pushing")
	for ((tries = 0; tries < 300; tries++)); do
		! grep -q 'No space left' "$scratch/err" || break
		sleep 0.1
	done
	ok "a full disk is told" grep -q 'No space left' "$scratch/err"
	rm "/proc/${server[full]}/root$scratch/full/data/filler"
	for ((tries = 0; tries < 600; tries++)); do
		! grep -q 'samples sent' "$scratch/err" || break
		sleep 0.1
	done
	kill -INT $pushing
	wait $pushing
	is "and waited for" "$?$(grep -c 'sent again' "$scratch/err")" 01
	is "then all is there, once" "$(counts full zeta)" "$(wanted 12 $each)"
	end_clickhouse full KILL
fi

# ---- Killed in the middle, again and again ---------------------------------------------------------

"$kmemprof" monitor --quiet --source "$capture" --interval 1ms --count $many -o "$scratch/long.kmp"
"$kmemprof" push "$scratch/long.kmp" --to "$one" --host eta --interval 1h >"$scratch/out" 2>"$scratch/err" &
pushing=$!
others+=("$pushing")
for round in 1 2 3; do
	sleep "0.$((round * 3))"
	end_clickhouse one KILL
	run_clickhouse one
done
for ((tries = 0; tries < 600; tries++)); do
	[ "$(sql one "SELECT count() FROM fleet.samples WHERE host = 'eta'")" != $many ] || break
	sleep 0.1
done
kill -INT $pushing
wait $pushing
is "a server killed three times: it ends well" $? 0
is "and all is there, once" "$(counts one eta)" "$(wanted $many $each)"

# One that stands still, and then goes on with what it was sent before.
"$kmemprof" push "$scratch/long.kmp" --to "$one" --host kappa --interval 1h --timeout 200ms --verbose \
	>"$scratch/out" 2>"$scratch/err" &
pushing=$!
others+=("$pushing")
for round in 1 2 3; do
	sleep 0.3
	kill -STOP "${server[one]}"
	sleep 1.5
	kill -CONT "${server[one]}"
done
for ((tries = 0; tries < 600; tries++)); do
	[ "$(sql one "SELECT uniqExact(at) FROM fleet.samples WHERE host = 'kappa'")" != $many ] || break
	sleep 0.1
done
kill -INT $pushing
wait $pushing
# An insert that stood still, too, can come behind the question for it: then the table makes one of two.
for table in samples figures figures_by_host; do
	sql one "OPTIMIZE TABLE fleet.$table FINAL"
done
is "a server that stood still: all is there, once" "$(counts one kappa)" "$(wanted $many $each)"

# The pusher killed, too.
for round in 1 2 3; do
	"$kmemprof" push "$scratch/long.kmp" --to "$one" --host theta >"$scratch/out" 2>&1 &
	pushing=$!
	sleep "0.$((round * 2))"
	kill -9 $pushing 2>/dev/null
	wait $pushing 2>/dev/null
done
push "$scratch/long.kmp" --to "$one" --host theta
is "push killed three times: all is there, once" "$(counts one theta)" "$(wanted $many $each)"

# ---- The unit ---------------------------------------------------------------------------------------

unit=$scratch/kmemprof-push.service
sed -e "s|^ExecStart=[^ ]*|ExecStart=$kmemprof|" -e '/^Documentation=/d' \
	"${here%/tests/fleet}/contrib/systemd/kmemprof-push.service" >"$unit"
if command -v systemd-analyze >/dev/null; then
	ok "systemd takes the unit" systemd-analyze verify "$unit"
else
	skip "systemd takes the unit" "no systemd-analyze"
fi
finish
