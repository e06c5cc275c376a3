#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The service's unit is one that systemd takes, and is closed as far as it says.
#
#     service.sh UNIT KMEMPROF
set -eu
command -v systemd-analyze >/dev/null || { echo "no systemd-analyze"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unit=$work/${1##*/}
# The program and its manual need not be installed.
sed -e "s|^ExecStart=[^ ]*|ExecStart=$(realpath "$2")|" -e '/^Documentation=/d' "$1" >"$unit"
systemd-analyze verify "$unit" 2>&1 | tee "$work/said"
[ -s "$work/said" ] && exit 1
exposure=$(systemd-analyze security --offline=true "$unit" 2>/dev/null |
	sed -n 's/.*exposure level for .*: \([0-9]*\)\.[0-9].*/\1/p')
echo "exposure: ${exposure:-not told}"
[ -n "$exposure" ] && [ "$exposure" -le 1 ]
