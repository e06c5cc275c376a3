#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The runner of command tests can fail: a wrong byte of output, an unexpected word on standard
# error and a wrong status each fail a test; a skip is told with its reason.
#
#     runner.sh SOURCE-ROOT
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/cli"
cp "$1/tests/cli/run.sh" "$work/cli/"

make() { # NAME CMD
	mkdir "$work/cli/$1"
	echo "$2" >"$work/cli/$1/cmd"
}
make a-good 'echo yes; echo no >&2; exit 3'
echo yes >"$work/cli/a-good/stdout"
echo no >"$work/cli/a-good/stderr"
echo 3 >"$work/cli/a-good/status"
make b-output 'printf yes'
echo yes >"$work/cli/b-output/stdout"
make c-error 'echo oops >&2'
make d-status 'exit 1'
make e-skip 'echo "no such kernel"; exit 77'
make f-unexpected 'echo more'

status=0
"$work/cli/run.sh" /bin/true >"$work/out" || status=$?
grep -v '^#' "$work/out" >"$work/got"
cat >"$work/want" <<'END'
1..6
ok 1 - a-good
not ok 2 - b-output
not ok 3 - c-error
not ok 4 - d-status
ok 5 - e-skip # SKIP no such kernel
not ok 6 - f-unexpected
END
diff -u "$work/want" "$work/got"
[ "$status" = 1 ] || { echo "status $status, not 1"; exit 1; }

# What --accept writes is what is expected from then on.
"$work/cli/run.sh" --accept /bin/true >/dev/null
"$work/cli/run.sh" /bin/true >"$work/out"
! grep '^not' "$work/out"
