# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The programs of the kernel's own tree, beside ours, on the kernel's files and on our mount of them.
. /test/lib.sh

if ! [ -e /bin/peer_filter ]; then
	skip "the kernel's own programs" "$(cat /row/why-no-peers)"
	exit
fi

# Ours between two of theirs.
mark=0
for words in '-m handle' '-m handle -n 0' '-m stack_handle -n 0-1' '-m stack -n 1'; do
	rm -f before ours after
	mark=$((mark + 1))
	echo "mark $mark" >/dev/kmsg
	begin=$(grep -m 1 ";mark $mark\$" /dev/kmsg | cut -d, -f3)
	for program in 'peer_filter before' 'page_owner_filter ours' 'peer_filter after'; do
		# shellcheck disable=SC2086 # words
		check "${program% *} $words" ${program% *} $words -o "${program#* }"
	done
	if verdict=$(records before ours after "$begin" 2>&1); then
		pass "$words: $(echo "$verdict" | tail -n 1)"
	else
		fail "page_owner_filter $words as theirs" "$verdict"
	fi
done
rm before ours after

check "their allocinfo_ioctl_test of the kernel" peer_ioctl
is "it passes all" "$(grep -c '^# Totals: pass:4 fail:0' out)" 1

# In one state: a mount over the kernel's files.
kmemprof capture --quiet -o x.kmp
mkdir m
kmemprof mount --source x.kmp m
mount --bind m/page_owner $DEBUG/page_owner
mount --bind m/allocinfo /proc/allocinfo
trap 'umount $DEBUG/page_owner /proc/allocinfo m 2>/dev/null || true' EXIT
for mode in handle stack_handle stack; do
	for nodes in '' 1; do
		set -- -m $mode ${nodes:+-n $nodes}
		check "theirs of our mount $*" peer_filter "$@" -o theirs
		check "ours of our mount $*" page_owner_filter "$@" -o ours
		same "page_owner_filter $*: $(grep -c ^PFN theirs) records" ours theirs
	done
done
check "their allocinfo_ioctl_test of our mount" peer_ioctl
is "it passes all" "$(grep -c '^# Totals: pass:4 fail:0' out)" 1
