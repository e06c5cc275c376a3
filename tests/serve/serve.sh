#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What `kmemprof serve` answers is what `kmemprof report` prints; and who may ask.
#
#     serve.sh KMEMPROF
# shellcheck source=tests/serve/lib.sh
. "${0%/*}/lib.sh"
capture=$data/captures/linux-7.3
sample=$data/samples/12-raw-v6.12-android-cma-migrated.txt

start --source "$capture" --top 5
total=$("$kmemprof" report --format json "$capture" | jq .totals.bytes)
tags=$("$kmemprof" tags --format json "$capture" | jq .totals.bytes)
is "it can get no more rights" "$(awk '/^NoNewPrivs:/ { print $2 }' /proc/$server/task/*/status | sort -u)" 1
ok "the capture has page owners and tags" [ "$total" -gt 1000000 -a "$tags" -gt 1000000 ]

get /metrics >"$scratch/metrics"
for family in allocated stack task; do
	is "kmemprof_${family}_bytes adds up to report's" \
		"$(sum_of kmemprof_${family}_bytes <"$scratch/metrics")" "$total"
	is "kmemprof_${family}_pages too" \
		"$(sum_of kmemprof_${family}_pages <"$scratch/metrics")" $((total / 4096))
done
is "kmemprof_tag_bytes adds up to tags'" "$(sum_of kmemprof_tag_bytes <"$scratch/metrics")" "$tags"
is "as many stacks as asked for, and the rest" \
	"$(grep -c '^kmemprof_stack_bytes{' "$scratch/metrics")" 6
is "the largest stack is report's" \
	"$(grep '^kmemprof_stack_bytes{' "$scratch/metrics" | grep -v other | sort -k2nr -t' ' |
		sed -n '1s/.* //p')" \
	"$("$kmemprof" report --format json --limit 1 "$capture" | jq '.groups[0].bytes')"
if command -v promtool >/dev/null; then
	ok "promtool takes the metrics" promtool check metrics <"$scratch/metrics"
else
	skip "promtool takes the metrics" "promtool (package prometheus) is not installed"
fi
get /metrics -H 'Accept: application/openmetrics-text; version=1.0.0' -D "$scratch/head" \
	>"$scratch/open"
ok "OpenMetrics where asked for" grep -qi '^content-type: application/openmetrics-text' \
	"$scratch/head"
is "which has an end" "$(tail -n 1 "$scratch/open")" '# EOF'
is "the same series" "$(grep -c '^kmemprof_stack' "$scratch/open")" \
	"$(grep -c '^kmemprof_stack' "$scratch/metrics")"

is "report by task is the command line's" \
	"$(get '/api/v1/report?by=comm&limit=3' | jq -S 'del(.source)')" \
	"$("$kmemprof" report --by comm --limit 3 --format json "$capture" | jq -S 'del(.source)')"
is "with a filter" "$(get '/api/v1/report?by=order&where=order%3E%3D3' | jq -S .groups)" \
	"$("$kmemprof" report --by order --where 'order>=3' --format json "$capture" | jq -S .groups)"
is "tags are the command line's" "$(get '/api/v1/tags?by=module' | jq -S .groups)" \
	"$("$kmemprof" tags --by module --format json "$capture" | jq -S .groups)"
is "a difference of nothing" "$(get '/api/v1/diff?by=order' | jq '[.groups[].delta] | add')" 0
is "other formats" "$(get '/api/v1/report?by=comm&format=csv')" \
	"$("$kmemprof" report --by comm --format csv "$capture")"
get /pprof/pages | gzip -dc >"$scratch/profile"
"$kmemprof" report --format pprof "$capture" | gzip -dc >"$scratch/wanted"
ok "the profile is the command line's" cmp "$scratch/profile" "$scratch/wanted"

is "healthy" "$(status /healthz)" 200
is "no such path" "$(status /etc/passwd)" 404
is "no such path up" "$(status /../../etc/passwd --path-as-is)" 404
is "a wrong key is the client's fault" "$(status '/api/v1/report?by=nothing')" 400
get '/api/v1/report?by=nothing' >"$scratch/answer"
ok "and explained" grep -q "unknown key" "$scratch/answer"
is "a wrong expression too" "$(status '/api/v1/report?where=order')" 400
is "an option about files is none here" "$(status "/api/v1/report?output=$scratch/x")" 400
ok "and writes nothing" [ ! -e "$scratch/x" ]
is "an unknown parameter" "$(status '/api/v1/tags?nothing=1')" 400
is "times are not kept" "$(status '/api/v1/report?where=ts%3E5')" 400
is "POST is refused" "$(status /metrics -X POST)" 405
is "so is a body" "$(status /metrics -X GET -d x)" 413
is "HEAD has no body" "$(get /metrics -I -o /dev/null -w '%{size_download}')" 0
is "the name of another" "$(status /metrics -H 'Host: evil.example')" 421
is "localhost" "$(status /metrics -H 'Host: localhost:9417')" 200
for header in 'content-security-policy: default-src' 'x-content-type-options: nosniff' \
	'cache-control: no-store' 'x-frame-options: deny'; do
	ok "header $header" grep -qi "^$header" "$scratch/head"
