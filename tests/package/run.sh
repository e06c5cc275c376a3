#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Installs the Debian packages in a fresh Debian 12, uses them there, and removes them again: then
# every file is as it was. Prints TAP. As root; the fresh system comes by debootstrap from
# $KMEMPROF_MIRROR, and is kept in $KMEMPROF_CACHE, else ~/.cache/kmemprof.
#
#     tests/package/run.sh DIRECTORY-OF-PACKAGES
set -u
here=$(cd "$(dirname "$0")" && pwd)
packages=$(realpath "$1")
mirror=${KMEMPROF_MIRROR:-http://deb.debian.org/debian}
cache=${KMEMPROF_CACHE:-$HOME/.cache/kmemprof}
fresh=$cache/debian-12-$(dpkg --print-architecture).tar
capture=$here/../data/captures/linux-7.3/page_owner.stack_handle.xz

skip() {
	echo "1..0 # SKIP $1"
	exit 0
}

[ "$(id -u)" = 0 ] || skip "installing takes root"
ls "$packages"/kmemprof_*.deb >/dev/null || exit 1
if [ -z "${KMEMPROF_PACKAGE_NAMESPACE:-}" ]; then
	# Mounts of its own, which end with it.
	KMEMPROF_PACKAGE_NAMESPACE=1 exec unshare --mount --pid --fork --kill-child "$0" "$@"
fi

work=$(mktemp -d)
trap 'umount "$work/root/proc" 2>/dev/null; rm -rf --one-file-system "$work"' EXIT
root=$work/root
mkdir -p "$cache" "$root"
if [ ! -e "$fresh" ]; then
	if ! debootstrap --variant=minbase --include=bash-completion,man-db bookworm \
		"$work/new" "$mirror" >"$work/log" 2>&1; then
		tail -n 5 "$work/log" | sed 's/^/# /'
		skip "no Debian 12 from $mirror"
	fi
	tar -C "$work/new" -cf "$fresh.part" . && mv "$fresh.part" "$fresh"
	rm -rf "$work/new"
fi
tar -C "$root" -xf "$fresh"
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/resolv.conf"

count=0
failed=0
check() { # NAME COMMAND…
	local name=$1

	shift
	count=$((count + 1))
	if "$@" >"$work/out" 2>&1; then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		tail -n 20 "$work/out" | sed 's/^/# /'
		failed=$((failed + 1))
	fi
}

inside() { # SCRIPT
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 TERM=dumb \
		DEBIAN_FRONTEND=noninteractive chroot "$root" bash -euc "$1" </dev/null
}

# All files with their kind, mode, owner, target and content; but for what only lists or logs.
state() {
	(cd "$root" && find . \( -path ./proc -o -path ./var/cache -o -path ./var/log \
		-o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./root/packages \
		-o -path ./etc/ld.so.cache \) -prune -o \( -type f -printf '%p %m %u:%g ' \
		-exec sha256sum {} \; \) -o -printf '%p %y %m %u:%g %l\n' | sort)
}

mkdir "$root/root/packages"
cp "$packages"/*.deb "$capture" "$root/root/packages"
rm -f "$root"/root/packages/*-dbgsym_*.deb
check "the package lists" inside 'apt-get update'
[ "$failed" = 0 ] || { echo "1..$count"; exit 1; }
state >"$work/before"

check "installs" inside 'apt-get install --yes --no-install-recommends /root/packages/*.deb'
check "nothing is wrong with it" inside 'dpkg --audit && dpkg --verify kmemprof libkmemprof0 libkmemprof-dev'
check "runs" inside 'kmemprof version | grep -x "kmemprof [0-9.]*"'
check "reports a capture" inside 'kmemprof report --by node --limit 2 /root/packages/*.xz |
	grep -q "53962 records"'
check "pushes, as far as there is a server" inside 'kmemprof push --setup --to clickhouse://127.0.0.1:1/x 2>&1 |
	grep -q "Failed to connect"'
check "captures, and reads it again" inside 'cd /tmp
	kmemprof capture --source /root/packages/*.xz --output a.kmp
	kmemprof report --by comm --format json a.kmp | grep -q "\"groups\""
	rm a.kmp'
check "has the kernel tools' names out of the way" inside '! command -v page_owner_sort
	/usr/lib/kmemprof/page_owner_sort --help | grep -q "^usage: page_owner_sort"'
check "has manual pages" inside 'man kmemprof | grep -q "who owns the memory"
	man kmemprof-report | grep -q -e --where
	man 5 kmemprof-ledger | grep -q SQLite
	man -k "ledger files" | grep -q kmemprof-ledger'
check "completes in bash" inside '. /usr/share/bash-completion/bash_completion
	set +u
	_completion_loader kmemprof || [ $? = 124 ]
	COMP_WORDS=(kmemprof report --form) COMP_CWORD=2
	_kmemprof
	[ "${COMPREPLY[*]}" = --format ]'
check "has the library" inside 'ldconfig -p | grep -q libkmemprof.so.0
	test -e /usr/include/kmemprof/kmemprof.h'
check "has a service that is not enabled" inside 'test -e /lib/systemd/system/kmemprof-monitor.service
	[ -z "$(find /etc/systemd -name kmemprof-monitor.service)" ]'
# As an administrator would enable it, and as it would keep its history.
check "the service can be enabled" inside 'DPKG_MAINTSCRIPT_PACKAGE=kmemprof deb-systemd-helper enable kmemprof-monitor.service
	[ -n "$(find /etc/systemd -name kmemprof-monitor.service)" ]
	mkdir /var/lib/kmemprof
	kmemprof monitor --source /root/packages/*.xz --count 1 -o /var/lib/kmemprof/history.kmp'

check "is removed" inside 'apt-get purge --yes kmemprof libkmemprof0 libkmemprof-dev
	apt-get autoremove --purge --yes'
state >"$work/after"
check "leaves nothing behind" diff "$work/before" "$work/after"
echo "1..$count"
[ "$failed" = 0 ]
