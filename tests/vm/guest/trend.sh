# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Programs that leak, churn, spike and step: monitor takes samples meanwhile, and trend names the
# one that leaks, at its rate, and no other. Of page owners by stack, and of tags.
. /test/lib.sh

# A word of the boot line makes it longer.
seconds=${TREND_SECONDS:-24}

# Those that leak get this name beside the others; their history is $1.kmp.
watch() { # KIND
	pids=
	for kind in "$1" churn spike step; do
		course "$kind" "$seconds" &
		pids="$pids $!"
	done
	# What is done beside: noise.
	while :; do
		ls -lR /proc/self /sys/kernel >noise 2>&1 || true
		sleep 0.3
	done &
	pids="$pids $!"
	kmemprof monitor --interval 400ms --output "$1.kmp" >said 2>err &
	monitor=$!
	sleep "$seconds"
	kill -TERM $monitor
	wait $monitor || fail "monitor" "$(cat err)"
	# shellcheck disable=SC2086
	kill $pids
	# shellcheck disable=SC2086
	wait $pids 2>/dev/null || true
	sed 's/^/# /' said
}

# Verdicts of the trends with this in their key that have had 4 MiB.
verdicts() { # FILE REGEX
	jq -r --arg r "$2" '.trends[] | select((.key | tostring | test($r)) and .max > 4e6) |
		.verdict' "$1" | sort -u
}

# Rate of the first trend, in per cent of what it is.
percent() { # FILE RATE
	jq -r --argjson rate "$2" '.trends[0].rate * 100 / $rate | round' "$1"
}

watch pipes
# The history itself grows in memory here: what grows by less than 1 MiB is of no interest.
check "trend of stacks" kmemprof trend pipes.kmp --min-growth 1M --output table
grep -v '^$' table | head -n 30 | sed 's/^/# /'
check "the same as JSON" kmemprof trend pipes.kmp --min-growth 1M --format json --output stacks.json
is "stacks: the first is" "$(jq -r '.trends[0].verdict' stacks.json)" leak
if jq -e '.trends[0].key.stack | tostring | test("pipe_resize_ring|pipe_set_size|pipe_fcntl")' \
	stacks.json >/dev/null; then
	pass "stacks: the first is the pipes'"
else
	fail "stacks: the first is the pipes'" "$(jq -c '.trends[0].key' stacks.json)"
fi
near "stacks: the rate, in per cent" "$(percent stacks.json 163840)" 100 5
is "stacks: other leaks" "$(jq '[.trends[] | select(.verdict == "leak")] | length' stacks.json)" 1
is "stacks: the spike is a" "$(verdicts stacks.json 'shmem_fault')" spike
is "stacks: the step is a" "$(verdicts stacks.json 'do_madvise')" step
check "two moments" kmemprof diff pipes.kmp@-8s pipes.kmp@now --format json --output diff.json
# The sample before is up to an interval older; times are told in whole seconds.
near "their difference, in order-2 pages" "$(jq '[.groups[] |
	select(.key.stack | tostring | test("pipe_resize_ring|pipe_set_size|pipe_fcntl")) | .delta] |
	add / 4 | round' diff.json)" "$(jq '(.to.source.time - .from.source.time) * 10' diff.json)" 11

watch sockets
check "trend of tags" kmemprof trend sockets.kmp --by tag --min-growth 1M --output table
head -n 12 table | sed 's/^/# /'
check "the same as JSON" kmemprof trend sockets.kmp --by tag --min-growth 1M --format json \
	--output tags.json
is "tags: the first is" "$(jq -r '.trends[0].verdict' tags.json)" leak
is "tags: the first is of" "$(jq -r '.trends[0].key.function' tags.json)" sk_prot_alloc
# A hundred a second, each of what the kernel says that one takes.
size=$(kmemprof tags sockets.kmp --function sk_prot_alloc --format json |
	jq '[.tags[] | select(.calls > 500)][0] | .bytes / .calls | round')
near "tags: the rate, in per cent" "$(percent tags.json "$((size * 100))")" 100 5
# Inodes, dentries and files of the sockets leak as well, by right.
is "tags: leaks of the others" "$(jq -r '[.trends[] | select(.verdict == "leak") |
	select(.key.function | test("sk_prot_alloc|sock_alloc_inode|alloc_inode|__d_alloc|alloc_empty_file|alloc_slab_page|security|sock")
	| not)] | length' tags.json)" 0

# A writer that is killed loses nothing; a full disk costs the samples that find no room.
kmemprof monitor --interval 100ms --output k.kmp >said 2>err &
monitor=$!
sleep 3
kill -KILL $monitor
wait $monitor 2>/dev/null || true
check "killed: the history is whole" kmemprof trend k.kmp --format csv --output csv
samples=$(sqlite3 k.kmp 'SELECT count(*) FROM sample')
check "it goes on" kmemprof monitor --interval 2s --count 3 --output k.kmp
is "samples then" "$(sqlite3 k.kmp 'SELECT count(*) FROM sample')" $((samples + 3))
is "sqlite3 finds it" "$(sqlite3 k.kmp 'PRAGMA integrity_check')" ok
said_within() { # SECONDS TEXT
	left=$1
	until grep -q "$2" err || [ "$left" = 0 ]; do
		sleep 1
		left=$((left - 1))
	done
}
mkdir full
mount -t tmpfs -o size=1200k none full
kmemprof monitor --interval 20ms --output full/f.kmp >said 2>err &
monitor=$!
sleep 2
samples=$(sqlite3 "file:full/f.kmp?mode=ro" 'SELECT count(*) FROM sample')
dd if=/dev/zero of=full/filler bs=4k 2>/dev/null || true
# What SQLite's log has room for is no loss yet.
said_within 30 'a sample is lost'
rm full/filler
said_within 10 'samples are taken again'
kill -TERM $monitor
status=0
wait $monitor || status=$?
is "a full disk: the status of what lost samples" "$status" 3
if grep -q 'a sample is lost: full/f.kmp' err && grep -q 'samples are taken again' err; then
	pass "it says so: $(grep -m 1 lost err)"
else
	fail "it says so" "$(cat err)"
fi
is "sqlite3 finds that" "$(sqlite3 full/f.kmp 'PRAGMA integrity_check')" ok
now=$(sqlite3 full/f.kmp 'SELECT count(*) FROM sample')
if [ "$now" -gt "$samples" ]; then
	pass "samples before and after: $samples, $now"
else
	fail "samples before and after" "$samples, $now"
fi
check "it is read" kmemprof report full/f.kmp@first
umount full
