#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Every figure of tests/data/captures/*/*.expect.json, which an independent program counted, against
# what `kmemprof report` says of the capture, and again of a ledger file made from it. Prints TAP.
#
#     tests/captures/run.sh KMEMPROF
set -u

binary=$(realpath "$1")
data=$(cd "$(dirname "$0")/../data/captures" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0

# Do two JSON texts agree?
agree() { # WHAT WANT GOT
	count=$((count + 1))
	if [ "$(jq -S . <<<"$2")" = "$(jq -S . <<<"$3")" ]; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		diff <(jq -S . <<<"$2") <(jq -S . <<<"$3") | head -20 | sed 's/^/# /'
	fi
}

report() { # SOURCE ARGS…
	"$binary" report --format json "$@"
}

# The groups of a key as { value: pages }, of the values that are expected alone: the expectation
# holds the twenty largest. A mask's value is what stands in its parentheses.
pages_by() { # SOURCE KEY WANT
	report "$1" --by "$2" | jq --arg key "$2" --argjson want "$3" '
		[.groups[] | { key: (.key[$key] | if . == null then "-" else tostring end |
				if $key == "gfp" then sub("^0x[0-9a-f]+\\("; "") | sub("\\)$"; "") else . end),
			value: .pages }]
		| group_by(.key) | map({ key: .[0].key, value: (map(.value) | add) }) | from_entries
		| with_entries(select(.key | in($want)))'
}

pages_where() { # SOURCE EXPRESSION
	report "$1" --by order --where "$2" | jq '.totals.pages'
}

check() { # SOURCE EXPECT NAME
	local source=$1 expect=$2 name=$3 totals key member want

	totals=$(report "$source" --by order | jq '.totals | { records, pages, bytes }')
	agree "$name: totals" "$(jq '{ records, pages, bytes }' "$expect")" "$totals"
	while read -r member key; do
		want=$(jq --arg m "$member" '.[$m]' "$expect")
		[ "$want" = "{}" ] || agree "$name: $member" "$want" "$(pages_by "$source" "$key" "$want")"
	done <<-END
		pages_by_order order
		pages_by_node node
		pages_by_zone zone
		pages_by_type migratetype
		pages_by_block_type block
		pages_by_comm comm
		pages_by_memcg memcg
		pages_by_gfp gfp
		pages_by_handle handle
	END
	agree "$name: migrated pages" "$(jq .migrated_pages "$expect")" \
		"$(pages_where "$source" migrated)"
	# The expectation counts `Slab cache page` lines; kernels before 6.10 have a page flag too.
	agree "$name: slab pages" "$(jq .slab_pages "$expect")" \
		"$(pages_where "$source" 'slab && !(flags has slab)')"
	agree "$name: no pages in modules" "$(jq '.pages_by_module | add // 0' "$expect")" \
		"$(pages_where "$source" 'module!=kernel')"
	if [ "$(jq .stacks "$expect")" != 0 ]; then
		agree "$name: stacks" "$(jq .stacks "$expect")" \
			"$(report "$source" | jq '.groups | length')"
		agree "$name: the ten largest stacks" \
			"$(jq '[.top_stacks[] | { pages, stack: [.stack[] | ltrimstr(" ")] }]' "$expect")" \
			"$(report "$source" --limit 10 | jq '[.groups[] | { pages, stack: .key.stack }]')"
	fi
	if [ "$(jq .handles "$expect")" != 0 ]; then
		agree "$name: handles" "$(jq .handles "$expect")" \
			"$(report "$source" --by handle | jq '.groups | length')"
	fi
}

for expect in "$data"/*/*.expect.json; do
	capture=${expect%.expect.json}
	name=$(basename "$(dirname "$capture")")/$(basename "$capture")
	ledger=$scratch/$(basename "$capture").kmp

	check "$capture.xz" "$expect" "$name"
	if "$binary" capture --source "$capture.xz" -o "$ledger" >"$scratch/log" 2>&1; then
		check "$ledger" "$expect" "$name (ledger file)"
	else
		count=$((count + 1))
		echo "not ok $count - $name: capture into a ledger file"
		sed 's/^/# /' "$scratch/log"
	fi
	rm -f "$ledger"
done
echo "1..$count"
