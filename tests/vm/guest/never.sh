# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Built with both, booted without page_owner=on and with sysctl.vm.mem_profiling=never: each verb says
# which of them is off, and none takes zeros for figures.
. /test/lib.sh

check "there is no page_owner" test ! -e $DEBUG/page_owner
check "there is no allocinfo" test ! -e /proc/allocinfo

refuses_all

check "doctor" kmemprof doctor --format json --output doctor.json
is "doctor: profiling" "$(jq -r '.kernel[] | select(.name == "profiling").value' doctor.json)" never
is "doctor: page_owner" "$(jq -r '.kernel[] | select(.name == "page_owner.on").value' doctor.json)" no
