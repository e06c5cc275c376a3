#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What `kmemprof fleet` answers over hosts whose figures are known: with rows that are there twice and
# never merged, hosts that are silent, new or started anew, names that would end a statement.
#
#     fleet.sh KMEMPROF
# shellcheck source=tests/fleet/lib.sh
. "${0%/*}/lib.sh"

start_clickhouse one
export KMEMPROF_FLEET=clickhouse://127.0.0.1:${http[one]}/fleet
"$kmemprof" push --setup --to "$KMEMPROF_FLEET" || echo 'Bail out! no tables'

# Two hours ago and now; a second is 1 000 000 000.
now=1796000000 then=1795992800
at() { # SECONDS
	echo "${1}000000000"
}
# shellcheck disable=SC1003 # a backslash, told by two
odd='we'\''ird\\; DROP TABLE fleet.samples --\n\x1b[31m'
sessions=(
	# session host kernel labels
	"1 web1 6.1.0 rack=a"
	"2 web2 6.1.0 rack=b"
	"3 db1 6.12.0 rack=a"
	"4 silent 6.1.0 rack=a"
	"5 anew 6.1.0 rack=a"
	"6 anew 6.12.0 rack=a"
	"7 fresh 6.12.0 rack=a"
	"9 twin 6.1.0 rack=c"
	"10 twin 6.1.0 rack=c"
)
# session second owner pages of kind 0; kinds 1 and 2 have the same bytes by other owners
figures=(
	"1 $((then - 60)) 161 100" "1 $((now - 60)) 161 300"
	"1 $((then - 60)) 178 50" "1 $((now - 60)) 178 50"
	# Between these: growth of 161 begins behind it.
	"1 $((then + 3600)) 161 110" "1 $((then + 3660)) 161 250"
	"2 $((then - 30)) 161 100" "2 $((now - 30)) 161 150"
	"3 $((then - 10)) 178 80" "3 $((now - 10)) 178 40" "3 $((now - 10)) 161 10"
	"4 $((then - 60)) 161 900" "4 $((now - 7000)) 161 1000"
	"5 $((then - 60)) 161 500" "6 $((now - 30)) 161 700"
	"7 $((now - 20)) 161 999"
	"8 $((then - 5)) 195 7" "8 $((now - 5)) 195 8"
	"9 $((then - 5)) 161 1" "9 $((now - 6)) 161 1" "10 $((then - 4)) 161 2" "10 $((now - 5)) 161 2"
)

{
	for session in "${sessions[@]}"; do
		read -r id host kernel label <<<"$session"
		for figure in "${figures[@]}"; do
			read -r of second _ <<<"$figure"
			[ "$of" = "$id" ] || continue
			printf '%s\t%s\t%s\tboot%s\t%s\t4096\t3\t0\t%s\t%s\n' "$id" "$(at "$second")" "$host" "$id" \
				"$kernel" "['rack','kernel']" "['${label#*=}','$kernel']"
		done
	done
	for second in $((then - 5)) $((now - 5)); do
		printf '8\t%s\t%s\tboot8\t6.1.0\t4096\t3\t2\t%s\t%s\n' "$(at "$second")" "$odd" "['ra\\'ck']" \
			"['it\\'s 100%']"
	done
} >"$scratch/samples"
for figure in "${figures[@]}"; do
	read -r session second owner pages <<<"$figure"
	for kind in 0 1 2; do
		printf '%s\t%s\t%s\t%s\t%s\t%s\n' $kind $((owner + kind)) "$session" "$(at "$second")" \
			$((pages * 4096)) "$pages"
	done
done >"$scratch/figures"
cat >"$scratch/stacks" <<'X'
161	ext4_alloc	ext4	['post_alloc_hook','ext4_alloc [ext4]','vfs_write']
178	sk_alloc	kernel	['post_alloc_hook','sk_alloc','tcp_v4_connect']
195	it's	kernel	['it\'s\nodd','x']
X
cat >"$scratch/tags" <<'X'
162	ext4	fs/ext4/inode.c	12	ext4_alloc
179		net/core/sock.c	7	sk_alloc
196		o'dd.c	1	it's
X
cat >"$scratch/tasks" <<'X'
163	nginx
180	ssh\x1bd
197	it's
X

