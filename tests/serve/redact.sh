#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# With --redact nothing that is answered has the name or number of a task, a cgroup, the source's
# path or where somebody built a module: whatever is asked, and if the source fails.
#
#     redact.sh KMEMPROF
# shellcheck source=tests/serve/lib.sh
. "${0%/*}/lib.sh"

source=$scratch/secret-directory
mkdir "$source"
cat >"$source/page_owner" <<'X'
Page allocated via order 0, mask 0x400cc0(GFP_KERNEL_ACCOUNT), pid 424242, tgid 434343 (secret-task), ts 1000 ns
PFN 0x100 type Unmovable Block 0 type Unmovable Flags 0x200(workingset|node=0|zone=1)
 post_alloc_hook+0x6a/0x91
 get_page_from_freelist+0x8a8/0x92b
 __alloc_pages_noprof+0x187/0x266
 told_function+0x10/0x20
 vfs_write+0x10/0x20
Charged to memcg secret-cgroup.service

Page allocated via order 3, mask 0xcc0(GFP_KERNEL), pid 424243, tgid 434343 (secret-other), ts 2000 ns
PFN 0x110 type Movable Block 0 type Movable Flags 0x200(workingset|node=0|zone=1)
 post_alloc_hook+0x6a/0x91
 __alloc_pages_noprof+0x187/0x266
 another_function+0x10/0x20 [a_module]

Page allocated nonsense of secret-damage
X
cat >"$source/allocinfo" <<'X'
allocinfo - version: 1.0
#     <size>  <calls> <tag info>
        4096        1 mm/told.c:10 func:told_function
        8192        2 /home/secret-user/build/module.c:20 [a_module] func:another_function
X

secrets='secret|42424[23]|434343'
asked=0
ask() { # PATH: what is answered goes to $scratch/answers
	asked=$((asked + 1))
	{
		echo "== $1"
		get "$1" -D -
		echo
	} >>"$scratch/answers"
}

ask_all() {
	local by format verb

	for verb in report diff; do
		for by in comm pid tgid memcg stack function module order comm,pid,tgid,memcg,stack; do
			ask "/api/v1/$verb?by=$by"
		done
		for format in json csv folded svg html table; do
			ask "/api/v1/$verb?format=$format"
			ask "/api/v1/$verb?by=stack,comm&format=$format"
		done
		ask "/api/v1/$verb?where=comm==%22secret-task%22"
		ask "/api/v1/$verb?where=pid==424242"
		ask "/api/v1/$verb?where=nonsense"
	done
	for by in module file function line directory; do
		ask "/api/v1/tags?by=$by"
	done
	ask '/api/v1/tags?format=table'
	ask '/api/v1/tags?format=html'
	ask '/api/v1/diff?tags&by=file'
	ask '/api/v1/trend'
	ask '/page/data'
	ask '/page/data?where=order%3E%3D0'
	ask '/page/data?by=comm,pid,memcg'
	ask /
	ask /metrics
	ask /healthz
	ask /nothing
	get /pprof/pages | gzip -dc >>"$scratch/answers"
	get '/pprof/pages?by=stack,comm,pid' | gzip -dc >>"$scratch/answers"
}

# Without it all of that is told: the test would see it.
start --source "$source" --interval 1d 2>/dev/null
ask_all
for secret in secret-task secret-other secret-cgroup secret-directory secret-user 424242 434343; do
	ok "told without --redact: $secret" grep -q "$secret" "$scratch/answers"
done
stop

: >"$scratch/answers"
start --source "$source" --interval 100ms --redact
ask_all
rm "$source/page_owner" "$source/allocinfo"
for ((tries = 0; tries < 200; tries++)); do
	[ "$(status /healthz)" != 503 ] || break
	sleep 0.05
done
is "the source fails" "$(status /healthz)" 503
ask_all
ok "$asked answers, of which there are figures" grep -q told_function "$scratch/answers"
# What the client asked for is his.
sed -e '/^== /d' -e 's/where=[^ ]*//' "$scratch/answers" | grep -aE "$secrets" |
	grep -avE '^ *(comm|pid)==|"error": ?"' >"$scratch/told"
is "nothing of it is told" "$(head -c 300 "$scratch/told")" ''
grep -a '"error"' "$scratch/answers" | grep -aE "$secrets" | grep -avE '(comm|pid)==' >"$scratch/told"
is "nor by errors" "$(head -c 300 "$scratch/told")" ''
stop
finish
