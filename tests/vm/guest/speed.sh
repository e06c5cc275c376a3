# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What must be how many times faster than the kernel's text and ordinary programs. Seconds of an
# emulated machine mean nothing, ratios within one boot do: each pair is run in turns, and the least
# time of each side counts, since what else the host does only adds. Run by ./do bench vm.
. /test/lib.sh

page_owner=$DEBUG/page_owner
show_handles=$DEBUG/page_owner_stacks/show_handles
cat=/gnu/cat
grep=/gnu/grep
# For a quick look: words of the boot line.
rounds=${SPEED_ROUNDS:-3}
megabytes=${SPEED_MB:-1024}

# Page by page, 3 GB.
mkfifo go
hold one="$megabytes" two="$megabytes" three="$megabytes" <go >ready &
exec 4>go
while ! grep -q ready ready; do sleep 1; done

cat >handles <<END
exec 3<>$page_owner
echo mode=handle >&3
exec $cat <&3
END
cat >snapshots <<END
n=0
while [ \$n -lt 100 ]; do
	$cat $show_handles >series.\$n
	n=\$((n + 1))
done
END

# Times go to a file of that name.
run() { # NAME [COST-OPTIONS] RUNS COMMAND…
	name=$1
	shift
	cost "$@" >>"$name.times"
}

least() { # NAME COLUMN
	awk -v c="$2" 'NR == 1 || $c < least { least = $c } END { print least }' "$1.times"
}

row() { # WHAT MEASURED RELATION REQUIRED UNIT
	if awk "BEGIN { exit !($2 $3 $4) }"; then verdict=pass; else verdict=fail; fi
	$verdict "$(printf '%s: %.2f %s (%s %s)' "$1" "$2" "$5" "$3" "$4")"
}

calc() { # EXPRESSION
	awk "BEGIN { printf \"%.6f\", $1 }"
}

tell() { # NAME WHAT
	echo "# $2: $(least "$1" 1) s, CPU $(least "$1" 2) s"
}

for round in $(seq $rounds); do
	echo "# round $round"
	# A text stays while we are compared with it: its own pages are records, too.
	run text -o text 1 $cat "$page_owner"
	run capture 1 kmemprof capture --quiet --force -o x.kmp
	text_size=$(wc -c <text)
	text_records=$($grep -c '^Page allocated' text)
	rm text
	run handle -o handle 1 sh handles
	run capture 1 kmemprof capture --quiet --force -o x.kmp
	handle_records=$($grep -c '^Page allocated' handle)
	rm handle
	run one 1 kmemprof capture --quiet --force --threads 1 -o x.kmp
	run tags 50 kmemprof tags --file mm/memory.c
	run grep 50 $cat /proc/allocinfo '|' $grep mm/memory.c
	run busybox 50 cat /proc/allocinfo '|' grep mm/memory.c
	run series 1 kmemprof capture --quiet --force --interval 0 --count 100 -o series.kmp
	run cats 1 sh snapshots
	series_texts=$(cat series.? series.?? | wc -c)
	rm series.? series.??
done

kmemprof capture --force -o x.kmp | sed 's/^/# /'
echo "# records: $text_records in the text, $handle_records by handle, each with its own file"
tell text "cat page_owner > file"
tell handle "cat in mode=handle > file"
tell capture "capture"
tell one "capture --threads 1"
tell tags "tags --file mm/memory.c"
tell grep "cat /proc/allocinfo | grep mm/memory.c"
tell busybox "the same by busybox"
tell series "capture --interval 0 --count 100"
tell cats "100 times cat show_handles > file"

row 'capture against cat page_owner' "$(calc "$(least text 1) / $(least capture 1)")" '>=' 8 times
row '  its file' "$(calc "100 * $(wc -c <x.kmp) / $text_size")" '<=' 0.6 '% of the text'
row 'capture against cat in mode=handle' "$(calc "$(least handle 1) / $(least capture 1)")" \
	'>=' 1.6 times
row 'tags --file against cat | grep, CPU' "$(calc "$(least grep 2) / $(least tags 2)")" '>=' 4 times
row '  the same by busybox' "$(calc "$(least busybox 2) / $(least tags 2)")" '>=' 4 times
row '100 snapshots against 100 times cat' "$(calc "$(least cats 1) / $(least series 1)")" '>=' 1 times
row '  their file' "$(calc "$series_texts / $(wc -c <series.kmp)")" '>=' 20 'times smaller'
exec 4>&-
