# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # the lists are used by name
# What each part of the work needs, as Debian 12 packages; how it gets there; how to build.

packages_build="gcc libc6-dev meson ninja-build pkg-config scdoc libzstd-dev liblzma-dev zlib1g-dev
	libxxhash-dev libsqlite3-dev libfuse3-dev fuse3 libcmocka-dev
	libbpf-dev libdw-dev libbz2-dev libelf-dev libncurses-dev clang-14 bpftool libprotobuf-c-dev protobuf-c-compiler
	libcurl4-openssl-dev libmicrohttpd-dev"
packages_test="bash-completion curl jq man-db procps sqlite3 tmux xz-utils zsh zstd"
packages_fuzz="clang-14 libclang-rt-14-dev"
packages_lint="clang-format-14 clang-tidy-14 shellcheck"
packages_gate="chromium clickhouse-server prometheus"
packages_vm="qemu-system-x86 busybox-static cpio"
packages_kernel="build-essential flex bison bc libelf-dev libssl-dev dwarves xz-utils"
packages_deb="debhelper dpkg-dev lintian"
packages_debtest="debootstrap"
packages_bench="bpftrace clickhouse-server curl gcc jq tmux xz-utils"
packages_stress="stress-ng"

# Install the packages of these parts that are missing, or say which they are and give up.
need() { # PART…
	local part package list missing=()

	for part; do
		list=packages_$part
		for package in ${!list}; do
			dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
				missing+=("$package")
		done
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	local sudo=()
	if [ "$(id -u)" != 0 ]; then
		if ! command -v sudo >/dev/null || ! sudo -v; then
			echo "These packages are missing. Install them as root, then run this again:" >&2
			echo "    apt-get install --no-install-recommends ${missing[*]}" >&2
			exit 1
		fi
		sudo=(sudo)
	fi
	echo "installing ${#missing[@]} packages: ${missing[*]}"
	local log
	log=$(mktemp)
	if ! { "${sudo[@]}" apt-get update -qq &&
		"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes \
			--no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
		tail -n 20 "$log" >&2
		rm -f "$log"
		echo "apt-get could not install: ${missing[*]}" >&2
		exit 1
	fi
	rm -f "$log"
}

# Configure a build directory once, and build.
build() { # DIRECTORY [MESON-OPTION…]
	[ -f "$1/build.ninja" ] || meson setup "$@" >"$1.log" 2>&1 || { cat "$1.log" >&2; return 1; }
	rm -f "$1.log"
	ninja -C "$1" --quiet >"$1/build.log" 2>&1 || { tail -n 100 "$1/build.log" >&2; return 1; }
}
