#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Boots the virtual machines of tests/vm/rows and runs their tests (docs/testing.md). TAP on
# standard output.
#
#     tests/vm/run.sh [all | ROW | ROW/TEST[,TEST…]]…
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/vm/kernels.sh
. tests/vm/initramfs.sh
. tests/vm/verdict.sh

status=0
seen=""

# Nothing is told apart by what the emulator was told, only by the kernel and its boot line: two
# nodes, two CPUs, the first serial port for the kernel's log and the second for the results.
boot() { # DIRECTORY IMAGE MEMORY SECONDS BOOT-LINE
	local dir=$1 half=$(($3 / 2))

	timeout -k 5 "$4" qemu-system-x86_64 -M q35 -accel tcg,thread=multi -cpu max -smp 2,sockets=2 \
		-m "$3" -no-reboot -nodefaults -display none \
		-object "memory-backend-ram,id=m0,size=${half}M" \
		-object "memory-backend-ram,id=m1,size=${half}M" \
		-numa node,nodeid=0,memdev=m0,cpus=0 -numa node,nodeid=1,memdev=m1,cpus=1 \
		-serial "file:$dir/console" -serial "file:$dir/results" \
		-virtfs "local,path=$dir/host,mount_tag=host,security_model=none" \
		-kernel "$2" -initrd "$dir/initramfs" \
		-append "console=ttyS0 loglevel=5 panic=-1 oops=panic $5" \
		>"$dir/qemu.log" 2>&1 </dev/null && echo 0 >"$dir/status" || echo $? >"$dir/status"
}

run_row() { # NAME KERNEL MEMORY SECONDS TESTS BOOT-LINE
	local name=$1 dir=$PWD/build-vm/run/$1 image modules start=$SECONDS

	if ! image=$(kernel_image "$2" 2>build-vm/why); then
		echo "ok - $name # SKIP no kernel $2: $(tr '\n' ' ' <build-vm/why)"
		return 0
	fi
	modules=$(kernel_modules "$2")
	rm -rf "$dir"
	mkdir -p "$dir/host"
	touch "$dir/console" "$dir/results"
	# shellcheck disable=SC2086 # no path of ours has a blank in it
	make_row "$dir/row.cpio" "$5" "$4" $modules
	# Not compressed: the kernel would take longer over that.
	cat build-vm/base.cpio "$dir/row.cpio" >"$dir/initramfs"
	rm "$dir/row.cpio"
	echo "# $name: $image, ${6/#-/no words of ours on the boot line}"
	boot "$dir" "$image" "$3" "$4" "${6/#-/}"
	[ "$(cat "$dir/status")" = 0 ] || sed 's/^/# qemu: /' "$dir/qemu.log"
	verdict "$name" "$dir" || status=1
	echo "# $name: $((SECONDS - start)) s; all it left is in build-vm/run/$name"
}

# Is this row asked for? Then with these of its tests.
wanted() { # NAME RING TESTS WORD…
	local word name=$1 ring=$2 tests=$3

	[ $# -gt 3 ] || { [ "$ring" != short ] || echo "$tests"; return; }
	for word in "${@:4}"; do
		case $word in
		"$name") echo "$tests" ;;
		all) [ "$ring" = bench ] || echo "$tests" ;;
		"$name"/*) echo "${word#*/}" ;;
		*) continue ;;
		esac
		return
	done
}

for word; do
	[ "$word" = all ] || grep -qE "^${word%%/*}[[:space:]]" tests/vm/rows || {
		echo "no row '${word%%/*}' in tests/vm/rows" >&2
		exit 2
	}
done
mkdir -p build-vm/run
make_base build-vm/base.cpio
while read -r name ring kernel memory seconds tests line <&3; do
	[ -n "$name" ] && [ "${name#\#}" = "$name" ] || continue
	tests=$(wanted "$name" "$ring" "$tests" "$@")
	[ -n "$tests" ] || continue
	seen=$name
	run_row "$name" "$kernel" "$memory" "$seconds" "$tests" "$line"
done 3<tests/vm/rows
[ -n "$seen" ] || { echo "not ok - no machine was asked for"; status=1; }
exit "$status"
