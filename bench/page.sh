# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The rows of the page, sourced by run.sh: 60 000 page owners of 5000 stacks, which 48 tasks have on
# two nodes; how large the page is, and when a browser has drawn it.

many_stacks() {
	awk 'function name() {
		return word[int(rand() * words)] "_" word[int(rand() * words)] "_" word[int(rand() * words)]
	}
	BEGIN {
		srand(7)
		words = split("alloc read write page buf inode tcp skb sock vfs handle fault map init queue " \
			"net ring task file lookup dentry node bio submit commit journal extent cache", word, " ")
		word[0] = "get"
		for (i = 0; i < 6000; i++)
			frame[i] = " " name() sprintf("+0x%x/0x%x", 1 + rand() * 900, 901 + rand() * 3000) \
				(rand() < 0.15 ? " [xfs]" : "")
		for (i = 0; i < 60; i++)
			for (k = 0; k < 4; k++)
				outer[i, k] = frame[int(rand() * 6000)]
		for (i = 0; i < 5000; i++) {
			stack[i] = " post_alloc_hook+0x6a/0x91\n get_page_from_freelist+0x8a8/0x92b"
			for (k = 4 + int(rand() * 5); k; k--)
				stack[i] = stack[i] "\n" frame[int(rand() * 6000)]
			root = int(rand() * 60)
			for (k = 1 + int(rand() * 3); k >= 0; k--)
				stack[i] = stack[i] "\n" outer[root, k]
		}
		for (i = 0; i < 60000; i++) {
			s = i < 5000 ? i : int(5000 * rand() ^ 4)
			task = int(rand() * 48)
			printf "Page allocated via order %d, mask 0xcc0(GFP_KERNEL), pid %d, tgid %d (task/%d), ts %d ns\n" \
				"PFN 0x%x type Unmovable Block %d type Unmovable Flags 0x200(workingset|node=%d|zone=%d)\n%s\n\n", \
				rand() < 0.7 ? 0 : int(rand() * 4), task, task, task, i * 1000, 4096 + i * 8, 8 + i / 64, \
				rand() * 2, 1 + rand() * 2, stack[s]
		}
	}'
}

# Milliseconds from the beginning of the navigation to the frame after the page was drawn.
page_time() { # BROWSER PAGE
	sed '$d' "$2" >"$cache/timed.html"
	cat >>"$cache/timed.html" <<'X'
<script>requestAnimationFrame(() => setTimeout(() => {
	console.log('drawn after ' + Math.round(performance.now()) + ' ms');
}, 0));</script></html>
X
	timeout 60 "$1" --headless --no-sandbox --disable-gpu --no-first-run --disable-sync \
		--disable-background-networking --disable-component-update \
		--user-data-dir="$cache/profile" --window-size=1280,1600 --enable-logging=stderr \
		--screenshot="$cache/page.png" "file://$PWD/$cache/timed.html" 2>&1 |
		sed -n 's/.*drawn after \([0-9]*\) ms.*/\1/p'
}

bench_page() {
	local browser time stacks

	[ -f "$cache/stacks-5000.txt" ] || many_stacks >"$cache/stacks-5000.txt"
	"$kmemprof" report --format html --output "$cache/page.html" "$cache/stacks-5000.txt"
	stacks=$("$kmemprof" report --format csv "$cache/stacks-5000.txt" | wc -l)
	row "page (report --format html) of $((stacks - 1)) stacks" %.2f \
		"$(stat -c %s "$cache/page.html") / 1e6" MB "<=" 2
	browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
		echo "bench: no Chromium: the page was not drawn" >&2
		return 0
	}
	time=$(for _ in $(seq "$runs"); do page_time "$browser" "$cache/page.html"; done | sort -n |
		sed -n "$(((runs + 1) / 2))p")
	row "  drawn by Chromium" %.2f "${time:-99999} / 1000" s "<=" 1
}

bench_page
