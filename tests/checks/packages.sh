#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What `./do build` installs is what debian/control builds with, but for what only tests need.
#
#     packages.sh SOURCE-ROOT
set -eu
cd "$1"

packages_build=$(sed -n '/^packages_build="/,/"$/s/packages_build="\|"$//gp' tools/functions.sh)
[ "$(echo "$packages_build" | wc -w)" -ge 10 ] || { echo "no list found: the check is broken"; exit 1; }
status=0
for package in $packages_build; do
	case $package in
	gcc | libc6-dev | ninja-build | fuse3 | libcmocka-dev) continue ;;
	esac
	grep -q "^ $package\\( (.*)\\)\\?,$" debian/control || {
		echo "debian/control does not build with $package"
		status=1
	}
done
exit "$status"