done
stop
is "SIGTERM ends it well" "$ended" 0
is "which says nothing" "$(cat "$scratch/err")" ""

# A file that changes, is damaged, and comes again.
cp "$sample" "$scratch/changes.txt"
start --source "$scratch/changes.txt" --interval 50ms
is "the file's pages" "$(get /metrics | sum_of kmemprof_stack_pages)" 513
cat "$sample" "$sample" >"$scratch/changes.new"
mv "$scratch/changes.new" "$scratch/changes.txt"
for ((tries = 0; tries < 200; tries++)); do
	pages=$(get /metrics | sum_of kmemprof_stack_pages)
	[ "$pages" != 1026 ] || break
	sleep 0.05
done
is "a file is read anew" "$pages" 1026
is "what came is a difference" "$(get /api/v1/diff | jq '[.groups[].delta] | add')" 513
rm "$scratch/changes.txt"
for ((tries = 0; tries < 200; tries++)); do
	[ "$(status /healthz)" != 503 ] || break
	sleep 0.05
done
is "a file that went" "$(status /healthz)" 503
get /metrics >"$scratch/answer"
ok "is told" grep -q '^kmemprof_source_up 0' "$scratch/answer"
is "what was there stays" "$(get /metrics | sum_of kmemprof_stack_pages)" 1026
stop

# Who is chosen once stays while he is among twice as many.
cp "$sample" "$scratch/changes.txt"
start --source "$scratch/changes.txt" --interval 50ms --top 1
names() {
	get /metrics | sed -n 's/^kmemprof_stack_bytes{.*function="\(.*\)"}.*/\1/p' | sort | paste -sd,
}
is "the largest stack, and the rest" "$(names)" ",nf_ct_alloc_hashtable"
sed 's/order 0,/order 7,/; s/order 9,/order 3,/' "$sample" >"$scratch/changes.new"
mv "$scratch/changes.new" "$scratch/changes.txt"
for ((tries = 0; tries < 200; tries++)); do
	[ "$(names)" = ",nf_ct_alloc_hashtable" ] || break
	sleep 0.05
done
is "another one is the largest: both" "$(names)" ",__filemap_get_folio,nf_ct_alloc_hashtable"
is "and the sum holds" "$(get /metrics | sum_of kmemprof_stack_pages)" $((128 + 8))
stop

# A history: its last sample, and any others.
for part in "$sample" "$scratch/two.txt"; do
	cat "$sample" "$sample" >"$scratch/two.txt"
	"$kmemprof" monitor --quiet --count 1 --source "$part" -o "$scratch/history.kmp" || echo "# no sample"
done
start --source "$scratch/history.kmp"
is "a history's last sample" "$(get /metrics | sum_of kmemprof_stack_pages)" 1026
is "its samples compared" "$(get '/api/v1/diff?before=first' | jq '[.groups[].delta] | add')" 513
is "no such moment" "$(status '/api/v1/diff?before=1970-01-01T00:00:00')" 400
is "its trends are the command line's" "$(get '/api/v1/trend?min-growth=1' | jq -S .groups)" \
	"$("$kmemprof" trend --min-growth 1 --format json "$scratch/history.kmp" | jq -S .groups)"
stop

# Redacted.
start --source "$capture" --redact
get /metrics >"$scratch/metrics"
get '/api/v1/report?by=comm' >"$scratch/report"
ok "redacted: no task" [ -z "$(grep -e task_bytes "$scratch/metrics")" ]
is "nor in a report" "$(jq -c '[.groups[].key.comm, .source.name]' "$scratch/report")" '[null,null]'
is "but all the memory" "$(jq .totals.bytes "$scratch/report")" "$total"
stop

# A token.
echo 'correct-horse-battery-staple' >"$scratch/token"
start --source "$sample" --token-file "$scratch/token"
is "no token" "$(status /metrics)" 401
is "a wrong one" "$(status /metrics -H 'Authorization: Bearer correct-horse-battery-stapl')" 401
is "another wrong one" "$(status /metrics -H 'Authorization: Bearer correct-horse-battery-staplf')" 401
is "the right one" "$(status /metrics -H 'Authorization: Bearer correct-horse-battery-staple')" 200
is "health is for everybody" "$(status /healthz)" 200
stop

