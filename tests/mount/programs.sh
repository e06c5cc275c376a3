#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Ordinary programs read a mount: none hangs, none tears a record. Prints TAP.
#
#     programs.sh KMEMPROF
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

unpack_capture
serve "$scratch/capture"
ok "the mount"
file=$mnt/page_owner
got=$scratch/got
want=$scratch/want
# A new descriptor prints stacks: what the kernel printed, without its lines of handles.
sed '/^handle: [0-9]*$/d' "$scratch/capture/page_owner" >"$want"

# Is $got the first records of what is expected, none of them cut?
whole_records() {
	cmp -s -n "$(stat -c %s "$got")" "$got" "$want" && [ -z "$(tail -n 1 "$got")" ] &&
		{ [ ! -s "$got" ] || [ "$(tail -c 2 "$got" | od -An -c)" = '  \n  \n' ]; }
}

for program in "cat $file" "dd if=$file bs=64k status=none" "cp $file /dev/stdout" \
	"sed -n p $file" "head -c 1G $file" "tail -n +1 $file" "perl -pe 1 $file" "grep -a ^ $file"; do
	# shellcheck disable=SC2086 # words
	timeout 60 $program >"$got"
	cmp "$got" "$want"
	ok "${program%% *} reads it whole"
done
timeout 60 cp "$file" "$scratch/copy" && cmp "$scratch/copy" "$want"
ok "cp makes a copy"
timeout 60 tail -n 9 "$file" | cmp - <(tail -n 9 "$want")
ok "tail finds the end"
[ "$(timeout 60 wc -lc <"$file" | xargs)" = "$(wc -lc <"$want" | xargs)" ]
ok "wc counts all"
[ "$(timeout 60 grep -ac '^PFN 0x' "$file")" = "$(grep -ac '^PFN 0x' "$want")" ]
ok "grep -c counts all"
timeout 20 grep -am1 'tgid 1 (' "$file" | cmp - <(grep -am1 'tgid 1 (' "$want")
ok "grep -m1 stops"
timeout 20 cat "$file" | head -n 5 | cmp - <(head -n 5 "$want")
ok "cat | head stops"
timeout 20 head -n 5 "$file" | cmp - <(head -n 5 "$want")
ok "head stops"
timeout 60 md5sum <"$file" | cmp - <(md5sum <"$want")
ok "md5sum"
# It insists on filling its buffer; the kernel's file refuses what is left of it, and so do we.
! timeout 60 xz -0 -c <"$file" >"$got" 2>"$scratch/said" && grep -q 'Cannot allocate memory' "$scratch/said"
ok "xz, which fills its buffer, cannot allocate memory"
timeout 60 cat "$file" | xz -0 | xz -dc | cmp - "$want"
ok "cat | xz"

# It waits for more, and is ended.
timeout -s INT 3 tail -n +1 -f "$file" >"$got" 2>"$scratch/said"
cmp "$got" "$want"
ok "tail -f prints all, and waits"

# Too small for the first record: ENOMEM at once, as in the kernel.
for size in 1 2 16 128 256; do
	timeout 60 dd if="$file" bs=$size status=none >"$got" 2>"$scratch/said"
	[ $? = 1 ] && [ ! -s "$got" ] && grep -q 'Cannot allocate memory' "$scratch/said"
	ok "dd bs=$size: cannot allocate memory"
done
# Too small for some later record: whole ones until then.
for size in 272 300 512 600; do
	timeout 60 dd if="$file" bs=$size status=none >"$got" 2>"$scratch/said"
	[ $? = 1 ] && [ -s "$got" ] && whole_records &&
		grep -q 'Cannot allocate memory' "$scratch/said"
	ok "dd bs=$size: whole records until one is too large"
done
for size in 2k 4k 10k 64k 128k 999999 1M 3M 4M; do
	timeout 60 dd if="$file" bs=$size status=none >"$got" 2>"$scratch/said"
	cmp "$got" "$want"
	ok "dd bs=$size reads it whole"
done
timeout 60 dd if="$file" bs=64k count=3 status=none >"$got"
[ -s "$got" ] && whole_records
ok "dd count=3: whole records"
timeout 60 dd if="$file" bs=4k count=40 iflag=direct status=none >"$got"
[ -s "$got" ] && whole_records
ok "dd iflag=direct: whole records"

