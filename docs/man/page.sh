#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Prints the manual page of a verb as scdoc: what the command table tells, the sections that all
# verbs share, and the prose that stands in this folder. `-` is the program's own page.
#
#     page.sh KMEMPROF VERB PROSE
set -eu
here=${0%/*}

# A page can tell of its own what its exit status says.
exit_status() { # PROSE
	echo
	grep -q '^# EXIT STATUS' "$1" || cat "$here/exit-status.scd"
	echo
}

if [ "$2" = - ]; then
	"$1" help --format scdoc | sed '/^# VERBS/,$d'
	sed '/^; SPDX/d; /^# ENVIRONMENT/,$d' "$3"
	"$1" help --format scdoc | sed -n '/^# VERBS/,$p'
	exit_status "$3"
	sed -n '/^# ENVIRONMENT/,$p' "$3"
else
	"$1" help --format scdoc "$2"
	exit_status "$3"
	sed '/^; SPDX/d' "$3"
	printf '\n# SEE ALSO\n\n*kmemprof*(1), *kmemprof-ledger*(5), *kmemprof-where*(7)\n'
fi | sed 's,docs/where\.md,*kmemprof-where*(7),g
	s,docs/ledger\\-file\.md,*kmemprof-ledger*(5),g
	s,docs/json\.md,*kmemprof-json*(5),g
	s,docs/views\.md,*kmemprof-views*(5),g
	s,docs/mount\.md,*kmemprof-mount*(7),g
	s,docs/serve\.md,*kmemprof-serve*(7),g'
