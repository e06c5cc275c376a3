# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# `./do test`: counts each command test, cmocka case, replayed input and check, in every build,
# and ends with one line that says how many passed, failed and were skipped.

passed=0
failed=0
skipped=0

# Add up a meson run. A TAP program counts as the tests it printed, and as one that failed more if
# it ended badly without saying so; any other counts as one.
count_build() { # DIRECTORY
	local counts lines

	lines=$(jq -r '
		def tap: (.stdout // "") | split("\n") | map(select(test("^(not )?ok\\b|^1\\.\\.0")));
		def bad: .result | test("FAIL|ERROR|TIMEOUT|INTERRUPT|UNEXPECTEDPASS");
		. as $t | (.name | sub("^[^/]*/ "; "")) as $name | tap as $l |
		if ($l | length) > 0 then
			($l[] | if test("# SKIP|^1\\.\\.0"; "i") then "skipped \($name): \(.)"
				elif test("^not ") then "failed \($name): \(.)" else "passed" end),
			(if bad and ($l | any(test("^not ")) | not)
				then "failed \($name): \($t.result)" else empty end)
		elif bad then "failed \($name): \(.result)"
		elif .result == "SKIP"
			then "skipped \($name): \((.stdout // "") | rtrimstr("\n") | split("\n") | last)"
		else "passed" end' "$1/meson-logs/testlog.json")
	counts=$(echo "$lines" | cut -d' ' -f1 | sort | uniq -c)
	echo "$lines" | grep -v '^passed' || true
	add "$(echo "$counts" | awk '$2 == "passed" { print $1 }')" \
		"$(echo "$counts" | awk '$2 == "failed" { print $1 }')" \
		"$(echo "$counts" | awk '$2 == "skipped" { print $1 }')"
}

add() { # PASSED FAILED SKIPPED
	passed=$((passed + ${1:-0}))
	failed=$((failed + ${2:-0}))
	skipped=$((skipped + ${3:-0}))
}

run_build() { # DIRECTORY [MESON-OPTION…]
	rm -f "$1/meson-logs/testlog.json"
	meson test -C "$1" --no-rebuild --print-errorlogs "${@:2}" || true
	count_build "$1"
}

# One more test: a command that passes or not. Its status is left in step_status.
step() { # NAME COMMAND…
	local start=$SECONDS name=$1

	shift
	echo "== $name"
	# In a subshell of its own, so that -e holds inside: as a condition it would not.
	set +e
	(set -e; "$@")
	step_status=$?
	set -e
	if [ "$step_status" = 0 ]; then add 1 0 0; else add 0 1 0; echo "FAILED: $name"; fi
	echo "== $name: $((SECONDS - start)) s"
}

# The virtual machines: TAP of their own. What passed is not worth a line here.
run_ring() {
	local start=$SECONDS status=0 tap=build-vm/tap

	echo "== virtual machines"
	mkdir -p build-vm
	tests/vm/run.sh >"$tap" 2>&1 || status=1
	grep -vE '^ok ' "$tap" || true
	grep -E '^ok .*# SKIP' "$tap" || true
	add "$(grep '^ok ' "$tap" | grep -vc '# SKIP')" "$(grep -c '^not ok ' "$tap")" \
		"$(grep -c '^ok .*# SKIP' "$tap")"
	if [ "$status" != 0 ] && ! grep -q '^not ok ' "$tap"; then
		add 0 1 0
		echo "FAILED: virtual machines"
	fi
	echo "== virtual machines: $((SECONDS - start)) s"
}

build_sanitized() {
	CC=clang-14 build build-asan -Dwerror=true -Db_sanitize=address,undefined -Db_lundef=false \
		-Dbuildtype=debugoptimized
}

build_threads() {
	build build-tsan -Dwerror=true -Db_sanitize=thread -Dbuildtype=debugoptimized
}

# The mount under ThreadSanitizer, while 64 readers are at it.
serve_threads() {
	tests/mount/torture.sh build-tsan/kmemprof build/tests/mount/readers readers
}

# The reader and the sender of samples, while servers come and go.
push_threads() {
	tests/fleet/push.sh build-tsan/kmemprof
}

# The recorder's user side, what it serves while it records too, in a build of its own.
record_in() { # DIRECTORY
	local script said status=0

	for script in run live; do
		said=$(tests/record/$script.sh "$1/kmemprof" build/tests/record/hold \
			build/tests/record/objects 2>&1) || status=1
		echo "$said"
		if grep -q '^not ok' <<<"$said"; then status=1; fi
	done
	return "$status"
}

# What takes longer, for the gate.
run_gate() {
	step "clang, ASan and UBSan: build" build_sanitized
	if [ "$step_status" = 0 ]; then
		run_build build-asan --timeout-multiplier 5 --suite unit --suite cli --suite fuzz \
			--suite mount
		step "ASan: recording" record_in build-asan
	fi
	step "ThreadSanitizer: build" build_threads
	step "ThreadSanitizer: 64 readers of a mount" serve_threads
	step "ThreadSanitizer: push" push_threads
	step "ThreadSanitizer: recording" record_in build-tsan
	. tools/fuzz.sh
	step "fuzzers: build" fuzz_build
	if [ "$step_status" = 0 ]; then
		fuzz_together 10
		for name in $(fuzz_names); do
			step "fuzz-$name, 10 s" fuzz_ended "$name"
		done
	fi
	run_ring
	. tools/lint.sh
	step "format" lint_format
	step "shell scripts" lint_shell
	step "clang-tidy" lint_tidy
}

need build test
[ "${CI:-}" != true ] || need fuzz lint gate vm
build build -Dwerror=true
run_build build
[ "${CI:-}" != true ] || run_gate

if [ "${KMEMPROF_NO_SKIP:-}" = 1 ] && [ "$skipped" -gt 0 ]; then
	echo "KMEMPROF_NO_SKIP=1: $skipped skipped tests count as failed"
	failed=$((failed + skipped))
	skipped=0
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
