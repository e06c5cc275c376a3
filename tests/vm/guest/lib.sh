# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# For the guest's tests, which are run by busybox's sh -eu in an empty directory: each prints
# lines of TAP, `ok - TEST: WHAT`.

DEBUG=/sys/kernel/debug
export DEBUG

pass() { # WHAT
	echo "ok - $TEST: $1"
}

# The rest of the words, or a file, say why.
fail() { # WHAT [WHY…]
	echo "not ok - $TEST: $1"
	shift
	[ $# = 0 ] || echo "$*" | tail -n 20 | sed 's/^/# /'
}

skip() { # WHAT WHY
	echo "ok - $TEST: $1 # SKIP $2"
}

# The command succeeds, without a word on standard error. Its output is left in ./out.
check() { # WHAT COMMAND…
	what=$1
	shift
	if "$@" >out 2>err && ! [ -s err ]; then
		pass "$what"
	else
		fail "$what" "$* ($?): $(cat err)"
	fi
}

# The command ends with this status, nothing on standard output and a message that matches.
refuses() { # STATUS REGEX COMMAND…
	want=$1
	regex=$2
	shift 2
	got=0
	"$@" >out 2>err || got=$?
	if [ "$got" = "$want" ] && ! [ -s out ] && grep -qE "$regex" err; then
		pass "$*: $(head -n 1 err)"
	else
		fail "$*" "status $got, not $want, or not /$regex/: $(cat err) $(head -n 3 out)"
	fi
}

# Two figures that were not taken at one moment: at most so far apart.
near() { # WHAT A B DISTANCE
	distance=$(($2 - $3))
	[ "$distance" -ge 0 ] || distance=$((-distance))
	if [ "$distance" -le "$4" ]; then
		pass "$1: $2 and $3"
	else
		fail "$1" "$2 and $3 are more than $4 apart"
	fi
}

same() { # WHAT FILE FILE
	if cmp "$2" "$3" >out 2>&1; then
		pass "$1"
	else
		# busybox's diff takes for ever over large files.
		fail "$1" "$(cat out; head -c 20000 "$2" >a; head -c 20000 "$3" | diff a - | head)"
	fi
}

is() { # WHAT GOT WANTED
	if [ "$2" = "$3" ]; then pass "$1: $2"; else fail "$1" "'$2', not '$3'"; fi
}

# The kernel's own text, through a descriptor with a filter.
kernel() { # WORDS FILE
	exec 3<>$DEBUG/page_owner
	echo "$1" >&3
	cat <&3 >"$2"
	exec 3<&-
}

# Wait until a recorder has attached its programs, or has ended.
attached() { # PID
	while kill -0 "$1" 2>/dev/null; do
		# anon_inode:bpf_link, or bpf-link; two to measure with
		links=$(for fd in "/proc/$1/fd/"*; do readlink "$fd" || true; done | grep -c 'bpf.link' || true)
		[ "$links" -le 2 ] || break
		sleep 0.2
	done
	sleep 1
}

mark=0
# Is this command's output between what the kernel says before and after it?
between() { # WORDS COMMAND…
	words=$1
	mode=${1#mode=}
	mode=${mode%% *}
	shift
	rm -f before ours after
	# By the clock of the records, which is that of the kernel's log.
	mark=$((mark + 1))
	echo "mark $mark" >/dev/kmsg
	begin=$(grep -m 1 ";mark $mark\$" /dev/kmsg | cut -d, -f3)
	kernel "$words" before
	"$@" >ours 2>err || { fail "$* ends with 0" "$(cat err)"; return; }
	kernel "$words" after
	if verdict=$(records before ours after "$begin" 2>&1); then
		pass "$*: $(echo "$verdict" | tail -n 1)"
	else
		fail "$* is what the kernel says in $words" "$verdict"
	fi
}

# Where the kernel tells neither owners nor tags, every verb says what is missing and leaves no file.
refuses_all() {
	no_owner='page_owner=on'
	refuses 1 "$no_owner" kmemprof report
	refuses 1 "$no_owner" kmemprof report --by comm --format json
	refuses 1 "$no_owner" kmemprof filter
	refuses 1 "$no_owner" kmemprof filter --mode handle --node 0
	refuses 1 "$no_owner" kmemprof stacks
	refuses 1 "$no_owner" kmemprof stacks --file show_handles
	refuses 1 "$no_owner" page_owner_filter -m handle
	no_tags='mem_profiling'
	refuses 1 "$no_tags" kmemprof tags
	refuses 1 "$no_tags" kmemprof tags --by module --format json
	refuses 1 "$no_tags" kmemprof capture -o x.kmp
	mkdir m
	refuses 1 "$no_tags" kmemprof mount m
	is "no file is left" "$(ls)" "err
m
out"
}
