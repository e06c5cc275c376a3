# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The rows of the mount, sourced by run.sh: reads through FUSE against a file that does nothing, and
# questions to allocinfo against reading its text.

mount_dir=$cache/mnt

# Sets seconds and read_bytes of reading FILE in reads of SIZE.
read_rate() { # SIZE FILE [WORDS]
	read -r seconds read_bytes < <("$cache/read-rate" 3 "$@")
}

mount_pages() {
	local rss

	[ -f "$cache/8m.kmp" ] || xz -dc "$capture/page_owner.stack_handle.xz" |
		"$cache/grow" 4640000000 2>/dev/null |
		"$kmemprof" capture --source - -o "$cache/8m.kmp" >/dev/null
	pages=$("$kmemprof" report --by order --format json "$cache/8m.kmp" |
		sed -n '/"totals"/,/}/s/.*"pages": \([0-9]*\).*/\1/p')
	"$kmemprof" mount "$mount_dir" --source "$cache/8m.kmp" --foreground &
	server=$!
	until [ -e "$mount_dir/page_owner" ]; do sleep 0.1; done
	rss=$(awk '/VmRSS/ { print $2 * 1024 }' "/proc/$server/status")
	row "mount, $pages pages: memory of the server, a page" %.1f "$rss / $pages" bytes "<=" 32

	"$cache/fuse-nothing" "$cache/mnt2" 4500000000 &
	nothing=$!
	until [ -e "$cache/mnt2/nothing" ]; do sleep 0.1; done
	read_rate 1048576 "$cache/mnt2/nothing"
	info "limit: a FUSE file that does nothing, 1 MiB reads" %.2f "$read_bytes / $seconds / 1e9" GB/s
	read_rate 1048576 "$mount_dir/page_owner"
	row "mount: mode=stack, 1 MiB reads" %.2f "$read_bytes / $seconds / 1e9" GB/s ">=" 2
	read_rate 1048576 "$mount_dir/page_owner" mode=handle
	both=$seconds
	row "mount: mode=handle, 1 MiB reads" %.2f "$read_bytes / $seconds / 1e9" GB/s ">=" 1.5
	read_rate 1048576 "$mount_dir/page_owner" "mode=handle nid=0"
	row "mount: mode=handle of one node of two against both, time" %.2f "$seconds / $both" times \
		"<=" 0.5
	read_rate 131072 "$cache/mnt2/nothing"
	limit=$(calc %.6f "$read_bytes / $seconds")
	info "limit: the file that does nothing, 128 KiB reads" %.2f "$limit / 1e9" GB/s
	read_rate 131072 "$mount_dir/page_owner"
	row "mount: as cat reads (128 KiB), against that" %.2f "$read_bytes / $seconds / $limit" times \
		">=" 0.8
	"$kmemprof" umount "$mount_dir"
	umount "$cache/mnt2"
	wait "$server" "$nothing" || true
}

mount_tags() {
	local what time
	declare -A us

	xz -dc "$capture/allocinfo.xz" >"$cache/allocinfo.txt"
	while read -r what time _; do
		us[$what]=$time
	done < <(build/bench/tags-mount "$cache/allocinfo.txt" "$mount_dir")
	info "8000 tags on 224 CPUs: text through the mount, in process" %.0f "${us[text]}" us
	info "  the same by grep" %.0f "${us[grep]}" us
	row "  a file of one tag by ioctl against text and grep" %.1f "${us[grep]} / ${us[one]}" times \
		">=" 20
	row "  a file of eight tags by ioctl against text and grep" %.1f "${us[grep]} / ${us[eight]}" \
		times ">=" 20
	row "  the size filter by ioctl against reading the text" %.1f "${us[text]} / ${us[size]}" times \
		">=" 4
	info "  the same against text and awk" %.1f "${us[awk]} / ${us[size]}" times
}

mkdir -p "$mount_dir" "$cache/mnt2"
trap 'umount -l "$mount_dir" "$cache/mnt2" 2>/dev/null; true' EXIT
# shellcheck disable=SC2046 # words they are
gcc -O2 -o "$cache/fuse-nothing" bench/fuse-nothing.c $(pkg-config --cflags --libs fuse3)
gcc -O2 -o "$cache/read-rate" bench/read-rate.c
mount_pages
mount_tags