# A Unix socket, of this user alone.
: >"$scratch/out"
"$kmemprof" serve --listen "unix:$scratch/socket" --source "$sample" >"$scratch/out" 2>&1 &
server=$!
for ((tries = 0; tries < 300; tries++)); do
	! grep -q serving "$scratch/out" || break
	sleep 0.1
done
url=http://localhost
is "a Unix socket answers" "$(status /metrics --unix-socket "$scratch/socket")" 200
is "its user alone" "$(stat -c %a "$scratch/socket")" 600
stop
ok "its file is gone" [ ! -e "$scratch/socket" ]

# Who may be far away gets gzip, if he takes it; who is here need not unpack it.
: >"$scratch/out"
"$kmemprof" serve --listen 0.0.0.0:0 --token-file "$scratch/token" --source "$capture" --interval 1d \
	>"$scratch/out" 2>/dev/null &
server=$!
for ((tries = 0; tries < 300; tries++)); do
	! grep -q serving "$scratch/out" || break
	sleep 0.1
done
url=http://127.0.0.1:$(sed -n 's,^serving at http://0.0.0.0:\(.*\)/$,\1,p' "$scratch/out")
word='Authorization: Bearer correct-horse-battery-staple'
for path in /metrics /page/data /page/data /page.js '/api/v1/report?by=stack'; do
	get "$path" -H "$word" >"$scratch/plain"
	get "$path" -H "$word" -H 'Accept-Encoding: deflate, gzip;q=0.5' -D "$scratch/head" >"$scratch/zipped"
	ok "gzip: $path" grep -qi '^content-encoding: gzip' "$scratch/head"
	# Our own cost is another each time.
	is "which is the same" "$(gzip -dc <"$scratch/zipped" | grep -av -e ^process_ -e ^kmemprof_http | md5sum)" \
		"$(grep -av -e ^process_ -e ^kmemprof_http "$scratch/plain" | md5sum)"
	ok "and small" [ "$(stat -c %s "$scratch/zipped")" -lt $(($(stat -c %s "$scratch/plain") / 2)) ]
done
for encoding in 'gzip;q=0' deflate 'gzip2, br' ''; do
	get /metrics -H "$word" -H "Accept-Encoding: $encoding" -o /dev/null -D "$scratch/head"
	ok "no gzip for '$encoding'" [ -z "$(grep -i content-encoding "$scratch/head")" ]
done
get /pprof/pages -H "$word" -H 'Accept-Encoding: gzip' -o "$scratch/zipped" -D "$scratch/head"
ok "a profile is not packed twice" [ -z "$(grep -i content-encoding "$scratch/head")" ]
stop

fails() { # STATUS TEXT OPTION…
	local status=$1 text=$2

	shift 2
	timeout 60 "$kmemprof" serve "$@" >"$scratch/out" 2>&1
	is "serve $*" "$?" "$status"
	ok "says: $text" grep -q -e "$text" "$scratch/out"
}
fails 2 'open to other machines' --listen 0.0.0.0:0 --source "$sample"
fails 2 'is none of' --listen 127.0.0.1 --source "$sample"
fails 2 'none of' --listen 127.0.0.1:99999 --source "$sample"
fails 2 'only with --source live' --all --source "$sample" --listen 127.0.0.1:0
fails 2 'from 1 to' --top 0 --source "$sample"
fails 1 'a token has' --token-file /dev/null --source "$sample"
fails 1 'cannot open' --source "$scratch/nothing" --listen 127.0.0.1:0

unit=$scratch/kmemprof-serve.service
sed -e "s|^ExecStart=[^ ]*|ExecStart=$kmemprof|" -e '/^Documentation=/d' \
	"${here%/tests/serve}/contrib/systemd/kmemprof-serve.service" >"$unit"
if command -v systemd-analyze >/dev/null; then
	ok "systemd takes the unit" systemd-analyze verify "$unit"
	# In tenths, of 100: 96 is a service without any of it.
	if systemd-analyze --help | grep -q -e --offline; then
		systemd-analyze security --offline=true --threshold=18 "$unit" >"$scratch/out" 2>&1
		is "the unit may do little" $? 0
	else
		skip "the unit may do little" "this systemd-analyze tells of services that run alone"
	fi
else
	skip "systemd takes the unit" "no systemd-analyze"
fi
finish
