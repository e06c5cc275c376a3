# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The recorder's tags against the kernel's own, by function: what was allocated after attaching.
. /test/lib.sh

by_function() { # FILE
	awk '/^ *-?[0-9]/ { f = $4 ~ /^\[/ ? $5 : $4; b[f] += $1; c[f] += $2 }
		END { for (f in b) print substr(f, 6), b[f], c[f] }' "$1"
}

mkdir t
mount -t tmpfs -o size=300M t t
trap 'umount -l t' EXIT
cat >load <<'LOAD'
cat /proc/allocinfo >before
objects 60 udp=3000 unix=3000 pipe=3000 epoll=2000 event=4000 timer=3000 open=4000 2>ready &
until [ -s ready ]; do sleep 0.1; done
dd if=/dev/zero of=t/big bs=1M count=40 2>/dev/null
for n in $(seq 2000); do : >t/file-$n; done
cat /proc/allocinfo >after
LOAD
kmemprof record --all --tags -o r.kmp -- sh load >log 2>&1 || true
by_function before >before.f
by_function after >after.f
kmemprof tags --by function --format csv r.kmp >ours.csv
cp before after ours.csv log /host/ 2>/dev/null || true
tail -n 2 log | sed 's/^/# /'

# Functions that this kernel's compiler put into others: the recorder has no debug information here
# and names who they are in. The kernel's allocinfo names them.
cat >inlined <<'END'
__do_sys_timerfd_create __x64_sys_timerfd_create
ep_alloc do_epoll_create
udp_lib_init_sock udp_init_sock
END

# The ten functions that grew most, but for notes of the allocator beside its objects, of which the
# kernel counts a part (docs/cli.md).
awk -F, '
FILENAME == "inlined" { split($0, n, " "); within[n[1]] = n[2]; next }
FILENAME == "ours.csv" { gsub(/"/, ""); ours[$1] += $2; next }
{ split($0, n, " ") }
FILENAME == "before.f" { before[n[1]] = n[2]; next }
{ f = n[1] in within ? within[n[1]] : n[1]; grown[f] += n[2] - before[n[1]] }
END { delete grown["alloc_slab_obj_exts"]; for (f in grown) printf "%d %s %d\n", grown[f], f, ours[f] }
' inlined ours.csv before.f after.f | sort -rn | head -n 10 >largest
while read -r kernel function ours; do
	near "$function: bytes of the kernel and ours" "$kernel" "$ours" $((kernel / 50))
done <largest
is "functions compared" "$(wc -l <largest)" 10
mkdir m
check "the tags are served" kmemprof mount --source r.kmp m
grep -E '^ +[0-9]+ +[0-9]+ [?]:0 func:sock_alloc_inode ' m/allocinfo >served || true
is "as allocinfo: calls" "$(awk '{ print $2 }' served)" 9000
check "umount" kmemprof umount m


# While it goes on: what was allocated since is served, and what was lost is told at the end.
kmemprof mount m --source live --all --tags 2>err || fail "a live mount of tags" "$(cat err)"
objects 60 udp=700 2>made &
holder=$!
until [ -s made ]; do sleep 0.1; done
calls=$(awk '$4 == "func:sk_prot_alloc" { print $2 }' m/allocinfo)
if [ "${calls:-0}" -ge 700 ]; then
	pass "tags of a recording that goes on: $calls calls"
else
	fail "tags of a recording that goes on" "$calls calls; $(head -n 5 m/allocinfo)"
fi
is "its status" "$(grep -c '^source: live$\|^dropped: [0-9]*$' m/kmemprof_status)" 2
dropped=$(sed -n 's/^dropped: //p' m/kmemprof_status)
status=0
kmemprof umount m 2>err || status=$?
is "umount's exit status, of $dropped dropped" $status $((dropped ? 3 : 0))
kill $holder

kmemprof trace --format json sk_prot_alloc -- objects 0 udp=500 >out 2>log || true
tail -n 1 log | sed 's/^/# /'
kmemprof trace --format json sk_prot_alloc --freed -- objects 0 udp=500 >trace 2>log || true
is "a trace: calls, all freed" "$(jq .totals.calls out)" 0
is "a trace: calls, with those freed" "$(jq .totals.calls trace)" 500
is "its stacks" "$(jq -r '[.groups[].key.stack | any(startswith("inet_create"))] | all' trace)" true
kmemprof trace --format json maple_node --freed -- sh -c 'ls >/dev/null' >trace 2>log || true
if [ "$(jq .totals.calls trace)" -ge 5 ]; then
	pass "a trace of a cache: $(jq .totals.calls trace) calls"
else
	fail "a trace of a cache" "$(cat trace log)"
fi
