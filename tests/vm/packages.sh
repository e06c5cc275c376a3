# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Debian packages that the tests read and do not install.

# The mirror that this system uses, for Debian itself.
debian_mirror() {
	{
		cat /etc/apt/sources.list 2>/dev/null
		cat /etc/apt/sources.list.d/*.list 2>/dev/null
		sed -n 's/^URIs:/deb/p' /etc/apt/sources.list.d/*.sources 2>/dev/null
	} | grep '^deb ' | grep -oE 'https?://[^ ]*/debian/?( |$)' | head -n 1
}

# A package of any suite, unpacked into a directory, without touching the system's own lists. (apt
# removes from its folder of lists whatever it does not know.)
fetch_package() { # SUITE PACKAGE DIRECTORY
	local lists=build-vm/lists options trust=/usr/share/keyrings/debian-archive-keyring.gpg mirror

	mirror=$(debian_mirror)
	rm -rf "$lists" "$3"
	mkdir -p "$lists/partial" "$3"
	# A release older than the suite may not have its key.
	trust=$([ -f "$trust" ] && echo "signed-by=$trust" || echo trusted=yes)
	options=(-o Dir::Etc::sourcelist="$PWD/$lists.list" -o Dir::Etc::sourceparts=-
		-o Dir::State::lists="$PWD/$lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
		-o Acquire::Languages=none)
	echo "deb [$trust] ${mirror:-http://deb.debian.org/debian} $1 main" >"$lists.list"
	apt-get update -qq "${options[@]}" && (cd "$3" && apt-get download -qq "${options[@]}" "$2") ||
		return 1
	dpkg-deb -x "$3"/*.deb "$3" && rm "$3"/*.deb
}