fill() {
	curl -sS --data-binary @"$scratch/$3" \
		"http://127.0.0.1:${http[one]}/?query=$(jq -rn --arg q "INSERT INTO fleet.$1 ($2) FORMAT TabSeparated" '$q|@uri')"
}
sql one 'SYSTEM STOP MERGES' >/dev/null
columns='kind, owner, session, at, bytes, count'
for _ in 1 2; do
	fill samples 'session, at, host, boot, kernel, page_size, holds, lost, labels.name, labels.value' \
		samples
	fill figures "$columns" figures
	fill figures_by_host "$columns" figures
	fill stacks 'fingerprint, function, module, frames' stacks
	fill tags 'tag, module, file, line, function' tags
	fill tasks 'task, comm' tasks
done >"$scratch/log" 2>&1
ok 'the rows are there' [ ! -s "$scratch/log" ]
cat "$scratch/log"
is 'and twice' "$(sql one 'SELECT count() FROM fleet.figures_by_host')" $((2 * $(wc -l <"$scratch/figures")))

fleet() { # QUESTION [OPTION…]: JSON, at the moment of the figures
	"$kmemprof" fleet "$@" --at @$now --format json 2>"$scratch/err"
}
told() { # FILTER QUESTION [OPTION…]
	fleet "${@:2}" | jq -c "$1"
}

# Newest of web1, web2, db1, anew, fresh, the odd one and one twin: the silent one is not among them.
is 'top: the sum over the newest samples' "$(told .totals.pages top)" \
	$((300 + 50 + 150 + 40 + 10 + 700 + 999 + 8 + 2))
is 'top: what holds most, on how many hosts, where most' \
	"$(told '.groups[0] | [.pages, .bytes, .hosts, .largest_host, .largest, .fingerprint]' top)" \
	"[$((300 + 150 + 10 + 700 + 999 + 2)),$((2161 * 4096)),6,\"fresh\",$((999 * 4096)),\"00000000000000a1\"]"
is 'top: its frames' "$(told '.groups[0].key.stack | join(";")' top)" \
	'"post_alloc_hook;ext4_alloc [ext4];vfs_write"'
is 'top: the silent host is told' "$(told '.warnings[0]' top)" \
	'"1 host not counted, stale: no sample since 2026-11-29T23:53:20: silent"'
is 'top: so is a name that several machines have' "$(told '.warnings[1]' top)" \
	'"1 name is that of several machines at once, of which the one heard last is counted: twin"'
is 'top: what was lost in the samples is told' "$(told .totals.dropped top)" 2
fleet top >/dev/null
is '  and by the exit status' $? 3
is 'top: with patience, the silent one too' "$(told .totals.pages top --fresh 3h)" $((2259 + 1000))
is 'top at a time before' "$("$kmemprof" fleet top --at @$then --format json | jq .totals.pages)" \
	$((100 + 50 + 100 + 80 + 900 + 500 + 7 + 2))
for by in function module task comm 'function --tags' 'module --tags' file tag; do
	# shellcheck disable=SC2086 # two words
	is "top by $by: the same sum" "$(told .totals.bytes top --by $by)" $((2259 * 4096))
done
is 'top by function' "$(told '[.groups[] | .key.function, .pages, .hosts]' top --by function)" \
	'["ext4_alloc",2161,6,"sk_alloc",90,2,"it'\''s",8,1]'
is 'top by module of tags: built-in code is one' \
	"$(told '[.groups[] | .key.module, .bytes / 4096]' top --by module --tags)" '["ext4",2161,"",98]'
is 'top by tag' "$(told '[.tags[0] | .file, .line, .module, .function, .bytes / 4096, .hosts]' top --by tag)" \
	'["fs/ext4/inode.c",12,"ext4","ext4_alloc",2161,6]'
