# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Where the kernels come from: kernel_image prints a path, kernel_modules the list of a package's
# module files in the order in which they load. Both say what is wrong on standard error.

# Built by tests/vm/build-kernel; $KMEMPROF_VM_IMAGES or a folder vm/ beside the checkout may have it.
find_built() { # VERSION
	local file

	for file in ${KMEMPROF_VM_IMAGES:+"$KMEMPROF_VM_IMAGES"/bzImage-"$1"*} \
		build-vm/bzImage-"$1"* ../vm/bzImage-"$1"* ../*/vm/bzImage-"$1"*; do
		[ ! -f "$file" ] || { echo "$file"; return; }
	done
	echo "no bzImage-$1* in \$KMEMPROF_VM_IMAGES, build-vm/ or a folder vm/ beside the" \
		"checkout; tests/vm/build-kernel makes one (20 minutes)" >&2
	return 1
}

# Debian 12's kernel for machines in the cloud, without page_owner and allocation profiling.
fetch_cloud() {
	local into=build-vm/debian-6.1 package

	if [ ! -f "$into/complete" ]; then
		rm -rf "$into"
		mkdir -p "$into"
		package=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null |
			awk '$1 == "Depends:" && $2 ~ /^linux-image-6\.1\./ { print $2; exit }')
		if [ -z "$package" ]; then
			echo "linux-image-cloud-amd64 6.1 is not in the package lists of this system" \
				"(apt-get update?)" >&2
			return 1
		fi
		(cd "$into" && apt-get download -qq "$package") >&2 || return 1
		dpkg-deb -x "$into"/*.deb "$into" || return 1
		rm "$into"/*.deb
		busybox depmod -b "$into" "$(ls "$into/lib/modules")" || return 1
		: >"$into/complete"
	fi
	echo "$into"/boot/vmlinuz-*
}

kernel_image() { # VERSION
	case $1 in
	6.1) fetch_cloud ;;
	*) find_built "$1" ;;
	esac
}

# What is built here has all it needs; Debian's for the cloud has no 9p at all, and FUSE as a module.
kernel_modules() { # VERSION
	[ "$1" = 6.1 ] || return 0
	(
		cd build-vm/debian-6.1/lib/modules/*/ || exit
		# Behind a module those that it depends on, what to load first last.
		grep -E '/(fuse|overlay)\.ko:' modules.dep | tr -d : | tr ' ' '\n' | tac | sed "/./s#^#$PWD/#"
	)
}
