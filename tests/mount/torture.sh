#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Many readers, readers and servers that are killed, thousands of opens, every way to end, and what
# cannot be mounted. KMEMPROF_TEST_LONG=1 has the readers at it for 30 s. Prints TAP.
#
#     torture.sh KMEMPROF READERS [readers]
#
# With the last word, only what a build with ThreadSanitizer is to be asked.
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

readers=$(realpath "$2")
seconds=8
[ -z "${KMEMPROF_TEST_LONG:-}" ] || seconds=30
said=$scratch/said
unpack_capture

many_readers() {
	timeout $((seconds + 60)) "$readers" $seconds "$mnt" "$scratch/capture/page_owner" \
		"$scratch/capture/allocinfo" >"$said"
	ok_saying "64 readers, each its own bytes" "$said"
}

killed_readers() {
	local i pids

	for ((i = 0; i < 40; i++)); do
		pids=()
		for bs in 4k 64k 1M; do
			dd if="$mnt/page_owner" of=/dev/null bs=$bs status=none &
			pids+=($!)
		done
		cat "$mnt/allocinfo" >/dev/null &
		pids+=($!)
		sleep 0.0$((i % 10))
		kill -9 "${pids[@]}" 2>/dev/null
		wait "${pids[@]}" 2>/dev/null
	done
	timeout 60 cat "$mnt/page_owner" | cmp - "$scratch/stack"
	ok "after readers were killed, the next one gets all"
}

# Descriptors, and KiB of memory.
fds() {
	find "/proc/$server/fd" -mindepth 1 | wc -l
}

memory() {
	sed -n 's/^RssAnon:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$server/status"
}

many_opens() {
	local fds_before memory_before

	timeout 120 "$readers" --opens 2000 "$mnt" >"$said"
	fds_before=$(fds)
	memory_before=$(memory)
	timeout 300 "$readers" --opens 10000 "$mnt" >"$said"
	ok_saying "10 000 opens" "$said"
	echo "# descriptors $fds_before, then $(fds); memory $memory_before, then $(memory) kB"
	[ "$(fds)" -le $((fds_before + 2)) ]
	ok "no descriptor is left open"
	[ "$(memory)" -le $((memory_before + 4096)) ]
	ok "no memory is left taken"
}

if [ "${3:-}" = readers ]; then
	# A report makes the server say something and exit with a status.
	serve "$scratch/capture" && many_readers
	timeout 300 "$readers" --opens 2000 "$mnt" >"$said"
	ok_saying "opens" "$said"
	end_server
	ok "the server has nothing to report"
	finish
fi

sed '/^handle: [0-9]*$/d' "$scratch/capture/page_owner" >"$scratch/stack"
serve "$scratch/capture"
ok "the mount"
many_readers
killed_readers
many_opens

dd if="$mnt/page_owner" of="$scratch/got" bs=4k 2>"$said" &
reader=$!
sleep 0.02
kill -9 "$server"
wait "$reader" "$server" 2>/dev/null
server=
! timeout 20 cat "$mnt/page_owner" 2>"$said" && is_mounted
ok "a killed server leaves a mount that cannot be read"
cmp -n "$(stat -c %s "$scratch/got")" "$scratch/got" "$scratch/stack"
ok "what its reader got is right"
(cd "$scratch" && "$kmemprof" umount mnt/) && ! is_mounted
ok "kmemprof umount clears it"
"$kmemprof" umount "$mnt" 2>"$said"
[ $? = 1 ] && grep -q 'is no mount of kmemprof' "$said"
ok "and says when there is nothing to clear"
serve "$scratch/capture" && timeout 60 cat "$mnt/page_owner" | cmp - "$scratch/stack"
ok "a new mount works"
end_server
ok "and ends well"

# Clock ticks that the server has run.
ticks() {
	cut -d' ' -f14,15 "/proc/$server/stat"
}

serve "$scratch/capture"
cat "$mnt/page_owner_stacks/count_threshold" >"$said"
ls "$mnt" >"$said"
sleep 0.2
before=$(ticks)
sleep 0.5
[ "$(ticks)" = "$before" ]
ok "a mount that nobody asks does not run"
end_server

# What ends a server.
for signal in TERM INT HUP; do
	serve "$scratch/capture" && kill -$signal "$server"
	ended_well
	ok "SIG$signal ends it well"