# The text from the first record at or after a PFN, of what is expected.
from_pfn() { # PFN
	perl -0777 -ne 'BEGIN { $pfn = shift @ARGV } for (split /(?<=\n\n)/) {
		print if $go ||= /\nPFN 0x([0-9a-f]+)/ && hex($1) >= $pfn }' "$1" "$want"
}

from_pfn 20000 >"$scratch/part"
timeout 60 perl -e 'open F, "<", $ARGV[0] or die; seek F, 20000, 0 or die; print while <F>' \
	"$file" | cmp - "$scratch/part"
ok "perl: seek to a PFN, then lines"
timeout 60 perl -e 'use POSIX; my $fd = POSIX::open($ARGV[0]); POSIX::lseek($fd, 20000, 0);
	print $b while POSIX::read($fd, $b, 8192) > 0' "$file" | cmp - "$scratch/part"
ok "perl: lseek to a PFN, then reads of 8 KiB"
timeout 60 dd if="$file" bs=1 skip=20000 count=0 status=none 2>/dev/null
timeout 60 tail -c +20001 "$file" >"$got"
cmp "$got" "$scratch/part"
ok "tail -c +N begins at PFN N - 1"

# A filter and the reading of it need one descriptor; the shell has it.
exec 5<>"$file"
echo "mode=handle nid=1" >&5
timeout 60 cat <&5 >"$got"
exec 5>&-
[ -s "$got" ] && cmp "$got" <(perl -0777 -ne 'for (split /(?<=\n\n)/) {
	s/^ .*\n//mg; print if /node=1[|)]/ }' "$scratch/capture/page_owner")
ok "a shell writes a filter, cat reads"
echo "mode=handle" >"$file" && timeout 60 cat "$file" | cmp - "$want"
ok "a filter goes with its descriptor"
! echo "mode=nothing" 2>/dev/null >"$file"
ok "a bad filter fails"

cmp "$mnt/allocinfo" "$scratch/capture/allocinfo"
ok "allocinfo is the kernel's text"
timeout 60 dd if="$mnt/allocinfo" bs=7 status=none | cmp - "$scratch/capture/allocinfo"
ok "in small pieces, too"
stacks=$mnt/page_owner_stacks
cmp "$stacks/show_handles" "$scratch/capture/show_handles"
ok "show_handles is the kernel's text"
# Stacks from before the kernel could list them are known from their pages, and stand behind.
cmp -n "$(stat -c %s "$scratch/capture/show_stacks_handles")" "$stacks/show_stacks_handles" \
	"$scratch/capture/show_stacks_handles"
ok "show_stacks_handles begins with the kernel's text"
# The captured show_stacks is of another moment: both files tell what it would say.
awk 'BEGIN { RS = ""; ORS = "\n\n"; FS = "\n" } NR == FNR { count[$1] = $2; next }
	$NF in count { sub(/handle: .*/, count[$NF]); print }' "$scratch/capture/show_handles" \
	"$scratch/capture/show_stacks_handles" | cmp - "$stacks/show_stacks"
ok "show_stacks says the same"
echo 100 >"$stacks/count_threshold"
awk 'BEGIN { RS = ""; ORS = "\n\n" } { n = $0; sub(/.*nr_base_pages: /, "", n) } n + 0 >= 100' \
	"$scratch/capture/show_handles" | cmp - "$stacks/show_handles"
ok "count_threshold leaves out small stacks"
[ "$(cd "$mnt" && find . -type f -printf '%P %m %s\n' | sort | tr '\n' ' ')" = \
	"allocinfo 400 0 kmemprof_status 400 0 page_owner 600 0 page_owner_stacks/count_threshold 600 0 page_owner_stacks/show_handles 400 0 page_owner_stacks/show_stacks 400 0 page_owner_stacks/show_stacks_handles 400 0 " ]
ok "names, modes and sizes"
! touch "$mnt/new" 2>/dev/null && ! rm -f "$mnt/allocinfo" 2>/dev/null && ! mkdir "$mnt/d" 2>/dev/null &&
	! mv "$mnt/allocinfo" "$mnt/other" 2>/dev/null && [ -e "$mnt/allocinfo" ]
ok "nothing is made, moved or removed"

end_server
ok "the server ends well"
finish
