#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Makes a manual page of what a command prints; neither may fail.
#
#     run-scdoc.sh SCDOC OUTPUT COMMAND…
set -eu
scdoc=$1
output=$2
shift 2
"$@" >"$output.scd"
"$scdoc" <"$output.scd" >"$output.part"
mv "$output.part" "$output"
rm "$output.scd"
