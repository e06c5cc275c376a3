# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# `./do lint`: formatting, clang-tidy by .clang-tidy, shellcheck.

lint_format() {
	git ls-files '*.c' '*.h' | xargs clang-format-14 --dry-run --Werror
}

lint_shell() {
	{
		git ls-files '*.sh' '*/cmd'
		printf '%s\n' 'do' .ci/run tests/vm/build-kernel
	} | while read -r file; do
		case $file in
		# They are run by sh -eu: a cd that fails ends them.
		*/cmd) shellcheck --shell=sh --severity=warning --exclude=SC2164 "$file" ;;
		# Variables that a sourced file sets (SC2154) are not followed.
		*) shellcheck --exclude=SC2154 --external-sources --severity=warning "$file" ;;
		esac || exit 1
	done
}

# The unit tests are left out: the analyzer does not know what cmocka's assertions assure.
lint_tidy() {
	local tidy="clang-tidy-14 -p build --quiet --warnings-as-errors=*" status=0

	# error.c defines what analyzer.h wraps.
	$tidy src/base/error.c 2>/dev/null || status=1
	# With what src/source/bpf/meson.build compiles them with: they use clang's builtins for BPF.
	git ls-files '*.bpf.c' | xargs -I '{}' $tidy '{}' -- -g -O2 -target bpf -mcpu=v3 -I src \
		-I "/usr/include/$(gcc -print-multiarch)" 2>/dev/null || status=1
	git ls-files 'src/*.c' 'tests/fuzz/*.c' 'bench/*.c' |
		grep -vE '^src/base/error\.c$|\.bpf\.c$' |
		xargs -P "$(nproc)" -n 4 $tidy --extra-arg=-include"$PWD/tools/analyzer.h" 2>/dev/null ||
		status=1
	return "$status"
}

lint_all() {
	need build test lint
	[ -f build/build.ninja ] || build build -Dwerror=true
	lint_format
	lint_shell
	lint_tidy
	echo "lint: clean"
}
