#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Everything one does with kmemprof, on a fresh Debian 12: each verb installs what it needs first.
# `./do` alone lists the verbs. They stand in tools/, a file each where they are longer than a line.
set -eu
cd "$(dirname "$0")"
. tools/functions.sh

usage() {
	cat <<-END
	./do build              build/kmemprof
	./do test               all tests; KMEMPROF_NO_SKIP=1 makes every skip a failure,
	                        CI=true adds clang, sanitizers, fuzzing and lint
	./do demo               the main job on a bundled capture of Linux 7.3
	./do bench              speed and size against a peer, one table (20 minutes, 6 GB of disk)
	./do bench vm           against the kernel's text, in a virtual machine of 5 GB
	./do bench record       of it what recording costs (2 minutes, as root)
	./do bench fleet        of it push, and fleet over 1000 hosts (2 minutes)
	./do stress [SECONDS]   record while stress-ng is at work (600), as root: memory stays flat
	./do vmtest [NAME…]     boot the virtual machines of tests/vm: the short ring, all, or these rows
	./do fuzz [SECONDS] [NAME…]   fuzz each target of tests/fuzz for so long (default 60)
	./do lint               clang-format, clang-tidy, shellcheck
	./do fmt                format the C files
	./do install            build and install (as root; PREFIX, DESTDIR)
	./do deb                make Debian packages: dist/*.deb
	./do debtest            install, use and remove them in a fresh Debian 12 (root, a mirror)
	./do clean              remove what was built
	END
}

verb=${1:-}
[ $# = 0 ] || shift
case $verb in
build)
	need build
	build build -Dwerror=true
	;;
test)
	. tools/test.sh
	;;
demo)
	. tools/demo.sh
	;;
bench)
	need build bench
	if [ "${1:-}" = vm ]; then
		need test vm
		build build -Dwerror=true
		exec bench/vm.sh "${@:2}"
	fi
	build build -Dwerror=true
	case ${1:-} in record | fleet) exec bench/"$1".sh "${@:2}" ;; esac
	exec bench/run.sh "$@"
	;;
stress)
	need build stress
	build build -Dwerror=true
	exec tests/record/stress.sh build/kmemprof "$@"
	;;
vmtest)
	need build test vm
	build build -Dwerror=true
	exec tests/vm/run.sh "$@"
	;;
fuzz)
	. tools/fuzz.sh
	fuzz_all "${1:-60}" "${@:2}"
	;;
lint)
	. tools/lint.sh
	lint_all
	;;
fmt)
	need lint
	git ls-files '*.c' '*.h' | xargs clang-format-14 -i
	;;
install)
	need build
	build build-install --prefix "${PREFIX:-/usr/local}"
	meson install -C build-install --no-rebuild
	;;
deb)
	. tools/deb.sh
	;;
debtest)
	. tools/deb.sh
	need debtest
	exec tests/package/run.sh dist
	;;
clean)
	rm -rf build build-asan build-deb build-fuzz build-install build-vm demo dist
	;;
*)
	usage
	[ -z "$verb" ] || exit 2
	;;
esac
