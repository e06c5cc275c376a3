#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Tags asked for by ioctl, of a mount, are those that the text has; which way it went is told.
# Prints TAP.
#
#     tags.sh KMEMPROF
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

# How the question is answered: `ioctl`, `text`.
asked_by() { # WAY OPTION…
	local way=$1

	shift
	"$kmemprof" tags "$mnt/allocinfo" --verbose --format csv "$@" >"$scratch/got" 2>"$scratch/said" &&
		"$kmemprof" tags "$scratch/capture/allocinfo" --format csv "$@" >"$scratch/want" &&
		cmp "$scratch/want" "$scratch/got" &&
		grep -q "^kmemprof: $mnt/allocinfo: tags .*$way" "$scratch/said"
	ok "by $way: $*"
}

unpack_capture
# Names that no field of the ioctls has room for, and rows that are one location.
long=drivers/$(printf 'a_long_folder/%.0s' 1 2 3 4 5)file
{
	echo "        4096        1 $long.c:7 func:cut_off "
	echo "          10        1 ./include/linux/twice.h:1 func:spelled "
	echo "          20        2 fs/../include/linux/twice.h:1 func:spelled accurate:no "
	echo "          40        3 net/../lib/odd.c:5 [odd] func:odd "
} >>"$scratch/capture/allocinfo"
serve "$scratch/capture" || { false; ok "the server comes up"; finish; }

asked_by ioctl --file mm/memory.c
asked_by ioctl --function alloc_slab_page
asked_by ioctl --function alloc_slab_page --min-size 1
asked_by ioctl --module '' --function kmalloc_reserve
asked_by ioctl --module odd
asked_by ioctl --module no_such
asked_by ioctl --line 465
asked_by ioctl --file mm/memory.c --line 465 --accurate yes
asked_by ioctl --file mm/memory.c --by function
# All spellings are meant; sizes and accuracy are those of the sum.
asked_by text --file include/linux/twice.h
asked_by text --file lib/odd.c
asked_by ioctl --file net/../lib/odd.c
asked_by ioctl --function spelled --min-size 30
asked_by ioctl --function spelled --accurate yes
asked_by text --min-size 30
asked_by text --accurate no
asked_by text
# What is cut off is read whole.
asked_by text --file "$long.c"
asked_by text --function cut_off
asked_by text --module ''
"$kmemprof" tags "$mnt" --file mm/memory.c --verbose 2>&1 >"$scratch/got" | grep -q 'tags by ioctl'
ok "of a directory"
end_server
ok "the server ends well"
finish
