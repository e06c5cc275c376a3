#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# 200 clients at once for some seconds (KMEMPROF_SERVE_SECONDS: longer), half requests, readers that
# do not read, headers of 10 MB: the server stays up and its memory flat.
#
#     attacks.sh KMEMPROF
# shellcheck source=tests/serve/lib.sh
. "${0%/*}/lib.sh"
start --source "$data/captures/linux-7.3" --interval 1s
host=${url#http://}
port=${host#*:}

crowd() { # SECONDS: prints how many answers, and how many of them are none
	local end=$((SECONDS + $1))

	while
		curl -sZ --parallel-immediate --parallel-max 200 --max-time 120 -w '%{http_code}\n' \
			-o /dev/null "$url/metrics?[1-400]" \
			-o /dev/null "$url/api/v1/report?by=comm&limit=[1-20]" \
			-o /dev/null "$url/{,healthz,page.js,page/data,pprof/pages}" 2>/dev/null
		[ $SECONDS -lt $end ]
	do :; done | awk '{ all++; bad += $1 != 200 } END { print all + 0, bad + 0 }'
}

read -r answers bad < <(crowd "${long:-4}")
before=$(resident)
read -r answers bad < <(crowd "${long:-4}")
after=$(resident)
ok "$answers answers to 200 clients" [ "$answers" -ge 400 ]
is "all of them well" "$bad" 0
# On a machine that has much else to do, more answers wait at once than at first: 64 MiB at most. Over a
# minute that evens out.
ok "memory is flat: $before kB, $after kB" [ "$after" -lt $((before + (${long:-0} < 30 ? 65536 : 16384))) ]

# Headers of 10 MB.
head -c 10000000 /dev/zero | tr '\0' a >"$scratch/long"
for ((i = 0; i < 5; i++)); do
	exec 9<>"/dev/tcp/127.0.0.1/$port"
	{ printf 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: '; cat "$scratch/long"; } >&9 2>/dev/null
	exec 9>&-
done
exec 9<>"/dev/tcp/127.0.0.1/$port"
{ printf 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: '; head -c 40000 "$scratch/long"; } >&9
read -r -t 60 got <&9
is "headers that are too long are refused" "${got%$'\r'}" 'HTTP/1.1 431 Request Header Fields Too Large'
exec 9>&-

# 150 half requests, and 100 clients that ask for much and read nothing.
for ((i = 0; i < 150; i++)); do
	exec {half}<>"/dev/tcp/127.0.0.1/$port"
	printf 'GET /metrics HTTP/1.1\r\nHost: loc' >&"$half"
	halves[i]=$half
done
for ((i = 0; i < 100; i++)); do
	exec {deaf}<>"/dev/tcp/127.0.0.1/$port"
	printf 'GET /api/v1/report HTTP/1.1\r\nHost: localhost\r\n\r\n' >&"$deaf"
	deafs[i]=$deaf
done
is "others are answered meanwhile" "$(status /healthz)" 200
is "metrics too" "$(status /metrics)" 200
connections=$(get /metrics | awk '$1 == "kmemprof_http_connections" { print $2 }')
ok "$connections connections" [ "$connections" -ge 200 ]
ok "memory is bounded: $(resident) kB" [ "$(resident)" -lt $((before + 200 * 1024)) ]
# Who is slow is sent away, whether or not he goes.
for ((tries = 0; tries < 90; tries++)); do
	connections=$(get /metrics | awk '$1 == "kmemprof_http_connections" { print $2 }')
	[ "$connections" -gt 20 ] || break
	sleep 1
done
ok "the slow are sent away: $connections connections" [ "$connections" -le 20 ]
for half in "${halves[@]}" "${deafs[@]}"; do
	exec {half}>&-
done

# What is no HTTP.
for junk in '\0\0\0\0' 'GET' 'GET / HTTP/9.9\r\n\r\n' '\r\n\r\n\r\n' \
	'GET /api/v1/report?where=%00%ff HTTP/1.1\r\nHost: localhost\r\n\r\n' \
	'GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n' \
	'GET /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n' \
	'GET /metrics HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n'; do
	exec 9<>"/dev/tcp/127.0.0.1/$port"
	# shellcheck disable=SC2059 # it is a format
	printf "$junk" >&9 2>/dev/null
	exec 9>&-
done
is "alive after junk" "$(status /healthz)" 200
ok "a path from a request is no file" [ -z "$(get '/%2e%2e/%2e%2e/etc/passwd' | grep root)" ]
stop
is "ends well" "$ended" 0
finish
