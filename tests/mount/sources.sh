#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What is served of sources that tell less than all, and that the files of page_owner_stacks are
# those that `kmemprof stacks` prints. Prints TAP.
#
#     sources.sh KMEMPROF
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

stacks=$mnt/page_owner_stacks
unpack_capture
cd "$scratch" || exit 1

# The server has told this alone; then it has told nothing, for who ends it.
told() { # WORDS
	# Who is answered comes after what was told.
	ls "$mnt" >said
	grep -qx "kmemprof: warning: $1" server.log && [ "$(wc -l <server.log)" = 1 ]
	ok "told: $1"
	: >server.log
}

printed() { # SOURCE FILE…
	local source=$1 file

	for file in "${@:2}"; do
		"$kmemprof" stacks --file "$file" "$source" >want && cmp want "$stacks/$file"
		ok "$source: $file as printed by kmemprof stacks"
	done
}

serve capture/show_stacks
told 'page_owner is empty: the source tells stacks, but of no page where it is'
printed capture/show_stacks show_stacks
[ "$(wc -c <"$mnt/page_owner")" = 0 ]
ok "  page_owner is empty"
end_server
ok "  the server ends well"

serve capture/show_stacks_handles
told 'page_owner is empty: the source tells stacks, but of no page where it is'
printed capture/show_stacks_handles show_stacks_handles
end_server
ok "  the server ends well"

"$kmemprof" capture --source capture/page_owner -o pages.kmp >said
serve pages.kmp
printed pages.kmp show_stacks show_handles show_stacks_handles
end_server
ok "  the server ends well"

# The mount gives handles where the source tells none, so only its own filter can print them.
sed '/^handle: [0-9]*$/d' capture/page_owner >stack
ln -s "$kmemprof" page_owner_filter
serve stack
for from in "$mnt/page_owner" "$mnt"; do
	./page_owner_filter -m handle "$from" >got 2>said && [ ! -s said ] &&
		[ "$(grep -c '^handle: ' got)" = "$(grep -c '^PFN ' stack)" ]
	ok "page_owner_filter ${from#"$scratch"/}: filtered by the mount"
done
end_server
ok "  the server ends well"

# Stacks of no page are listed as well, and the kernel's list comes first.
mkdir both
ln capture/page_owner capture/show_stacks_handles both
"$kmemprof" capture --source both -o both.kmp >said
serve both.kmp
printed both.kmp show_stacks show_handles show_stacks_handles
printed both show_stacks_handles
cmp -n "$(stat -c %s both/show_stacks_handles)" both/show_stacks_handles "$stacks/show_stacks_handles"
ok "  the kernel's list comes first"
end_server
ok "  the server ends well"
finish
