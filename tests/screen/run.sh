#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# `kmemprof watch` in a terminal: keys are pressed in tmux, and what stands on the screen is compared
# with what is expected. Prints TAP.
#
#     tests/screen/run.sh [--accept] KMEMPROF MAKE-HISTORY
#
# --accept writes the expected screens from what came out: look at them before you commit them.
set -u

here=$(cd "$(dirname "$0")" && pwd)
accept=
if [ "${1:-}" = --accept ]; then
	accept=yes
	shift
fi
kmemprof=$(realpath "$1")
make_history=$(realpath "$2")
if ! command -v tmux >/dev/null; then
	echo "1..0 # SKIP tmux is not installed: the screen was not tried"
	exit 0
fi
if ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	echo "1..0 # SKIP no terminal (is /dev/pts mounted?): the screen was not tried"
	exit 0
fi

scratch=$(mktemp -d)
export LC_ALL=C.UTF-8 TZ=UTC TMUX_TMPDIR=$scratch
unset TMUX NO_COLOR COLUMNS LINES
trap 'stop; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
"$make_history" history.kmp || exit 1
printf 'set -g default-terminal screen-256color\nset -g status off\nset -sg escape-time 0\n' >conf

count=0
failed=0
result() { # NAME OK
	count=$((count + 1))
	if [ "$2" = yes ]; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		failed=$((failed + 1))
	fi
}

# Each has a server of its own: one that is about to end takes no new session.
server=0
stop() {
	tmux -L "$server" kill-server 2>/dev/null
}

start() { # COLUMNS LINES COMMAND
	stop
	server=$((server + 1))
	tmux -L "$server" -f conf new-session -d -x "$1" -y "$2" "$3"
}

press() { # KEYS…
	tmux -L "$server" send-keys -- "$@"
}

resize() { # COLUMNS LINES
	tmux -L "$server" resize-window -x "$1" -y "$2"
}

screen() {
	tmux -L "$server" capture-pane -p "$@" 2>/dev/null
}

# Flags of the terminal, as tmux has them.
flags() { # FORMAT
	tmux -L "$server" display -p "$1"
}

# Poll for 20 s: a busy machine draws late.
until_true() { # COMMAND…
	local end=$((SECONDS + 20))

	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.05
	done
}

shows() { # TEXT
	screen | grep -qF -- "$1"
}

await() { # NAME TEXT
	if until_true shows "$2"; then
		result "$1" yes
	else
		screen | sed 's/^/# /'
		result "$1" no
	fi
}

# What no test can foresee: the time of day, how long it took, and so the rates.
mask=mask_nothing
mask_nothing() {
	cat
}

mask_times() {
	sed -E 's/[0-9]{2}:[0-9]{2}:[0-9]{2}  [0-9]+:[0-9]{2}:[0-9]{2}$/(times)/
		s/^( *[-+.0-9KMG]+ +[-+.0-9KMG]+ +[-+.0-9KMG]+ ) *[-+.0-9KMG]+ /\1   (rate) /'
}

equals() { # NAME
	screen | "$mask" >got
	cmp -s got "$here/expected/$1"
}

compare() { # NAME
	if [ -n "$accept" ]; then
		sleep 1
		screen | "$mask" >"$here/expected/$1"
	fi
	if until_true equals "$1"; then
		result "$1" yes
	else
		diff -u "$here/expected/$1" got | sed 's/^/# /'
		result "$1" no
	fi
}

# A history, with its own times, on an ordinary terminal.
start 80 24 "$kmemprof watch history.kmp"
compare history
press Down Down Enter
compare expanded
press Enter '['
compare moment-before
press '{'
compare first-moment
press ']' ']' ']'
compare fourth-moment
press '}' 3
compare tasks
press '>' '>'
compare tasks-by-change
press R
compare tasks-turned-round
press 2
compare tags
press / leaky Enter
compare tags-filtered
press 4
compare nodes
press Right
compare orders
press / nonsense=1 Enter
compare filter-mistake
press / C-u 'order>=1 && !(comm==leaker)' Enter
compare filtered
press 1
compare filtered-stacks
press '?'
compare help
press x / C-u Enter
resize 132 43
compare large
resize 30 8
compare small
resize 80 24
press G Enter
compare back-to-80
press w C-u saved.kmp Enter
await "a moment is saved" "saved: saved.kmp"
[ "$("$kmemprof" report --by pid --format csv saved.kmp | tail -n +2 | wc -l)" = 5 ]
result "what was saved can be read" "$([ $? = 0 ] && echo yes)"
press w C-u saved.kmp Enter
await "a file that is there is not written over" "saved.kmp: is there already"
press /
press 'é日' BSpace
await "what is typed is rubbed out by characters" "where: é"
press Escape q

