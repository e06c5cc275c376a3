# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # kmemprof, mnt, scratch: the script's
# A server of a mount, for all tests that have one.

is_mounted() {
	grep -q " $mnt fuse.kmemprof " /proc/self/mounts
}

# Serve a source at $mnt, in $server; what it says goes to $scratch/server.log.
serve() { # SOURCE [OPTION…]
	local tries

	# What a shell starts in the background ignores SIGINT otherwise.
	env --default-signal=INT "$kmemprof" mount "$mnt" --foreground --source "$@" \
		>"$scratch/server.log" 2>&1 </dev/null &
	server=$!
	for ((tries = 0; tries < 600; tries++)); do
		if is_mounted; then return 0; fi
		kill -0 "$server" 2>/dev/null || break
		sleep 0.05
	done
	echo "# the server did not come up:"
	sed 's/^/#  /' "$scratch/server.log"
	return 1
}