done
serve "$scratch/capture" && umount "$mnt"
ended_well
ok "umount ends it well"
serve "$scratch/capture"
exec 5<"$mnt/page_owner"
dd bs=4096 count=1 status=none <&5 >"$scratch/begin"
"$kmemprof" umount "$mnt" && ! is_mounted && kill -0 "$server"
ok "umount with an open file: gone from sight, the server stays"
{ cat "$scratch/begin" - <&5; } | cmp -s - "$scratch/stack"
ok "  and that file is read to its end"
exec 5<&-
ended_well
ok "  then the server ends well"

# In the background.
"$kmemprof" mount "$mnt" --source "$scratch/capture" >"$said" 2>&1 && is_mounted && [ ! -s "$said" ]
ok "a mount in the background"
server=$(pgrep -x kmemprof)
timeout 60 cat "$mnt/page_owner" | cmp - "$scratch/stack"
ok "  is read"
[ "$(readlink "/proc/$server/cwd")" = / ] && [ "$(readlink "/proc/$server/fd/1")" = /dev/null ]
ok "  holds neither directory nor terminal"
"$kmemprof" umount "$mnt"
is_gone "$server" && ! is_mounted
ok "  ends with umount"
server=

# What cannot be.
refused() { # NAME MESSAGE COMMAND…
	local name=$1 message=$2 status

	shift 2
	timeout 60 "$@" >"$said" 2>&1
	status=$?
	[ "$status" = 1 ] && [ "$(wc -l <"$said")" = 1 ] && grep -q "$message" "$said" &&
		! grep -q "$scratch.* fuse.kmemprof" /proc/self/mounts
	ok "refused: $name" || true
	sed 's/^/# /' "$said"
}

mkdir "$scratch/empty"
echo "nothing of ours" >"$scratch/text"
ln -s "$mnt" "$scratch/link"
refused "no such directory" "$scratch/nowhere: .*No such file" \
	"$kmemprof" mount "$scratch/nowhere" --source "$scratch/capture"
refused "a file" 'text: .*Not a directory' \
	"$kmemprof" mount "$scratch/text" --source "$scratch/capture"
refused "no such source" 'nowhere: .*No such file' \
	"$kmemprof" mount "$mnt" --source "$scratch/nowhere"
refused "a source of nothing known" 'text: ' "$kmemprof" mount "$mnt" --source "$scratch/text"
refused "a source that is an empty directory" 'empty: ' \
	"$kmemprof" mount "$mnt" --source "$scratch/empty"
refused "umount of no mount" 'is no mount of kmemprof' "$kmemprof" umount "$scratch"
refused "umount of another mount" 'is no mount of kmemprof' "$kmemprof" umount /proc
refused "umount of nothing" 'No such file' "$kmemprof" umount "$scratch/nowhere"

serve "$scratch/capture"
"$kmemprof" mount "$mnt" --source "$scratch/capture" >"$said" 2>&1
status=$?
sed 's/^/# /' "$said"
[ "$status" = 1 ] && grep -q 'is a mount of kmemprof already' "$said" && [ "$(grep -c " $mnt fuse.kmemprof " /proc/self/mounts)" = 1 ] &&
	timeout 60 cat "$mnt/page_owner" | cmp - "$scratch/stack"
ok "refused: a second mount over the first, which goes on"
"$kmemprof" umount "$scratch/link"
ended_well
ok "umount by a link"

# Who is not root, with a copy of what is to be served and a directory that are his.
nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}
chmod 755 "$scratch"
mkdir "$scratch/his"
chown 65534:65534 "$scratch/his"
cp "$kmemprof" "$scratch/kmemprof"
if nobody "$scratch/kmemprof" mount "$scratch/his" --source "$scratch/capture" >"$said" 2>&1; then
	nobody cat "$scratch/his/page_owner" | cmp - "$scratch/stack"
	ok "who is not root mounts, and reads"
	server=$(pgrep -x kmemprof)
	nobody "$scratch/kmemprof" umount "$scratch/his" && ! grep -q "$scratch/his " /proc/self/mounts
	ok "  and unmounts"
	is_gone "$server"
	ok "  and his server ends"
	server=
else
	[ -s "$said" ]
	ok_saying "who is not root is told why" "$said"
fi
nobody "$scratch/kmemprof" mount "$mnt" --source "$scratch/capture" >"$said" 2>&1
[ $? = 1 ] && [ -s "$said" ] && ! is_mounted
ok_saying "refused: who is not root, another's directory" "$said"
finish
