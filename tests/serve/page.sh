#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The web page in headless Chromium, a real server behind it: its tables are there, an expression
# changes them, a wrong one is told. KMEMPROF_SERVE_SHOTS: a directory that gets pictures of it.
#
#     page.sh KMEMPROF
# shellcheck source=tests/serve/lib.sh
. "${0%/*}/lib.sh"
for browser in chromium chromium-browser google-chrome; do
	command -v "$browser" >/dev/null && break
	browser=
done
[ -n "$browser" ] || skip_all "chromium is not installed: the page was not tried in a browser"
capture=$data/captures/linux-7.3

look() { # PATH [OPTION…]: the page as it is then, in $dom
	local path=$1

	shift
	timeout 100 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync \
		--user-data-dir="$scratch/profile" --window-size=1100,900 "$@" \
		"$url/$path" 2>"$scratch/log"
}
dom() { # PATH
	look "$1" --virtual-time-budget=5000 --dump-dom >"$scratch/dom"
}
shot() { # NAME PATH [OPTION…]
	[ -z "${KMEMPROF_SERVE_SHOTS:-}" ] || look "$2" --virtual-time-budget=4000 --screenshot="$KMEMPROF_SERVE_SHOTS/$1.png" "${@:3}"
}
# shellcheck disable=SC2317 # by ok
has() { # TEXT
	grep -qF -- "$1" "$scratch/dom"
}

start --source "$capture" --interval 1d
is "the page" "$(status /)" 200
is "its script" "$(status /page.js)" 200
is "its style" "$(status /page.css)" 200
is "its figures" "$(get /page/data | jq '.sets | length')" 2
is "which are of what was asked for" \
	"$(get '/page/data?where=order%3E%3D3' | jq '.sets[0].total.bytes')" \
	"$("$kmemprof" report --where 'order>=3' --format json "$capture" | jq .totals.bytes)"
get /page/data >"$scratch/figures"
is "which are the same for who comes later" "$(get /page/data | cmp - "$scratch/figures" && echo same)" same
is "HEAD has none of them" "$(get /page/data -I -o /dev/null -w '%{size_download}')" 0
tag=$(get /page/data -o /dev/null -D - | sed -n 's/^[Ee][Tt][Aa][Gg]: \(.*\)\r$/\1/p')
is "which are not sent twice" "$(status /page/data -H "If-None-Match: $tag")" 304
is "but are if they are others" "$(status /page/data -H 'If-None-Match: "1-1"')" 200
dom ''
ok "the page draws itself" has 'data-ready='
ok "rows" has 'class="opener"'
ok "a flame graph" has 'kmp-flame'
ok "and says when it was read" has 'sample of 20'
rows=$(grep -o 'class="opener"' "$scratch/dom" | wc -l)
look '' --timeout=3000 --enable-logging=stderr --screenshot="$scratch/shot.png" >"$scratch/dom"
echo "# $(grep -o 'first table after [0-9]* ms' "$scratch/log")"
dom '#where=order%3E%3D9'
ok "an expression leaves fewer rows" \
	[ "$(grep -o 'class="opener"' "$scratch/dom" | wc -l)" -lt "$rows" ]
dom '#where=ordr%3E%3D3'
ok "a wrong one is told" has 'aria-invalid="true"'
ok "by its caret" has '^'
shot wide ''
shot phone '' --window-size=390,844
shot dark '' --blink-settings=preferredColorScheme=0
stop

# A directory is another sample at each interval: the page draws what it saw over time.
mkdir "$scratch/again"
cp "$data/samples/12-raw-v6.12-android-cma-migrated.txt" "$scratch/again/page_owner"
start --source "$scratch/again" --interval 10ms
look '' --virtual-time-budget=60000 --dump-dom >"$scratch/dom"
time=$(grep -o '<section class="card time"[^>]*>' "$scratch/dom")
ok "the page goes on, and draws what was over time" [ -n "$time" -a "$time" = "${time%hidden*}" ]
rm "$scratch/again/page_owner"
for ((tries = 0; tries < 200; tries++)); do
	[ "$(status /healthz)" != 503 ] || break
	sleep 0.05
done
dom ''
ok "that the source went is told" has 'What is shown is the last sample.'
ok "which is there" has 'class="opener"'
stop

echo 'correct-horse-battery-staple' >"$scratch/token"
start --source "$capture" --token-file "$scratch/token"
is "the page is for everybody" "$(status /)" 200
is "its figures are not" "$(status /page/data)" 401
dom ''
ok "it asks for the token" has 'type="password"'
stop
finish
