#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Folder order is include order: a folder of src/ includes only itself, those before it in the
# list, and the public header. The command line has the public header and three headers of macros.
#
#     include-order.sh SOURCE-ROOT
set -eu

order="base ledger format store source serve cli"

check() { # ROOT
	cd "$1/src"
	for folder in */; do
		case " $order " in *" ${folder%/} "*) ;; *) echo "src/$folder is in no order" ;; esac
	done
	grep -rn --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' . |
		awk -v order="$order" '
		BEGIN { n = split(order, names, " "); for (i = 1; i <= n; i++) rank[names[i]] = i }
		{
			split($0, quoted, "\"")
			split($0, where, ":")
			split(where[1], path, "/")
			from = path[2]
			header = quoted[2]
			split(header, to, "/")
			if (header == "kmemprof/kmemprof.h" || header ~ /\.skel\.h$/)
				next
			if (!(to[1] in rank))
				print where[1] ":" where[2] ": \"" header "\" is in no folder of the order"
			else if (rank[to[1]] > rank[from])
				print where[1] ":" where[2] ": " from " must not include \"" header "\""
			else if (from == "cli" && to[1] != "cli" &&
				 header !~ /^base\/(cleanup|error|vec)\.h$/)
				print where[1] ":" where[2] ": cli has only the public header, not \"" header "\""
		}'
}

# A check that cannot fail is none: a tree that breaks each rule once.
proof=$(mktemp -d)
trap 'rm -rf "$proof"' EXIT
mkdir -p "$proof/src/base" "$proof/src/cli" "$proof/src/ledger" "$proof/src/misc"
echo '#include "ledger/ledger.h"' >"$proof/src/base/a.c"
echo '#include "ledger/ledger.h"' >"$proof/src/cli/b.c"
echo '#include "misc/c.h"' >"$proof/src/ledger/c.c"
found=$(check "$proof" | wc -l)
[ "$found" -eq 4 ] || { echo "the check itself is broken: $found of 4 faults found"; exit 1; }

faults=$(check "$1")
[ -z "$faults" ] || { echo "$faults"; exit 1; }
