# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The running kernel, read the cheapest way: in each mode, by any number of readers, it says what
# the kernel's own text says; each filter of tags finds what awk finds in the text; a series has
# each moment; doctor says what is there.
. /test/lib.sh

captured() { # MODE READERS
	kmemprof capture --quiet --force --mode "$1" --threads "$2" -o x.kmp &&
		kmemprof filter --mode "$1" x.kmp
}

for mode in stack handle stack_handle; do
	for readers in 1 2 8; do
		between mode=$mode captured $mode $readers
	done
done

# What awk looks for in the text, between two texts: of what did not change meanwhile, all that
# passes must be in ours, and nothing else. Each program that runs holds memory of its own, so that
# some figures are others in between: one in five at most, where a size was asked for or not.
cat >tags.awk <<'AWK'
function passes(k, bytes, inaccurate) {
	split(k, part, SUBSEP)
	return (!has_file || part[1] == file) && (!has_line || part[2] == line) &&
		(!has_module || part[3] == module) && (!has_function || part[4] == function_) &&
		(min == "" || bytes >= min + 0) && (max == "" || bytes <= max + 0) &&
		(accurate == "" || (accurate == "yes") == !inaccurate)
}
# As kmemprof does: `a/../b` is `b`.
function normal(path) {
	while (match(path, /[^\/]+\/\.\.\//))
		path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
	sub(/^\.\//, "", path)
	return path
}
FILENAME ~ /ours$/ {
	if (FNR == 1)
		next
	gsub(/"/, "")
	split($0, c, ",")
	ours[c[1], c[2], c[3], c[4]] = c[5] " " c[6] " " (c[8] > 0)
	next
}
/^(allocinfo|#)/ { next }
{
	at = match($3, /:[0-9]+$/)
	module = $4 ~ /^\[/ ? substr($4, 2, length($4) - 2) : ""
	function_ = $4 ~ /^\[/ ? $5 : $4
	k = normal(substr($3, 1, at - 1)) SUBSEP substr($3, at + 1) SUBSEP module SUBSEP substr(function_, 6)
	keys[k]
	bytes[FILENAME, k] += $1
	calls[FILENAME, k] += $2
	inaccurate[FILENAME, k] += / accurate:no/
}
END {
	has_file = file_ != ""; file = file_
	has_line = line != ""
	has_module = module_ != ""; module = module_ == "builtin" ? "" : module_
	has_function = func_ != ""; function_ = func_
	for (k in keys) {
		b = bytes["before", k] " " calls["before", k] " " (inaccurate["before", k] > 0)
		a = bytes["after", k] " " calls["after", k] " " (inaccurate["after", k] > 0)
		if (a != b)
			continue
		good = passes(k, bytes["after", k], inaccurate["after", k])
		wanted += good
		if ((k in ours) == good && (!good || ours[k] == a))
			continue
		sized = min != "" || max != ""
		if (!sized && (k in ours) != good)
			bad = 1
		differ++
		why = why "differs: " k ": text " a ((k in ours) ? ", ours " ours[k] : "") "\n"
	}
	for (k in ours) {
		if (!(k in keys)) {
			why = why "not in the text: " k "\n"
			bad = 1
		}
	}
	bad = bad || differ > 3 + wanted / 5
	gsub(SUBSEP, " ", why)
	print bad ? why : wanted + 0
	exit bad
}
AWK

tags() { # WAY LEAST AWK-VARIABLES OPTION…
	way=$1
	least=$2
	variables=$3
	shift 3
	cat /proc/allocinfo >before
	kmemprof tags --verbose --format csv "$@" >ours 2>said || { fail "tags $*" "$(cat said)"; return; }
	cat /proc/allocinfo >after
	set -- "$*"
	# shellcheck disable=SC2086 # several words
	if ! found=$(awk $variables -f tags.awk before after ours); then
		fail "tags $*" "$found"
	elif [ "$found" -lt "$least" ]; then
		fail "tags $*" "only $found of them did not change"
	elif ! grep -q "tags .*$way" said; then
		fail "tags $* by $way" "$(cat said)"
	else
		pass "tags $* by $way: $found"
	fi
}

tags ioctl 3 '-v file_=mm/memory.c' --file mm/memory.c
tags ioctl 10 '-v file_=mm/slub.c' --file mm/slub.c
tags text 0 '-v file_=no/such.c' --file no/such.c
tags text 1 '-v file_=tools/lib/bpf/btf_relocate.c' --file tools/lib/bpf/btf_relocate.c
tags ioctl 1 '-v func_=alloc_anon_folio' --function alloc_anon_folio
tags ioctl 1000 '-v module_=builtin' --module ''
tags ioctl 0 '-v module_=no_such' --module no_such
tags ioctl 1 '-v line=465' --line 465
tags ioctl 1 '-v file_=mm/memory.c -v line=465' --file mm/memory.c --line 465
tags ioctl 1 '-v module_=builtin -v min=65536' --module '' --min-size 64K
tags ioctl 0 '-v file_=mm/memory.c -v accurate=no' --file mm/memory.c --accurate no
tags ioctl 1 '-v min=1048576' --min-size 1M
tags text 500 '-v max=4096' --max-size 4096
tags ioctl 10 '-v min=4096 -v max=65536' --min-size 4096 --max-size 64K
tags text 0 '-v accurate=no' --accurate no
tags text 1000 '-v accurate=yes' --accurate yes
tags text 1000 '' --by tag

# A series: the moments lie between two texts.
count() {
	awk '/^nr_base_pages:/ { s += $2 } END { print s }' "$1"
}
cat $DEBUG/page_owner_stacks/show_handles >before
kmemprof capture --quiet --interval 20ms --count 25 -o series.kmp 2>said || fail "a series" "$(cat said)"
cat $DEBUG/page_owner_stacks/show_handles >after
zstd -dcq <series.kmp >plain.kmp
is "its snapshots" "$(sqlite3 plain.kmp 'SELECT count(*) FROM snapshot')" 25
texts=$(($(wc -c <after) * 25))
if [ $(($(wc -c <series.kmp) * 5)) -lt $texts ]; then
	pass "25 moments: $(wc -c <series.kmp) bytes for $texts of text"
else
	fail "25 moments: $(wc -c <series.kmp) bytes for $texts of text"
fi
for n in 1 13 25; do
	kmemprof stacks --file show_handles series.kmp@$n >moment
	# Among them are those of kmemprof itself.
	near "pages of moment $n" "$(count moment)" "$(count after)" $(($(count after) / 3))
	near "stacks of moment $n" "$(grep -c handle: moment)" "$(grep -c handle: after)" 40
done
kmemprof report series.kmp --format json | jq -r '.groups[].key.stack | type' | sort | uniq -c >types
is "stacks without frames" "$(grep -c object types)" 0
kmemprof capture --interval 50ms --quiet -o ended.kmp 2>said &
series=$!
sleep 1
kill -INT $series
status=0
wait $series || status=$?
is "a series that is interrupted ends with" "$status" 0
check "it keeps its snapshots" kmemprof report ended.kmp@3

doctor() {
	jq -r --arg n "$1" '.kernel[] | select(.name == $n).value' doctor.json
}
check "doctor" kmemprof doctor
check "doctor --format json" kmemprof doctor --format json --output doctor.json
for name in page_owner.built page_owner.on page_owner.readable page_owner.filter page_owner.handles \
	page_owner.seek page_owner.show_stacks page_owner.show_handles allocinfo.ioctl; do
	is "doctor: $name" "$(doctor $name)" yes
done
is "doctor: allocinfo.text" "$(doctor allocinfo.text)" 2.0
is "doctor: profiling" "$(doctor profiling)" on
is "doctor: boot line" "$(jq -r .boot_line doctor.json)" null
records=$(grep -c '^Page allocated' $DEBUG/page_owner)
near "doctor: records" "$(jq .capture.records doctor.json)" "$records" $((records / 2))
kmemprof capture --quiet --force -o x.kmp
size=$(wc -c <x.kmp)
near "doctor: size of a ledger file" "$(jq .capture.file_bytes doctor.json)" "$size" $((size / 2))
