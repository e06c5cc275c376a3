# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Each filter of `kmemprof tags` on the running kernel, against awk on its text before and after:
# what both texts agree about has to be so. A few figures may differ all the same: a command that
# runs holds memory that is gone before and after.
. /test/lib.sh

judge='
function key() { return $3 " " func_name " " module }
# A line of the text: is it wanted, by the words of ARGV?
FILENAME ~ /^text/ && /^ *-?[0-9]/ {
	module = $4 ~ /^\[/ ? substr($4, 2, length($4) - 2) : ""
	func_name = $0
	sub(/.* func:/, "", func_name)
	accurate = func_name !~ /accurate:no/
	sub(/ .*/, "", func_name)
	# As ours does it: the same file under two names is one.
	while (sub(/[^\/]+\/\.\.\//, "", $3))
		continue
	sub(/^\.\//, "", $3)
	split($3, at, ":")
	bytes = $1
	lines[FILENAME, key()]++
	figures[FILENAME, key()] = $1 " " $2
	is_wanted[FILENAME, key()] = WANTED
	keys[key()]
}
FILENAME == "csv" && FNR > 1 {
	gsub(/"/, "")
	split($0, column, ",")
	ours[column[1] ":" column[2] " " column[4] " " column[3]] = column[5] " " column[6]
	count++
}
function wrong(what, k) {
	print what ": " k " " figures["text1", k] "; ours: " ours[k]
	# Which tags there are does not hang on a figure, unless sizes are asked for.
	bad += what == "differs" || by_size ? 1 : 1000
}
END {
	for (k in ours)
		if (!(k in keys))
			wrong("invented", k)
	for (k in keys) {
		# A location with several tags: the text has one by one what is compared as one.
		if (lines["text1", k] != 1 || is_wanted["text1", k] != is_wanted["text2", k])
			continue
		found = k in ours
		if (is_wanted["text1", k] != found)
			wrong(found ? "not wanted" : "missing", k)
		else if (found && figures["text1", k] == figures["text2", k]) {
			stable++
			if (ours[k] != figures["text1", k])
				wrong("differs", k)
		}
	}
	print count + 0 " tags, " stable + 0 " of them stable, " bad + 0 " differ" >"said"
	exit !count || bad > 40
}'

filtered() { # AWK-CONDITION OPTION…
	wanted=$1
	shift
	cat /proc/allocinfo >text1
	kmemprof tags --format csv --limit 0 "$@" >csv 2>err || {
		fail "tags $*" "$(cat err)"
		return
	}
	cat /proc/allocinfo >text2
	by_size=0
	case $* in *-size*) by_size=1 ;; esac
	rm -f said
	program=$(echo "$judge" | sed "s|WANTED|($wanted) ? 1 : 0|")
	if awk -v "by_size=$by_size" "$program" text1 text2 csv >wrong 2>&1; then
		pass "tags $*: $(cat said)"
	else
		fail "tags $*" "$(cat wrong said)"
	fi
}

filtered 1
filtered 'module == ""' --module ''
filtered 'at[1] == "mm/memory.c"' --file mm/memory.c
filtered 'func_name == "folio_prealloc"' --function folio_prealloc
filtered 'at[1] == "mm/slub.c" \&\& func_name == "alloc_slab_page"' --file mm/slub.c \
	--function alloc_slab_page
line=$(awk '/ mm\/memory.c:/ { split($3, at, ":"); print at[2]; exit }' /proc/allocinfo)
filtered "at[1] == \"mm/memory.c\" \\&\\& at[2] == $line" --file mm/memory.c --line "$line"
filtered 'bytes >= 65536' --min-size 64K
filtered 'bytes <= 4096' --max-size 4096
filtered 'bytes >= 4096 \&\& bytes <= 1048576' --min-size 4K --max-size 1M
filtered '!accurate' --accurate no
filtered 'accurate' --accurate yes
filtered 'accurate \&\& bytes >= 1 \&\& at[1] == "mm/slub.c"' --accurate yes --min-size 1 \
	--file mm/slub.c

check "it asks the kernel" kmemprof tags --file mm/memory.c --output rows.csv --format csv
kmemprof tags --verbose --file mm/memory.c >out 2>err
if grep -q ioctl err; then pass "$(cat err)"; else fail "-v tells of the ioctl" "$(cat err)"; fi
kmemprof tags --module nosuch --format csv --limit 0 >out
is "no tags of a module that is not there" "$(wc -l <out)" 1
