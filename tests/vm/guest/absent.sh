# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Debian 12 kernel for the cloud, which was built with neither: each verb says
# which of them it lacks, and none takes zeros for figures.
. /test/lib.sh

check "there is no page_owner" test ! -e $DEBUG/page_owner
check "there is no allocinfo" test ! -e /proc/allocinfo

no_owner='page_owner=on'
refuses 1 "$no_owner" kmemprof report
refuses 1 "$no_owner" kmemprof report --by comm --format json
refuses 1 "$no_owner" kmemprof filter
refuses 1 "$no_owner" kmemprof filter --mode handle --node 0
refuses 1 "$no_owner" kmemprof stacks
refuses 1 "$no_owner" kmemprof stacks --file show_handles
refuses 1 "$no_owner" page_owner_filter -m handle
no_tags='mem_profiling'
refuses 1 "$no_tags" kmemprof tags
refuses 1 "$no_tags" kmemprof tags --by module --format json
refuses 1 "$no_tags" kmemprof capture -o x.kmp
mkdir m
refuses 1 "$no_tags" kmemprof mount m
is "no file is left" "$(ls)" "err
m
out"

check "doctor" kmemprof doctor --format json --output doctor.json
is "doctor: profiling" "$(jq -r '.kernel[] | select(.name == "profiling").value' doctor.json)" no
is "doctor: page_owner" "$(jq -r '.kernel[] | select(.name == "page_owner.on").value' doctor.json)" no
