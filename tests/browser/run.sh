#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The flame graph or the page in a real browser, headless Chromium, without a network: a script of
# the test's is put behind its own. Prints TAP.
#
#     run.sh MAKE-VIEW svg|html
set -eu

here=$(cd "$(dirname "$0")" && pwd)
for browser in chromium chromium-browser google-chrome; do
	command -v "$browser" >/dev/null && break
	browser=
done
if [ -z "$browser" ]; then
	echo "1..0 # SKIP chromium is not installed: the $2 was not tried in a browser"
	exit 0
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
case $2 in
svg) begin='<script><![CDATA[' script=flame-test.js end=']]></script>' ;;
*) begin='<script>' script=page-test.js end='</script>' ;;
esac
"$1" "$2" >"$scratch/plain"
{
	sed '$d' "$scratch/plain"
	echo "$begin"
	cat "$here/$script"
	echo "$end"
	tail -n 1 "$scratch/plain"
} >"$scratch/test.$2"

# A profile of its own; nothing of it may reach for the network.
timeout 100 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
	--disable-background-networking --disable-component-update --disable-sync \
	--user-data-dir="$scratch/profile" --window-size=1000,700 --dump-dom \
	"file://$scratch/test.$2" >"$scratch/dom" 2>"$scratch/log" || {
	cat "$scratch/log"
	echo "Bail out! the browser failed"
	exit 1
}
lines=$(sed -n 's/&gt;/>/g; s/&lt;/</g; s/&amp;/\&/g; /^ok \|^not ok \|^1\.\./p' "$scratch/dom")
case $lines in
*1..*) echo "$lines" ;;
*)
	head -c 2000 "$scratch/dom"
	echo "Bail out! the test's script did not run to its end"
	exit 1
	;;
esac
