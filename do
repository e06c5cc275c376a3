#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Everything one does with kmemprof. `./do` alone lists it.
set -eu
cd "$(dirname "$0")"

packages="gcc clang-14 meson ninja-build pkg-config libzstd-dev liblzma-dev zlib1g-dev libxxhash-dev libsqlite3-dev libcmocka-dev jq"

ensure_packages() {
	missing=""
	for p in $packages; do
		dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
	done
	[ -n "$missing" ] || return 0
	sudo=""
	[ "$(id -u)" = 0 ] || sudo=sudo
	if [ -n "$sudo" ] && ! command -v sudo >/dev/null; then
		echo "these packages are missing; install them as root: apt-get install$missing" >&2
		exit 1
	fi
	$sudo apt-get update -qq
	DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing
}

build() {
	[ -f build/build.ninja ] || meson setup build -Dwerror=true
	ninja -C build
}

case "${1:-}" in
build) ensure_packages; build ;;
test) ensure_packages; build; meson test -C build --print-errorlogs ;;
*) sed -n 's/^\([a-z]*\)) .*/.\/do \1/p' "$0"; exit 2 ;;
esac