# Without colours, or with none wanted; without the characters of the series.
start 80 24 "TERM=vt100 $kmemprof watch --tab tasks history.kmp"
compare vt100
screen -e | grep -q $'\e\[[0-9;]*3[0-7]m'
result "a terminal without colours gets none" "$([ $? = 1 ] && echo yes)"
start 80 24 "$kmemprof watch history.kmp"
until_true shows 40/40
screen -e | grep -q $'\e\[[0-9;]*31m'
result "growth is red" "$([ $? = 0 ] && echo yes)"
start 80 24 "NO_COLOR=1 $kmemprof watch history.kmp"
until_true shows 40/40
screen -e | grep -q $'\e\[[0-9;]*3[0-7]m'
result "NO_COLOR is heeded" "$([ $? = 1 ] && echo yes)"
start 80 24 "LC_ALL=C $kmemprof watch --tab tasks history.kmp"
compare ascii

# A file that changes. Samples are taken by the key r alone.
mask=mask_times
for n in 1 2 3 4 5; do
	printf '%s\n' "Page allocated via order $n, mask 0x1(GFP), pid $n, tgid $n (t$n), ts 1 ns" \
		'PFN 0x10 type Movable Block 0 type Movable Flags 0x40(head|node=0|zone=1)' \
		" f$n+0x1/0x2" ' main+0x1/0x2' ''
done >five.txt
cp five.txt text
start 80 24 "$kmemprof watch --interval 1h text"
compare file
sed 's/order 3,/order 6,/' five.txt >new && mv new text
press r
compare file-changed
press z
compare file-zero
rm text
press r
await "a file that is gone is told of" "text: cannot open"
cp five.txt text
press r
compare file-again
press Space
await "freezing is shown" FROZEN
{
	cat five.txt
	sed 's/order 1/order x/; 5q' five.txt
} >damaged
cat >lossy <<END
$kmemprof watch --interval 1h damaged 2>said
echo "status \$?" "\$(cat said)"
sleep 60
END
start 80 24 "sh lossy"
await "what is lost is told" "1 records skipped"
press q
await "and told again at the end" "status 3 kmemprof: warning: 1 records skipped"
cp "$here"/../data/samples/22-DERIVED-* hostile
start 80 24 "$kmemprof watch --interval 1h --tab tasks hostile"
compare hostile-names
mask=mask_nothing

# However it ends, the terminal is as it was.
cat >ends <<'END'
stty -g >before
sh -c 'echo $$ >pid; exec "$0" "$@"' "$@"
echo "status $?"
stty -g >after
cmp before after && echo "the terminal is as before"
sleep 60
END
for signal in q INT TERM HUP QUIT; do
	rm -f pid
	start 80 24 "sh ends $kmemprof watch history.kmp"
	until_true shows 40/40
	if [ $signal = q ]; then press q; else kill -$signal "$(cat pid)"; fi
	case $signal in
	q | INT) want="status 0" ;;
	*) want="status $((128 + $(kill -l $signal)))" ;;
	esac
	until_true shows "the terminal is as before"
	if shows "$want" && [ "$(flags '#{alternate_on}#{cursor_flag}')" = 01 ]; then
		result "ended by $signal: $want" yes
	else
		screen | sed 's/^/# /'
		result "ended by $signal" no
	fi
done

start 80 24 "PS1='prompt ' bash --norc -i"
until_true shows prompt
press "$kmemprof watch history.kmp" Enter
until_true shows 40/40
press C-z
until_true shows Stopped
[ "$(flags '#{alternate_on}')" = 0 ]
result "stopped, the terminal is the shell's" "$([ $? = 0 ] && echo yes)"
press fg Enter
compare history

echo "1..$count"
[ "$failed" = 0 ]
