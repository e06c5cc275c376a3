#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Programs of the kernel's own tree, built as they are, read a mount that is bound over the kernel's
# files. Prints TAP.
#
#     kernel-tools.sh KMEMPROF
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

sources=$("$here/kernel-sources.sh" 2>"$scratch/why") ||
	skip_all "$(tail -n 1 "$scratch/why"): the kernel's own programs were not tried"

build() { # NAME SOURCE
	${CC:-cc} -O2 -w -I "$scratch/include" -o "$scratch/$1" "$sources/$2"
}

# The interface's header alone, not the tree's others, which are not for programs.
mkdir -p "$scratch/include/linux"
cp "$sources/include/uapi/linux/alloc_tag.h" "$scratch/include/linux"
build page_owner_filter tools/mm/page_owner_filter.c &&
	build page_owner_sort tools/mm/page_owner_sort.c &&
	build allocinfo_ioctl_test tools/testing/selftests/alloc_tag/allocinfo_ioctl_test.c
ok "the kernel's programs build"

# Run a command where the served files are the kernel's. Sanitizers must find /proc/self.
as_kernel() { # COMMAND…
	# shellcheck disable=SC2016 # for the inner shell
	mnt=$mnt proc=$scratch/proc unshare --mount sh -eu -c '
		mount -t tmpfs tmpfs /sys/kernel
		mkdir /sys/kernel/debug /sys/kernel/debug/page_owner_stacks
		touch /sys/kernel/debug/page_owner
		mount --bind "$mnt/page_owner" /sys/kernel/debug/page_owner
		mount --bind "$mnt/page_owner_stacks" /sys/kernel/debug/page_owner_stacks
		mkdir -p "$proc"
		mount --rbind /proc "$proc"
		mount -t tmpfs tmpfs /proc
		ln -s "$proc/self" /proc/self
		echo "Linux version 7.3.4" >/proc/version
		touch /proc/allocinfo
		mount --bind "$mnt/allocinfo" /proc/allocinfo
		exec "$@"' sh "$@"
}

# What the kernel printed, without what a mode or a node leaves out; a text of awk, which reads it
# by records. The captures of the other modes were taken later and differ.
expect() { # MODE NODE
	awk -v mode="$1" -v node="$2" 'BEGIN { RS = ""; ORS = "\n\n"; FS = OFS = "\n" }
		node == "" || $0 ~ "node=" node "[|)]" {
			text = ""
			for (i = 1; i <= NF; i++)
				if (!(mode == "handle" && $i ~ /^ / && i > 2) &&
				    !(mode == "stack" && $i ~ /^handle: /))
					text = text (text == "" ? "" : "\n") $i
			print text
		}' "$scratch/capture/page_owner"
}

unpack_capture
serve "$scratch/capture"
ok "the mount"
expect stack_handle '' | cmp -s - "$scratch/capture/page_owner"
ok "expectations are made of whole records"
mkdir "$scratch/link"
ln -s "$kmemprof" "$scratch/link/page_owner_filter"
ln -s "$kmemprof" "$scratch/link/page_owner_sort"

for mode in stack handle stack_handle; do
	for node in '' 0 1 0-1; do
		case $node in
		'') words=(-m "$mode") ;;
		*) words=(-m "$mode" -n "$node") ;;
		esac
		expect "$mode" "$(echo "$node" | sed 's/0-1//')" >"$scratch/want"
		as_kernel "$scratch/page_owner_filter" "${words[@]}" -o "$scratch/theirs" >/dev/null &&
			cmp "$scratch/want" "$scratch/theirs"
		ok "the kernel's page_owner_filter ${words[*]}"
		as_kernel "$scratch/link/page_owner_filter" "${words[@]}" >"$scratch/got" &&
			cmp "$scratch/want" "$scratch/got"
		ok "ours ${words[*]}, of the running kernel"
		[ "$node" = 0-1 ] || {
			"$kmemprof" filter "${words[@]}" "$mnt" >"$scratch/got" &&
				cmp "$scratch/want" "$scratch/got"
			ok "kmemprof filter ${words[*]} of the mount"
		}
	done
done
as_kernel "$scratch/page_owner_filter" -m stack -n 2 -o "$scratch/theirs" >"$scratch/said" 2>&1
[ $? != 0 ]
ok "the kernel's page_owner_filter of a node that is not there fails"

as_kernel "$scratch/allocinfo_ioctl_test" >"$scratch/said" 2>&1
status=$?
sed 's/^/#  /' "$scratch/said"
[ "$status" = 0 ] && grep -q '^# Totals: pass:4 fail:0' "$scratch/said"
ok "the kernel's allocinfo_ioctl_test passes 4 of 4"

for verb in tags report; do
	"$kmemprof" $verb "$mnt" --format csv >"$scratch/of-mount" 2>"$scratch/said" &&
		[ ! -s "$scratch/said" ] &&
		"$kmemprof" $verb "$scratch/capture" --format csv >"$scratch/of-files" &&
		cmp "$scratch/of-mount" "$scratch/of-files"
	ok "kmemprof $verb of the mount is that of the files"
	as_kernel "$kmemprof" $verb --format csv >"$scratch/got" && cmp "$scratch/got" "$scratch/of-files"
	ok "kmemprof $verb of the running kernel"
done
end_server
ok "the server ends well"

# It gives up on the task names of the capture, which are meant to confuse; and it must have a copy.
"$kmemprof" filter -m stack -w 'comm~^[A-Za-z0-9_/:.-]+$' "$scratch/capture" -o "$scratch/plain"
serve "$scratch/plain" && cat "$mnt/page_owner" >"$scratch/copy" && cmp "$scratch/plain" "$scratch/copy"
ok "a mount of records with plain names"
for words in '' -m -p -a --cull=pid; do
	# shellcheck disable=SC2086 # none, or one
	"$scratch/page_owner_sort" $words "$scratch/copy" "$scratch/theirs" >"$scratch/said" 2>&1 &&
		"$scratch/link/page_owner_sort" $words "$scratch/copy" "$scratch/got" >/dev/null 2>&1 &&
		[ -s "$scratch/got" ] && cmp "$scratch/theirs" "$scratch/got"
	ok "the kernel's page_owner_sort $words reads it as ours does"
done
end_server
ok "and the server ends well"
finish
