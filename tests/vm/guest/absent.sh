# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Debian 12 kernel for the cloud, which was built with neither: each verb says
# which of them it lacks, and none takes zeros for figures.
. /test/lib.sh

check "there is no page_owner" test ! -e $DEBUG/page_owner
check "there is no allocinfo" test ! -e /proc/allocinfo

refuses_all

check "doctor" kmemprof doctor --format json --output doctor.json
is "doctor: profiling" "$(jq -r '.kernel[] | select(.name == "profiling").value' doctor.json)" no
is "doctor: page_owner" "$(jq -r '.kernel[] | select(.name == "page_owner.on").value' doctor.json)" no