is 'top of some hosts' "$(told '[.totals.pages, .groups[0].hosts]' top --host 'web*' --host db?)" '[550,3]'
is 'top of a label' "$(told .totals.pages top --label rack=a --label 'kernel=6.12.*')" \
	$((40 + 10 + 700 + 999))
is 'top: a table has it, too' "$("$kmemprof" fleet top --at @$now --limit 1 --host 'web*' |
	sed -n 's/  */ /g; /^1\.8 MiB/p')" '1.8 MiB 450 90.0 % 450 2 1.2 MiB web1 00000000000000a1'
is 'top: folded stacks' "$("$kmemprof" fleet top --at @$now --format folded --host 'web*' | sort)" \
	"tcp_v4_connect;sk_alloc;post_alloc_hook $((50 * 4096))
vfs_write;ext4_alloc [ext4];post_alloc_hook $((450 * 4096))"

# 161 grew by 200 on web1, 50 on web2 and 10 on db1; 178 shrank by 40 on db1. anew and fresh are not
# comparable.
is 'growers: sum, on how many hosts, where most' \
	"$(told '.groups[0] | [.delta, .pages, .pages_before, .hosts, .worst_host, .worst / 4096]' growers --since 2h)" \
	'[260,462,202,3,"web1",200]'
is 'growers: all of them' "$(told '[.groups[] | .delta]' growers --since @$then)" '[260,1,-40]'
is 'growers: who was started anew, silent or not there is told' \
	"$(told '[.warnings[:3][] | split(": ")[-1]]' growers --since 2h)" '["silent","anew","fresh"]'
is 'growers by function' "$(told '.groups[0] | [.key.function, .delta, .hosts]' growers --since 2h --by function)" \
	'["ext4_alloc",260,3]'
is 'growers by task' "$(told '.groups[0] | [.key.comm, .delta, .hosts]' growers --since 2h --by task)" \
	'["nginx",260,3]'
is 'growers, sorted by hosts' "$(told '[.groups[] | .hosts]' growers --since 2h --sort -hosts)" '[0,1,3]'

is 'hosts: where a stack is, growth first' \
	"$(told '[.groups[] | .key.host, .pages, .delta]' hosts 00000000000000a1 --since 2h)" \
	'["web1",300,200,"web2",150,50,"db1",10,10,"twin",2,0,"fresh",999,null,"anew",700,null,"silent",1000,null]'
is 'hosts: since when' "$(told '[.groups[:3][] | .since]' hosts 00000000000000a1 --since 2h)" \
	'["2026-11-29T23:53:20","2026-11-29T22:52:50","2026-11-30T00:53:10"]'
is 'hosts: why the growth of some is not known' \
	"$(told '[.groups[4:][] | .note]' hosts 00000000000000a1 --since 2h)" \
	'["no sample then","started anew since","stale: of 2026-11-29T22:56:40"]'
is 'hosts: their sums are of those that can be compared' \
	"$(told '[.from.pages, .to.pages]' hosts 00000000000000a1 --since 2h)" '[202,462]'
is 'hosts of a tag' "$(told '.groups[0] | [.key.host, .bytes / 4096]' hosts fs/ext4/inode.c:12 --since 2h)" \
	'["web1",300]'
is 'hosts of a function' "$(told '[.groups[] | .key.host, .pages]' hosts sk_alloc --since 2h)" \
	'["web1",50,"db1",40]'
is 'hosts: the frames stand above a table' \
	"$("$kmemprof" fleet hosts 00000000000000B2 --at @$now --since 2h | sed -n '1,4s/^ *//p')" \
	'stack 00000000000000B2
post_alloc_hook
sk_alloc
tcp_v4_connect'

