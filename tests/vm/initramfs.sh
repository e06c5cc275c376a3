# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What the guest has: busybox, what is tested with its shared libraries, the guest's scripts and
# programs. Two archives one after the other, which the kernel unpacks alike.

# Programs of the system that the guest's scripts use beside busybox.
guest_tools="jq sqlite3 zstd"

pack() { # DIRECTORY
	(cd "$1" && find . -mindepth 1 | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0)
}

# A program, at the same place or at that one, with its libraries at theirs.
put_program() { # TREE FILE [PLACE]
	local library

	install -D "$2" "$1${3:-$2}"
	# A static one has none.
	{ ldd "$2" 2>/dev/null || true; } | { grep -oE '/[^ ]+' || true; } | while read -r library; do
		[ -e "$1$library" ] || install -D "$library" "$1$library"
	done
}

# The programs of the kernel's own tree; nothing of theirs is kept here, so that they may be missing.
put_peers() { # TREE
	local sources name

	if ! sources=$(tests/mount/kernel-sources.sh 2>build-vm/why); then
		mkdir -p "$1/row"
		cp build-vm/why "$1/row/why-no-peers"
		return
	fi
	mkdir -p build-vm/include/linux
	cp "$sources/include/uapi/linux/alloc_tag.h" build-vm/include/linux
	for name in peer_filter=mm/page_owner_filter.c \
		peer_ioctl=testing/selftests/alloc_tag/allocinfo_ioctl_test.c; do
		gcc -O2 -static -w -I build-vm/include -o "$1/bin/${name%=*}" \
			"$sources/tools/${name#*=}"
	done
}

# For all machines.
make_base() { # OUTPUT
	local tree=build-vm/base name tool

	rm -rf "$tree"
	mkdir -p "$tree"/{bin,sbin,usr/bin,dev,proc,sys,tmp,host,test,data,etc}
	install "$(command -v busybox)" "$tree/bin/busybox"
	install tests/vm/guest/init "$tree/init"
	install -m 644 tests/vm/guest/*.sh "$tree/test"
	for name in tests/vm/guest/*.c; do
		gcc -std=gnu17 -D_GNU_SOURCE -O2 -static -Wall -Wextra -Werror -pthread -o \
			"$tree/bin/$(basename "$name" .c)" "$name"
	done
	gcc -O2 -static -o "$tree/bin/fault" bench/fault.c
	put_peers "$tree"
	put_program "$tree" build/kmemprof /usr/bin/kmemprof
	ln -s kmemprof "$tree/usr/bin/page_owner_filter"
	ln -s kmemprof "$tree/usr/bin/page_owner_sort"
	put_program "$tree" build/tests/mount/conformance /bin/conformance
	for tool in $guest_tools; do
		put_program "$tree" "$(command -v "$tool")"
	done
	put_program "$tree" "$(command -v fusermount3)" /bin/fusermount3
	for tool in cat grep; do # beside busybox's
		put_program "$tree" "$(command -v $tool)" /gnu/$tool
	done
	cp tests/data/captures/linux-7.3/{page_owner.stack_handle,allocinfo,show_handles}.xz "$tree/data"
	pack "$tree" >"$1"
}

# For one machine.
make_row() { # OUTPUT TESTS SECONDS MODULE…
	local tree=build-vm/row module

	rm -rf "$tree"
	mkdir -p "$tree/row/modules"
	echo "$2" | tr ',' '\n' >"$tree/row/tests"
	echo "$3" >"$tree/row/seconds"
	: >"$tree/row/order"
	for module in "${@:4}"; do
		cp "$module" "$tree/row/modules"
		basename "$module" >>"$tree/row/order"
	done
	pack "$tree" >"$1"
}
