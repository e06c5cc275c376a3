#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Prints a directory with the programs of Linux 7.3's own tree that read page_owner and allocinfo,
# picked out of Debian's package linux-source-7.3 (167 MB, downloaded once and not kept). They are
# kept in $KMEMPROF_CACHE, else ~/.cache/kmemprof. Says on stderr why it cannot have them.
set -eu

package=linux-source-7.3
suite=trixie-backports
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
files='tools/mm/page_owner_filter.c tools/mm/page_owner_sort.c
	tools/testing/selftests/alloc_tag/allocinfo_ioctl_test.c
	tools/testing/selftests/kselftest.h include/uapi/linux/alloc_tag.h'
cache=${KMEMPROF_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/kmemprof}
sources=$cache/$package

give_up() { # REASON
	echo "$package: $1" >&2
	exit 1
}

complete() {
	local file

	for file in $files; do
		[ -s "$sources/$file" ] || return 1
	done
}

# The system's own lists stay as they are: this one knows the other suite alone.
fetch() { # DIRECTORY
	local mirror options

	command -v apt-get >/dev/null || give_up "no apt-get to fetch it with"
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
		grep -m 1 '/debian/\?$') || give_up "this system knows no Debian mirror"
	mkdir -p "$1/lists/partial"
	echo "deb [signed-by=$keyring] $mirror $suite main" >"$1/list"
	options="-qq -o Dir::Etc::sourcelist=$1/list -o Dir::Etc::sourceparts=-
		-o Dir::State::lists=$1/lists -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
		-o APT::Sandbox::User=root -o Acquire::Retries=2"
	# shellcheck disable=SC2086 # options are words
	(cd "$1" && apt-get update $options && apt-get download $options $package) >"$1/log" 2>&1 ||
		give_up "cannot be had from $mirror $suite: $(tail -n 1 "$1/log")"
}

unpack() { # DIRECTORY
	local members=

	for file in $files; do
		members="$members $package/$file"
	done
	mkdir "$1/package" "$1/sources"
	dpkg-deb -x "$1"/$package*.deb "$1/package"
	# shellcheck disable=SC2086 # members are words
	tar -xJf "$1/package/usr/src/$package.tar.xz" -C "$1/sources" --strip-components=1 $members
}

mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
if ! complete; then
	scratch=$(mktemp -d "$cache/fetch-XXXXXX")
	trap 'rm -rf "$scratch"' EXIT
	fetch "$scratch"
	unpack "$scratch" || give_up "cannot be unpacked"
	rm -rf "$sources"
	mv "$scratch/sources" "$sources"
	complete || give_up "lacks some of what is needed"
fi
echo "$sources"