# In the mean, rack a has web1, db1, anew and fresh, of 4 hosts 2009 pages and 90; rack b web2 alone.
is 'compare: two racks, a host each' \
	"$(told '[.groups[] | .delta, .pages, .pages_before, .hosts, .hosts_before]' compare --label rack=b --label rack=a)" \
	'[352,502,150,4,1,22,22,0,2,0]'
is 'compare: kernels' "$(told '.from.source.kind, .to.source.kind' compare --label kernel=6.1.0 --label kernel=6.12.0 | tr '\n' ' ')" \
	'"mean of 4 hosts" "mean of 3 hosts" '

# Names are anyone's, and so are arguments.
is 'a host of an odd name' "$(told '.groups[0].largest_host' top --host 'we'\''ird*')" \
	"\"we'ird\\\\; DROP TABLE fleet.samples --\\n\\u001b[31m\""
is 'by its whole name' "$(told .totals.pages top --host "$(printf "we'ird\\\\; DROP TABLE fleet.samples --\n\033[31m")")" 8
is 'of an odd label' "$(told .totals.pages top --label "ra'ck=it's 100%")" 8
is 'a per cent sign is no pattern' "$(told .totals.pages top --label "ra'ck=it's 100%*")" 8
fleet top --label "ra'ck=it%" >/dev/null
is '  nor found by one' "$(cat "$scratch/err")" \
	"kmemprof: 127.0.0.1:${http[one]}/fleet: no such host has sent page owners"
is 'of an odd function' "$(told '.groups[0].pages' hosts "it's" --since 2h)" 8
is 'of an odd tag' "$(told '.groups[0].bytes / 4096' hosts "o'dd.c:1" --since 2h)" 8
for word in "'" "\\" "x' OR 1=1 --" '`' '{' '%s%n'; do
	fleet hosts "$word" >/dev/null
	is "$word is a function that nobody has" "$(cat "$scratch/err")" \
		"kmemprof: 127.0.0.1:${http[one]}/fleet: there is no function called '$word'"
done
ok 'a table has no control characters of names' sh -c "! '$kmemprof' fleet top --by task --at @$now |
	LC_ALL=C grep -q '[[:cntrl:]]'"
ok '  nor of hosts' sh -c "! '$kmemprof' fleet hosts it\\'s --at @$now --since 2h |
	LC_ALL=C grep -q '[[:cntrl:]]'"

# What was really pushed is what report and tags tell of the same files, as old as the checkout is.
dump=$data/captures/linux-7.3/page_owner.stack.xz
export KMEMPROF_FLEET=clickhouse://127.0.0.1:${http[one]}/pushed
for _ in 1 2; do
	"$kmemprof" push --quiet --to "$KMEMPROF_FLEET" --source "$dump" --host one --label rack=a
done
other=$data/captures/linux-6.12
"$kmemprof" push --quiet --to "$KMEMPROF_FLEET" --source "$other" --host two --label rack=b
# Some columns of CSV without commas in its texts; a compiler's copies of a function are one.
columns() { # NAME…
	tr -d '\r' | sed 's/\.constprop\.[0-9]*//' | awk -F, -v names="$*" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; count = split(names, name, " "); next }
		{ for (i = 1; i <= count; i++) printf "%s%s", $at[name[i]], i < count ? "," : "\n" }' | sort
}
for by in function module comm; do
	is "pushed: page owners by $by are those of report" \
		"$("$kmemprof" fleet top --fresh 365d --host one --by $by --format csv | columns $by records bytes | md5sum)" \
		"$("$kmemprof" report --by $by --format csv "$dump" | columns $by records bytes | md5sum)"
done
is 'pushed: tags are those of tags' \
	"$("$kmemprof" fleet top --fresh 365d --by tag --format csv | columns file line module function bytes calls | md5sum)" \
	"$("$kmemprof" tags --format csv "$other" | awk -F, '$5 || $6' |
		columns file line module function bytes calls | md5sum)"
is 'pushed: the sum of two hosts' "$("$kmemprof" fleet top --fresh 365d --format json | jq .totals.bytes)" \
	$(($("$kmemprof" report --format json "$dump" | jq .totals.bytes) + \
		$("$kmemprof" report --format json "$other/show_stacks.xz" | jq .totals.bytes)))

