# SPDX-License-Identifier: GPL-2.0-only
# Prints what bash would offer for each line of standard input, whose last word is the one that is
# being typed; `_` stands for an empty one. As bash does, `=` is a word of its own.
mkdir -p dir/below bin
touch dump.txt 'two words.kmp' bin/only-program
chmod +x bin/only-program
PATH=$PWD/bin:$PATH
source completion
complete -p kmemprof page_owner_filter page_owner_sort

while read -r line; do
	read -ra COMP_WORDS <<<"${line//=/ = }"
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	[[ ${COMP_WORDS[COMP_CWORD]} != _ ]] || COMP_WORDS[COMP_CWORD]=
	COMPREPLY=()
	_kmemprof
	echo "$line:"
	[[ ${#COMPREPLY[@]} = 0 ]] || printf '    %s\n' "${COMPREPLY[@]}" | sort
done
