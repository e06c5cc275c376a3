#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The rows of many machines: what fleet-measure.sh measures. Is run by run.sh, and alone:
#
#     bench/fleet.sh [RUNS]
# shellcheck disable=SC2154 # run.sh's
if ! declare -F row >/dev/null; then
	set -euo pipefail
	cd "$(dirname "$0")/.."
	. bench/rows.sh
	missed=0
	row_head
fi

fleet_figures=$(bench/fleet-measure.sh build/kmemprof build/bench/bench-history "${1:-5}")
if [ -n "$fleet_figures" ]; then
	read -r version pushed rate rows size growers top where compare <<<"$fleet_figures"
	row "push of a history into one ClickHouse $version: rows" %.0f "$rate / 1000" k/s ">=" 200
	info "  rows there are" %.2f "$pushed / 1e6" M
	row "fleet growers --since 12h, 1000 hosts" %.2f "$growers" s "<=" 2
	info "  rows there are, of 3 kernels' real stacks" %.1f "$rows / 1e6" M
	info "  size of a row, in both tables" %.1f "$size" bytes
	info "fleet top" %.2f "$top" s
	info "fleet hosts FINGERPRINT --since 12h" %.2f "$where" s
	info "fleet compare of two kernels" %.2f "$compare" s
fi