# More hosts, and more stacks of a module, than a statement has room for.
export KMEMPROF_FLEET=clickhouse://127.0.0.1:${http[one]}/large
"$kmemprof" push --setup --to "$KMEMPROF_FLEET"
many=5000
sql one "INSERT INTO large.samples (session, at, host, boot, kernel, page_size, holds)
	SELECT number % $many + 1, toUInt64(number < $many ? $then : $now) * 1000000000,
		concat('host', toString(number % $many)), 'boot', '6.1.0', 4096, 1 FROM numbers($((2 * many)))"
for table in figures figures_by_host; do
	# Each has a stack that all have, which grows by the host's number of pages, and one of its own.
	sql one "INSERT INTO large.$table (kind, owner, session, at, bytes, count)
		SELECT 0, number % 4 < 2 ? 7 : 100 + h, h + 1, toUInt64(late ? $now : $then) * 1000000000,
			4096 * (10 + (late AND number % 4 < 2 ? h : 0)), 1
		FROM (SELECT number, intDiv(number, 4) AS h, number % 2 AS late FROM numbers($((4 * many))))"
done
sql one "INSERT INTO large.stacks (fingerprint, function, module, frames)
	SELECT number < $many ? 100 + number : 7, number < $many ? 'own' : 'all', 'kernel', ['f']
	FROM numbers($((many + 1)))"
is 'many hosts: top' \
	"$(told '[.source.kind, .totals.pages, (.groups | length), .groups[0].hosts, .groups[0].largest_host]' top)" \
	"[\"$many hosts\",$((many * (many - 1) / 2 + 20 * many)),$((many + 1)),$many,\"host$((many - 1))\"]"
is 'many hosts: growers' "$(told '.groups[0] | [.delta, .hosts, .worst_host]' growers --since @$then)" \
	"[$((many * (many - 1) / 2)),$((many - 1)),\"host$((many - 1))\"]"
is 'many hosts: hosts of a module of many stacks' \
	"$(told '[.to.pages, .from.pages, (.groups | length)]' hosts kernel --by module --since @$then)" \
	"[$((many * (many - 1) / 2 + 20 * many)),$((20 * many)),$many]"

wrong() { # MESSAGE ARGUMENT…
	local message=$1

	shift
	"$kmemprof" fleet "$@" >"$scratch/out" 2>"$scratch/err"
	is "wrong: $*" "$? $(cat "$scratch/out" "$scratch/err")" "2 kmemprof: $message"
}
wrong "'bottom' is no question to a fleet: top, growers, hosts, compare" bottom
wrong "usage: kmemprof fleet hosts FINGERPRINT|FILE:LINE|NAME [OPTIONS]; see 'kmemprof help fleet'" hosts
wrong "--by: 'pid' is none of stack, function, module, task, tag, file" top --by pid
wrong "--by: 'task' is none of tag, file, function, module" top --by task --tags
wrong "--since: fleet top has no use for it" top --since 1h
wrong "--since: must be before now" growers --since now
wrong "--label: 'x' is no NAME=VALUE, as kernel=6.1*" top --label x
wrong "'12' is no fingerprint, of 16 hexadecimal digits, as 'kmemprof fleet top' prints them" \
	hosts 12 --by stack
wrong "--at: 'soon' is no moment: now, -1h30m, 2026-11-30T17:05:10, 17:05, @SECONDS" top --at soon
KMEMPROF_FLEET='' wrong "--from is missing: clickhouse://HOST:8123/DATABASE (or in KMEMPROF_FLEET)" top
"$kmemprof" fleet top --from "clickhouse://127.0.0.1:${http[one]}/nothing" 2>"$scratch/err"
is 'a database without tables' "$? $(cat "$scratch/err")" \
	"1 kmemprof: 127.0.0.1:${http[one]}/nothing: nothing was pushed there yet"

finish
