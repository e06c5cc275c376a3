# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The kernel's files of a capture made here, served by FUSE in the same machine.
. /test/lib.sh

check "capture" kmemprof capture --quiet -o x.kmp
mkdir m
check "mount" kmemprof mount --source x.kmp m
trap 'umount m 2>/dev/null || true' EXIT

# As one reads the kernel's. Not with cat: busybox's has the kernel copy it, which takes FUSE files
# for empty from 6.5 on.
read_with() { # DIRECTORY WORDS FILE
	exec 3<>"$1/page_owner"
	echo "$2" >&3
	dd bs=64k <&3 >"$3" 2>/dev/null
	exec 3<&-
}

# A page that was freed before it could be asked for a stack that the kernel does not list.
few() { # WHAT
	if grep -qE '^kmemprof: [1-3] (records|entries) ' err; then
		pass "$1: $(cat err)"
	else
		fail "$1: stacks and handles are there" "$(cat err)"
	fi
}

for words in mode=stack mode=handle mode=stack_handle 'mode=handle nid=0' 'mode=stack nid=1'; do
	# shellcheck disable=SC2046 # options
	kmemprof filter $(echo "$words" | sed 's/mode=/--mode /; s/nid=/--node /') x.kmp >want 2>err ||
		few "$words"
	read_with m "$words" got
	same "page_owner, $words: $(grep -c ^PFN got) records" got want
done
for file in show_stacks show_handles; do
	kmemprof stacks --file $file x.kmp >want 2>err || few "$file"
	dd if=m/page_owner_stacks/$file of=got bs=64k 2>/dev/null
	same "$file: $(wc -l <want) lines" got want
done
# The mount has those without pages, too.
dd if=m/page_owner_stacks/show_stacks_handles bs=64k 2>/dev/null | grep '^handle: ' | sort >got
grep '^handle: ' m/page_owner_stacks/show_handles | sort >want
is "show_stacks_handles: handles that it lacks" \
	"$(sort -u want got | wc -l)" "$(sort -u got | wc -l)"
dd if=m/allocinfo of=got bs=64k 2>/dev/null
is "allocinfo has as many tags as the kernel's" "$(sed 1,2d got | wc -l)" \
	"$(sed 1,2d /proc/allocinfo | wc -l)"
is "allocinfo has the kernel's head" "$(head -n 2 got)" "$(head -n 2 /proc/allocinfo)"

# One and the same answer to writes, positions and modes, from the kernel and from us.
answers() { # DIRECTORY
	# A page that was freed before it could be asked for a stack that the kernel does not list.
few() { # WHAT
	if grep -qE '^kmemprof: [1-3] (records|entries) ' err; then
		pass "$1: $(cat err)"
	else
		fail "$1: stacks and handles are there" "$(cat err)"
	fi
}

for words in mode=stack mode=handle mode=bad nid=0 nid=0,1 nid=0-1 nid=7 nid= nid=0x1 \
		'mode=handle nid=1' ' ' 'nid=1 mode=none' nid=all nid=0-1:1/2; do
		exec 3<>"$1/page_owner"
		if echo "$words" 2>/dev/null >&3; then echo "$words: taken"; else echo "$words: refused"; fi
		exec 3<&-
	done
	stat -c '%n %a' "$1/page_owner" "$1"/page_owner_stacks/show_* | sed 's/.*debug//; s/^m//'
}
answers m >ours 2>&1
answers $DEBUG >kernels 2>&1
same "answers to $(grep -c : kernels) filters" ours kernels
cp ours kernels /host 2>/dev/null || true

check "umount" kmemprof umount m
is "nothing is mounted" "$(grep -c kmemprof /proc/mounts)" 0
