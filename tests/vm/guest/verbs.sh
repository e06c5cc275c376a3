# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Linux 7.3 with both features on: what kmemprof says agrees with the kernel's own text. The
# machine is alive, so ours is taken between two texts of the kernel's.
. /test/lib.sh

mkfifo go ready
hold 'vm-one=24' 'vm 2), ts 5 n=8' <go >ready &
exec 4>go
read -r _ <ready

# A capture of so many threads, in one mode of the kernel's or the other, in the mode asked for.
capture() { # OPTION…
	kmemprof capture --quiet --force "$@" -o x.kmp && kmemprof filter --mode "$mode" x.kmp
}

between mode=stack capture
# By several threads, each from PFNs of its own on.
between mode=handle capture --threads 1
between mode=handle capture --threads 2
between mode=handle capture --threads 8
between 'mode=stack_handle nid=0' capture --threads 8 --node 0 --mode stack_handle
between mode=stack kmemprof filter
between 'mode=handle nid=1' kmemprof filter --mode handle --node 1

# Figures, counted by awk from the kernel's text, without the tasks that count.
rm -f before ours after
count='/^Page allocated via order / && !/\((kmemprof|dd|awk|jq|sh)\), ts / {
	pages[int($5)]++
	records++
	getline
	node1 += /node=1\|/
}
END {
	for (order = size = 1; order <= 11; size *= 2)
		sum += size * pages[order++ - 1]
	print records, sum, node1
}'
where='comm!=kmemprof && comm!=dd && comm!=awk && comm!=jq && comm!=sh'
kmemprof capture --quiet --force -o x.kmp
# shellcheck disable=SC2046 # three words
set -- $(dd if=$DEBUG/page_owner bs=64k 2>/dev/null | awk "$count")
kmemprof report --by comm --where "$where" --format json --limit 0 --output all.json x.kmp
kmemprof report --by comm --where "$where" --format json --limit 0 --output live.json
for file in all live; do
	near "$file.json: records" "$(jq .totals.records $file.json)" "$1" $(($1 / 50))
	near "$file.json: pages" "$(jq .totals.pages $file.json)" "$2" $(($2 / 50 + 1024))
done
node1=$(kmemprof report --by node --where "$where && node in 1" --format json | jq .totals.records)
near "records of node 1" "$node1" "$3" $(($3 / 50))
for task in 'vm-one 6144' 'vm 2), ts 5 n 2048'; do
	name=${task% *}
	pages=$(jq --arg c "$name" '[.groups[] | select(.key.comm == $c).pages] | add' all.json)
	near "pages of task $name" "${pages:-0}" "${task##* }" 200
done
# What the kernel counts by stack, between two counts of its own: in the same order, with the same
# figures for most.
stacks=$DEBUG/page_owner_stacks
for file in show_stacks show_handles show_stacks_handles; do
	cat "$stacks/$file" >kernel.txt
	check "stacks --file $file" kmemprof stacks --file "$file"
	lines=$(wc -l <kernel.txt)
	near "$file: lines" "$(wc -l <out)" "$lines" $((lines / 20))
	near "$file: lines in one alone" \
		"$(sort kernel.txt out | uniq -c | awk '$1 % 2 { n++ } END { print n + 0 }')" 0 \
		$((lines / 5))
done

# Tags, against awk.
cp /proc/allocinfo tags.txt
kmemprof tags --format csv --limit 0 >tags.csv
# Lines with the same location are one row.
is "tags" "$(tail -n +2 tags.csv | wc -l)" \
	"$(awk '!/^(allocinfo|#)/ && !seen[$3, $4, $5]++ { n++ } END { print n }' tags.txt)"
want=$(awk '!/^(allocinfo|#)/ { s += $1 } END { printf "%d", s }' tags.txt)
near "bytes of all tags" "$(awk -F, 'NR > 1 { s += $5 } END { printf "%d", s }' tags.csv)" "$want" \
	$((want / 20))
want=$(awk '$3 ~ /^mm\/memory.c:/ { s += $1 } END { printf "%d", s }' tags.txt)
ours=$(kmemprof tags --file mm/memory.c --format csv --limit 0 |
	awk -F, 'NR > 1 { s += $5 } END { printf "%d", s }')
near "bytes of mm/memory.c" "$ours" "$want" $((want / 50))
want=$(awk '!/^(allocinfo|#)/ && $1 >= 1048576 { n++ } END { print n + 0 }' tags.txt)
ours=$(kmemprof tags --min-size 1M --format csv --limit 0 | tail -n +2 | wc -l)
near "tags of 1 MiB and more" "$ours" "$want" 2
kmemprof tags --format csv --limit 0 x.kmp >saved.csv
is "tags in the ledger file" "$(wc -l <saved.csv)" "$(wc -l <tags.csv)"

exec 4>&-
