# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # variables of run.sh
# The screen on 5000 stacks whose counts all change from one second to the next: user and system
# time of the program over a minute, or ten seconds for a quick look.

stacks_dir() { # DIRECTORY
	mkdir -p "$1"
	awk -v stacks="$1/show_stacks_handles" -v counts="$1" 'BEGIN {
		for (i = 1; i <= 5000; i++) {
			print " get_page_from_freelist+0x8a8/0x92b\n __alloc_frozen_pages_noprof+0x187/0x266" >stacks
			print " alloc_pages_mpol+0xa1/0x165\n alloc_pages_noprof+0xe/0x1b" >stacks
			for (d = 0; d < 8; d++)
				printf " function_%d_%d+0x%x/0x3c0 [module%d]\n", d, int(i / 2 ^ d),
					16 + i % 64, i % 17 >stacks
			print " do_syscall_64+0x7e/0x1b6\n entry_SYSCALL_64_after_hwframe+0x4b/0x53" >stacks
			printf "handle: %d\n\n", i * 16 >stacks
			for (n = 0; n < 2; n++)
				printf "handle: %d\nnr_base_pages: %d\n\n", i * 16,
					1 + i * (7919 + 2 * n) % 4096 >counts "/counts." n
		}
	}'
}

watch_cpu() { # DIRECTORY SECONDS: sets cpu, in seconds
	local dir=$1 n=0 user system
	local tmux="tmux -L kmemprof-bench -f /dev/null"

	cp "$dir/counts.0" "$dir/show_handles"
	# shellcheck disable=SC2016 # the inner shell's
	LC_ALL=C.UTF-8 $tmux new-session -d -x 132 -y 43 \
		"bash -c 'TIMEFORMAT=\"%U %S\"; { time \"\$@\"; } 2>$dir/cpu' - \
		$PWD/$kmemprof watch --interval 1s --count $2 $PWD/$dir"
	while $tmux has-session 2>/dev/null; do
		sleep 0.7
		n=$((1 - n))
		cp "$dir/counts.$n" "$dir/new"
		mv "$dir/new" "$dir/show_handles"
	done
	read -r user system <"$dir/cpu"
	cpu=$(calc %.3f "$user + $system")
}

stacks_dir "$cache/stacks"
watched=60
[ "$runs" != 1 ] || watched=10
watch_cpu "$cache/stacks" "$watched"
row "watch: 5000 stacks, a refresh a second: of one CPU" %.2f "100 * $cpu / $watched" % "<=" 2
rm -rf "$cache/stacks"
