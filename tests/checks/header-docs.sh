#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every function, struct, member, enum, enumerator and macro of the public header has a comment:
# before it, with no empty line between, or behind it.
#
#     header-docs.sh HEADER
set -eu

check() { # HEADER
	awk '
	function fault(line, text) { print FILENAME ":" line ": not documented: " text; faults++ }

	# The text without comments that open and close on the line; has_comment tells of them.
	function code_of(text) {
		has_comment = text ~ /\/\*.*[A-Za-z].*\*\//
		sub(/\/\*.*\*\//, "", text)
		gsub(/^[ \t]+|[ \t]+$/, "", text)
		return text
	}

	# A statement begins here, or goes on.
	function statement(code) {
		if (!open) {
			open = 1
			start = FNR
			first = code
			told = before
		}
		told = told || has_comment
		before = 0
		if (code ~ /\{$/) {
			finish()
			body = first ~ /^enum/ ? "enum" : "struct"
		} else if (code ~ /;$/ || (body == "enum" && !(code ~ /[^,]$/ && code ~ /\(/)))
			finish()
	}

	function finish() {
		count++
		if (!told)
			fault(start, first)
		open = 0
	}

	/^#ifdef __cplusplus/ { skip = 1 }
	skip { if (/^#endif/) skip = 0; next }
	in_comment {
		words = words $0
		if (/\*\//) {
			in_comment = 0
			before = !open && words ~ /[A-Za-z]/
		}
		next
	}
	/^[ \t]*\/\*/ && !/\*\/[ \t]*[^ \t]/ {
		before = !open && /[A-Za-z]/ && !/\/\* ----/
		if (!/\*\//) {
			in_comment = 1
			words = $0
		}
		next
	}
	/^[ \t]*$/ { before = 0; next }
	/^#/ {
		if (/^#define/ && $2 != "KMEMPROF_H") {
			count++
			code_of($0)
			if (!before && !has_comment)
				fault(FNR, $1 " " $2)
		}
		before = 0
		next
	}
	/^}/ { body = ""; before = 0; next }
	{ code = code_of($0); if (code != "") statement(code) }
	END {
		if (!faults)
			print count " declarations, each documented"
		exit faults > 0
	}' "$1"
}

# A check that cannot fail is none: each line that says BARE must be found, and no other.
proof=$(mktemp)
trap 'rm -f "$proof"' EXIT
cat >"$proof" <<'END'
#define KMEMPROF_H
/* ---- Part ---- */
#define BARE 1
/* Told. */
#define TOLD 1

/* Too far away. */

struct BARE_s {
	int a; /* told */
	int BARE_b;
	/* Told. */
	int c;
	int (*BARE_d)(int x,
		 int y);
	int BARE_e; /* */
};

/* Told. */
enum told {
	TOLD_A, /* told */
	BARE_B,
	TOLD_C = 1 << 2 /* told */
};
enum BARE_n {
	BARE_D
};

/* Told. */
int told(int x,
	 int y);
int BARE_f(int x,
	 int y);
struct BARE_o;
END
want=$(grep -n BARE "$proof" | cut -d: -f1 | tr '\n' ' ')
got=$(check "$proof" | cut -d: -f2 | tr '\n' ' ') || true
if [ "$want" != "$got" ]; then
	echo "the check itself is broken: lines $got were found, not $want"
	exit 1
fi

check "$1"
