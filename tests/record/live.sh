#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# `kmemprof mount --source live`: the kernel's files of a process that takes and gives back memory
# while they are read, and its tags. Prints TAP.
#
#     tests/record/live.sh KMEMPROF HOLD OBJECTS
set -u

if [ -z "${KMEMPROF_TEST_INSIDE:-}" ] && [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null; then
	exec env KMEMPROF_TEST_INSIDE=1 unshare --mount "$0" "$@"
fi
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../mount/server.sh"
hold=$(realpath "$2")
objects=$(realpath "$3")
mnt=$scratch/mnt
server=
holders=()
mkdir "$mnt"

clean_up() {
	umount --lazy "$mnt" 2>/dev/null
	[ -z "$server" ] || kill -9 "$server" 2>/dev/null
	[ ${#holders[@]} = 0 ] || kill "${holders[@]}" 2>/dev/null
	rm -rf "$scratch"
}
trap clean_up EXIT

if [ ! -c /dev/fuse ] || [ -z "${KMEMPROF_TEST_INSIDE:-}" ] ||
	! "$kmemprof" record -- true >"$scratch/probe" 2>"$scratch/log"; then
	reason="no mounts here: $(tail -n 1 "$scratch/log" 2>/dev/null)"
	if [ -n "${KMEMPROF_NO_SKIP:-}" ]; then
		echo "not ok 1 - $reason"
	else
		echo "ok 1 - live # SKIP $reason"
	fi
	echo 1..1
	exit 0
fi

# Wait for a server that was told to end. An event that interrupts another can be missed anywhere.
ended() { # STATUS
	local status

	wait "$server"
	status=$?
	server=
	[ "$status" != 3 ] || [ "$(grep -c 'events were missed' "$scratch/server.log")" = 0 ] || status=0
	[ "$status" = "$1" ] || echo "# exit status $status"
	[ "$status" = "$1" ]
}

# Each record whole, in the order of the PFNs, of one of the processes, and its parts of one
# moment: the mask tells which kind of page it is, and so does the stack.
cat >"$scratch/check.awk" <<'AWK'
function bad(why) {
	if (!failed++)
		print "record " records ", line " NR ": " why ": " $0
}
function check_end() {
	if (!frames)
		bad("no stack")
	if (movable && pipe)
		bad("a pipe's stack with the mask of anonymous memory")
	if (!movable && anonymous && folio)
		bad("the stack of anonymous memory without its mask")
}
BEGIN { RS = ""; FS = "\n" }
{
	records++
	pipe = anonymous = folio = frames = 0
	if ($1 !~ /^Page allocated via order [0-9]+, mask 0x[0-9a-f]+\([A-Z_|]+\), pid [0-9]+, tgid [0-9]+ \(hold\), ts [1-9][0-9]* ns$/)
		bad("header")
	if ($2 !~ /^PFN 0x[0-9a-f]+ type [A-Za-z]+ Block [0-9]+ type [A-Za-z]+ Flags 0x[0-9a-f]+\([a-z_0-9|]*node=0\|zone=[0-9]\)$/)
		bad("PFN line")
	pfn = $2
	sub(/^PFN 0x/, "", pfn)
	sub(/ .*/, "", pfn)
	while (length(pfn) < 16)
		pfn = "0" pfn
	if (pfn <= last)
		bad("PFN " pfn " after " last)
	last = pfn
	movable = $1 ~ /GFP_HIGHUSER_MOVABLE/
	for (i = 3; i <= NF; i++) {
		frames += $i ~ /^ [a-zA-Z_0-9.]+\+0x[0-9a-f]+\/0x[0-9a-f]+( \[[a-z_0-9]+\])?$/
		pipe += $i ~ /pipe_write/
		anonymous += $i ~ /do_anonymous_page/
		folio += $i ~ /vma_alloc_folio/
		if ($i !~ /^ / && $i !~ /^Charged to memcg / && $i !~ /^handle: /)
			bad("a line that is no frame")
	}
	check_end()
}
END {
	print records + 0, failed + 0
	exit failed > 0
}
AWK

for _ in 1 2; do
	"$hold" churn 8 300 &
	holders+=($!)
done
"$hold" anon 16 300 &
still=$!
holders+=("$still")
pids=$(IFS=,; echo "${holders[*]}")
serve live --pid "$pids"
result $? "the mount" "$(cat "$scratch/server.log")"
# What was there before is not attributed: a process that starts its memory now.
sleep 1

records=0
failures=
for _ in 1 2 3 4 5; do
	for reader in 1 2 3 4; do
		cat "$mnt/page_owner" >"$scratch/read.$reader" &
		readers[reader]=$!
	done
	wait "${readers[@]}"
	for reader in 1 2 3 4; do
		said=$(LC_ALL=C awk -f "$scratch/check.awk" "$scratch/read.$reader") ||
			failures="$failures$said"
		records=$((records + $(tail -n 1 <<<"$said" | cut -d' ' -f1)))
	done
done
[ -z "$failures" ] && [ "$records" -gt 1000 ]
result $? "records are whole while they change: $records" "$failures"
cp "$scratch/read.1" "$scratch/first"
cat "$mnt/page_owner" >"$scratch/second"
! cmp -s "$scratch/first" "$scratch/second"
result $? "the picture moves"

exec 3<>"$mnt/page_owner"
printf 'mode=handle nid=0' >&3
cat <&3 >"$scratch/handles"
exec 3<&-
grep -q '^handle: [1-9]' "$scratch/handles" && ! grep -q '^ ' "$scratch/handles"
result $? "mode=handle prints handles alone" "$(head -n 4 "$scratch/handles")"
if printf 'nid=63' 2>/dev/null >"$mnt/page_owner"; then false; else true; fi
result $? "a node without memory is refused"

# The memory that the third process takes does not change: from a PFN of its own on, it is there.
kill "${holders[0]}" "${holders[1]}"
wait "${holders[0]}" "${holders[1]}" 2>/dev/null
umount "$mnt"
ended 0
result $? "umount ends it" "$(cat "$scratch/server.log")"
kill "$still"

# A process waits for its first line, and takes 16 MiB then.
mkfifo "$scratch/go"
sh -c "read -r _ <'$scratch/go'; exec '$hold' anon 16 300" &
still=$!
holders=("$still")
serve live --pid "$still"
echo >"$scratch/go"
pages=0
for ((tries = 0; tries < 200 && pages < 4096; tries++)); do
	sleep 0.1
	pages=$(grep -c '(hold), ts' "$mnt/page_owner")
done
[ "$pages" -ge 4096 ] && [ "$pages" -lt 4300 ]
result $? "16 MiB are in page_owner: $pages pages"
cat "$mnt/page_owner" >"$scratch/all"
pfn=$(grep '^PFN' "$scratch/all" | sed -n '2000s/^PFN 0x\([0-9a-f]*\) .*/\1/p')
perl -e 'open(F, "<", $ARGV[0]); sysseek(F, hex($ARGV[1]), 0); sysread(F, $b, 65536); print $b' \
	"$mnt/page_owner" "$pfn" >"$scratch/at"
[[ $(sed -n 2p "$scratch/at") = "PFN 0x$pfn "* ]]
result $? "reading at a PFN begins there" "$(head -n 3 "$scratch/at")"

stacks=$mnt/page_owner_stacks
counted=$(awk '/^ .*do_anonymous_page/ { a = 1 } /^nr_base_pages/ { if (a) n += $2; a = 0 } END { print n + 0 }' \
	"$stacks/show_stacks")
[ "$counted" -ge 4096 ] && [ "$counted" -lt 4300 ]
result $? "show_stacks counts them: $counted pages"
echo 4000 >"$stacks/count_threshold"
[ "$(grep -c nr_base_pages "$stacks/show_stacks")" = 1 ]
result $? "count_threshold leaves small stacks out"
exec 3<>"$mnt/page_owner"
printf 'mode=handle' >&3
cat <&3 >"$scratch/handles"
exec 3<&-
handle=$(sed -n 's/^handle: //p' "$stacks/show_handles")
[ "$(grep -c "^handle: $handle$" "$scratch/handles")" -ge 4000 ] &&
	[ "$(grep -A 9 do_anonymous_page "$stacks/show_stacks_handles" | grep -c "^handle: $handle$")" = 1 ]
result $? "handles are the same in all files" "$handle"

# What it held is gone when it ends.
kill "$still"
wait "$still" 2>/dev/null
pages=1
for ((tries = 0; tries < 100 && pages > 0; tries++)); do
	sleep 0.1
	pages=$(grep -c '(hold), ts' "$mnt/page_owner")
done
result "$pages" "what it held is gone when it has ended" "$pages pages"

kill -INT "$server"
ended 0 && ! is_mounted
result $? "SIGINT ends it and unmounts"
serve live --pid $$ && kill -TERM "$server"
ended 0 && ! is_mounted
result $? "SIGTERM too"

serve live --pid $$
kill -9 "$server"
wait "$server" 2>/dev/null
server=
is_mounted && "$kmemprof" umount "$mnt" && ! is_mounted
result $? "kmemprof umount clears what a killed server left"

# Tags: a process waits for its first line, and makes objects then.
start_objects() { # KIND=N…
	rm -f "$scratch/ready"
	sh -c "read -r _ <'$scratch/go'; exec '$objects' 300 $*" 2>"$scratch/ready" &
	holders=($!)
}
make_objects() {
	local tries

	echo >"$scratch/go"
	for ((tries = 0; tries < 600; tries++)); do
		if grep -q ready "$scratch/ready"; then return; fi
		sleep 0.05
	done
}
in_text() { # FUNCTION: its calls
	awk -v f="func:$1" '$4 == f { n = $2 } END { print n + 0 }' "$mnt/allocinfo"
}
by_ioctl() { # FUNCTION: its calls, 0 if there is no such tag
	"$kmemprof" tags "$mnt/allocinfo" --verbose --format json --function "$1" \
		2>"$scratch/said" | jq '.totals.calls // 0'
	grep -q 'tags by ioctl' "$scratch/said"
}
content_id() {
	perl -e 'open(F, "<", $ARGV[0]) or die; my $id = "\0" x 8;
		ioctl(F, 0x8008a600, $id) or die "$!"; print unpack("Q", $id), "\n"' "$mnt/allocinfo"
}

start_objects event=4000 unix=1000
serve live --pid "${holders[0]}" --tags
result $? "a mount of tags" "$(cat "$scratch/server.log")"
grep -q 'page_owner is empty: tags alone' "$scratch/server.log" &&
	[ "$(cat "$mnt/page_owner" "$mnt"/page_owner_stacks/show_* | wc -c)" = 0 ]
result $? "page_owner is empty then, and that is said" "$(cat "$scratch/server.log")"
[ "$(in_text do_eventfd)" = 0 ] && grep -q '^allocinfo - version: 2.0$' "$mnt/allocinfo"
result $? "allocinfo without what is not held yet" "$(cat "$mnt/allocinfo")"
id=$(content_id)
make_objects
held=$(in_text do_eventfd)
[ "$held" = 4000 ] && [ "$(in_text sk_prot_alloc)" = 2000 ]
result $? "allocinfo shows what was made" "$(cat "$mnt/allocinfo")"
held=$(by_ioctl do_eventfd)
result $((!($? == 0 && held == 4000))) "and so do the ioctls" "$held $(cat "$scratch/said")"
now=$(content_id)
sleep 0.5
[ "$now" -gt "$id" ] && [ "$(content_id)" = "$now" ]
result $? "the content's number grows with new call sites alone" "$id, $now, $(content_id)"
[ "$("$kmemprof" tags "$mnt/allocinfo" --format csv --min-size 256000 --max-size 256000 \
	2>"$scratch/said" | grep -c do_eventfd)" = 1 ]
result $? "filters hold" "$(cat "$scratch/said")"

# Several ask while it ends: every answer is whole, and the last ones are zero.
failures=
for reader in 1 2 3; do
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		cat "$mnt/allocinfo"
		by_ioctl do_eventfd >>"$scratch/ioctl.$reader"
	done >"$scratch/text.$reader" &
	readers[reader]=$!
done
kill "${holders[0]}"
wait "${holders[0]}" 2>/dev/null
wait "${readers[@]:1:3}"
for reader in 1 2 3; do
	failures+=$(grep -vE '^allocinfo - version: 2.0$|^# +<size>  <calls> <tag info>$|^ *[0-9]+ +[0-9]+ [^ ]+:[0-9]+ (\[[^]]+\] )?func:[^ ]+ ?$' \
		"$scratch/text.$reader")
	[ "$(grep -cE '^[0-9]+$' "$scratch/ioctl.$reader")" = 10 ] || failures+=" reader $reader"
done
[ -z "$failures" ]
result $? "lines and answers are whole while tags change" "$failures"
held=1
for ((tries = 0; tries < 300 && held > 0; tries++)); do
	sleep 0.1
	held=$(in_text do_eventfd)
done
[ "$held" = 0 ] && grep -q 'func:do_eventfd' "$mnt/allocinfo"
result $? "zero when it has ended, and the tag stays" "$held"
held=$(by_ioctl do_eventfd)
result $((!($? == 0 && held == 0))) "zero by ioctl" "$held"
kill -INT "$server"
ended 0
result $? "SIGINT ends that mount"

start_objects pages=4096 event=100
serve live --pid "${holders[0]}" --pages --tags
result $? "a mount of both" "$(cat "$scratch/server.log")"
make_objects
held=$(in_text do_anonymous_page)
cat "$mnt/page_owner" >"$scratch/all"
pages=$(grep -c '(objects), ts' "$scratch/all")
counted=$(awk 'BEGIN { RS = ""; FS = "\n" }
	/\(objects\), ts/ && /do_anonymous_page/ { n++ } END { print n + 0 }' "$scratch/all")
[ "$held" -ge 4096 ] && [ "$held" -lt 4300 ] && [ "$counted" -ge 4096 ] &&
	[ "$pages" -ge "$counted" ] && [ "$(in_text do_eventfd)" = 100 ]
result $? "page_owner and allocinfo, both" "$held of tags, $counted of $pages page owners"
kill "${holders[0]}"
wait "${holders[0]}" 2>/dev/null
holders=()
kill -INT "$server"
ended 0
result $? "and its end"

"$kmemprof" mount "$mnt" --source live >"$scratch/out" 2>&1
[ $? = 2 ] && grep -q -- --all "$scratch/out"
result $? "without a scope it says which there are" "$(cat "$scratch/out")"
"$kmemprof" mount "$mnt" --all --source "$0" >"$scratch/out" 2>&1
[ $? = 2 ]
result $? "a scope is for live alone" "$(cat "$scratch/out")"
"$kmemprof" mount "$mnt" --tags --source "$0" >"$scratch/out" 2>&1
[ $? = 2 ] && grep -q -- '--tags: only with --source live' "$scratch/out"
result $? "and so are tags" "$(cat "$scratch/out")"

# A mount in the background that loses something says so in its status, to umount and to the
# system's log: in a /dev of its own, where a log of ours listens.
start_objects event=3000
mkdir "$scratch/dev"
cat >"$scratch/lost.sh" <<'END'
mount -t tmpfs none "$2/dev"
for node in null fuse zero urandom; do
	touch "$2/dev/$node"
	mount --bind "/dev/$node" "$2/dev/$node"
done
mount --rbind "$2/dev" /dev
perl -MSocket -e 'socket(S, AF_UNIX, SOCK_DGRAM, 0) and bind(S, sockaddr_un("/dev/log")) or die;
	$| = 1; print "listens\n"; print "$m\n" while defined recv(S, $m, 4096, 0)' >"$2/syslog" &
perl=$!
while ! grep -q listens "$2/syslog"; do sleep 0.05; done
"$1" mount "$2/mnt" --source live --pid "$3" --tags --max-objects 7
echo >"$2/go"
for ((tries = 0; tries < 600; tries++)); do
	grep -q ready "$2/ready" && break
	sleep 0.05
done
# More than a second, since losses are looked for once a second.
sleep 1.1
cat "$2/mnt/kmemprof_status" >"$2/status"
"$1" umount "$2/mnt" >"$2/umount" 2>&1
echo $? >"$2/umount.status"
for ((tries = 0; tries < 200; tries++)); do
	grep -q 'lost in all' "$2/syslog" && [ "$(grep -c max-objects "$2/syslog")" = 2 ] && break
	sleep 0.05
done
kill $perl
END
unshare --mount bash "$scratch/lost.sh" "$kmemprof" "$scratch" "${holders[0]}" >"$scratch/said" 2>&1
dropped=$(sed -n 's/^dropped: //p' "$scratch/status")
lost=$(sed -n 's/^loss: \([0-9]*\) kernel objects .*--max-objects.*/\1/p' "$scratch/status")
[ "${lost:-0}" -ge 2900 ] && [ "${dropped:-0}" -ge "$lost" ]
result $? "a mount tells what it lost" "$(cat "$scratch/status" "$scratch/said")"
[ "$(cat "$scratch/umount.status")" = 3 ] && grep -q -- 'max-objects' "$scratch/umount" &&
	grep -q "$dropped events dropped" "$scratch/umount"
result $? "umount says so, by its status too" "$(cat "$scratch/umount")"
[ "$(grep -c 'kmemprof.*max-objects' "$scratch/syslog")" = 2 ] && grep -q 'lost in all' "$scratch/syslog"
result $? "and the system's log" "$(cat "$scratch/syslog")"
kill "${holders[0]}"
wait "${holders[0]}" 2>/dev/null
holders=()
echo "1..$count"
