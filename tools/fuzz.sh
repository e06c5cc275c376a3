# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# `./do fuzz`: the targets of tests/fuzz under libFuzzer with ASan and UBSan. What is found new is
# kept in build-fuzz/corpus/; a crash is kept in build-fuzz/crash-NAME-*.

fuzz_names() {
	sed -n "s/^  '\([a-z-]*\)': \[.*\],$/\1/p" tests/fuzz/meson.build | sort -u
}

fuzz_build() {
	CC=clang-14 build build-fuzz -Dwerror=true -Dfuzz=true -Db_lundef=false \
		-Dbuildtype=debugoptimized
}

# Directories of tests/data that tests/fuzz/meson.build names for this target.
fuzz_seeds() { # NAME
	sed -n "/^fuzz_targets/,/^}/s/^  '$1': \[\(.*\)\],$/\1/p" tests/fuzz/meson.build |
		tr -d "'," | xargs -n 1 printf 'tests/data/%s\n' | grep -v '/$' || true
}

fuzz_one() { # SECONDS NAME
	local found=build-fuzz/corpus/$2 log=build-fuzz/fuzz-$2.log seeds

	mkdir -p "$found"
	seeds=$(fuzz_seeds "$2")
	# shellcheck disable=SC2086 # seeds are words
	if ! build-fuzz/tests/fuzz/fuzz-"$2" -max_total_time="$1" -timeout=20 -rss_limit_mb=3000 \
		-artifact_prefix="build-fuzz/crash-$2-" -print_final_stats=0 \
		"$found" "tests/fuzz/corpus/$2" $seeds >"$log" 2>&1; then
		grep -vE '^#[0-9]+' "$log" | tail -n 60
		return 1
	fi
	grep '^Done' "$log"
}

# All of them, as many at once as there are CPUs; fuzz_ended() tells of each.
fuzz_together() { # SECONDS
	local name

	for name in $(fuzz_names); do
		while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
			wait -n || true
		done
		{
			fuzz_one "$1" "$name" >"build-fuzz/$name.out" 2>&1 && echo 0 || echo 1
		} >"build-fuzz/$name.status" &
	done
	wait
}

fuzz_ended() { # NAME
	cat "build-fuzz/$1.out"
	return "$(cat "build-fuzz/$1.status")"
}

fuzz_all() { # SECONDS [NAME…]
	local seconds=$1 name status=0

	shift
	# shellcheck disable=SC2046 # words
	[ $# -gt 0 ] || set -- $(fuzz_names)
	need build test fuzz
	fuzz_build
	for name; do
		echo "fuzz-$name for $seconds s"
		fuzz_one "$seconds" "$name" || status=1
	done
	return "$status"
}
