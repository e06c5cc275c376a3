#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# How long a browser takes from the beginning of a navigation until the page of `kmemprof serve` has
# drawn its first table: one running Chromium, for each load a profile of its own, so that nothing
# of the page is known. Milliseconds, a line for each load.
#
#     bench/load.sh URL LOADS [PAUSE]      PAUSE: seconds between two loads
set -euo pipefail
url=$1
loads=$2
pause=${3:-0}
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
scratch=$(mktemp -d)
running=
# The browser's helpers write to its profile a moment longer than it lives.
trap '[ -z "$running" ] || kill "$running" 2>/dev/null; wait
	rm -rf "$scratch" 2>/dev/null || { sleep 2; rm -rf "$scratch"; }' EXIT

# The browser is spoken to by pipes: JSON with a NUL behind each message.
mkfifo "$scratch/to" "$scratch/from"
"$browser" --headless --no-sandbox --disable-gpu --no-first-run --disable-sync --disable-quic \
	--disable-background-networking --disable-component-update --window-size=1280,1000 \
	--user-data-dir="$scratch/profile" --remote-debugging-pipe \
	3<"$scratch/to" 4>"$scratch/from" >/dev/null 2>"$scratch/log" &
running=$!
exec {to}>"$scratch/to" {from}<"$scratch/from"
number=0

await() { # TEXT: of the message that is waited for, which is $message then
	while IFS= read -r -d '' -t 60 message <&"$from"; do
		[[ $message != *"$1"* ]] || return 0
	done
	echo "load: the browser does not tell: $1" >&2
	tail -n 5 "$scratch/log" >&2
	exit 1
}
ask() { # METHOD PARAMETERS [SESSION]
	number=$((number + 1))
	printf '{"id":%d,"method":"%s","params":{%s}%s}\0' $number "$1" "$2" \
		"${3:+,\"sessionId\":\"$3\"}" >&"$to"
	await "\"id\":$number,"
}
told() { # NAME: its text in the message
	sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" <<<"$message"
}

for ((load = 0; load < loads; load++)); do
	ask Target.createBrowserContext ''
	context=$(told browserContextId)
	ask Target.createTarget "\"url\":\"about:blank\",\"browserContextId\":\"$context\""
	ask Target.attachToTarget "\"targetId\":\"$(told targetId)\",\"flatten\":true"
	session=$(told sessionId)
	ask Runtime.enable '' "$session"
	sleep "$pause"
	ask Page.navigate "\"url\":\"$url\"" "$session"
	[[ $message == *'first table after'* ]] || await 'first table after'
	sed -n 's/.*first table after \([0-9]*\) ms.*/\1/p' <<<"$message"
	ask Target.disposeBrowserContext "\"browserContextId\":\"$context\""
done
printf '{"id":0,"method":"Browser.close"}\0' >&"$to"
wait "$running" || true
running=
