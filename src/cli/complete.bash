# SPDX-License-Identifier: GPL-2.0-only
# bash completion of kmemprof and of its names page_owner_filter and page_owner_sort, made from its
# table of commands by `kmemprof help --format bash`. _kmemprof_table COMMAND, above, sets `rest`,
# the kinds of its arguments in order, `words`, what the first one can be if it is a word, and
# `options`: letter, name, kind and words, one on a line.
# Kinds: f file, d directory, v verb, c another command, w a word, l words with commas, x anything.

_kmemprof_files() { # KIND CURRENT
	local IFS=$'\n'

	compopt -o filenames 2>/dev/null
	case $1 in
	d) mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
	*) mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
	esac
}

# Words that are joined with commas: the last one is completed, from those not yet there.
_kmemprof_list() { # CURRENT WORD…
	local before='' word left=()

	[[ $1 != *,* ]] || before=${1%,*},
	for word in "${@:2}"; do
		[[ ,$before == *",$word,"* ]] || left+=("$before$word")
	done
	compopt -o nospace 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -W "${left[*]}" -- "$1")
}

_kmemprof_argument() { # KIND CURRENT WORD…
	case $1 in
	f | d) _kmemprof_files "$1" "$2" ;;
	v) mapfile -t COMPREPLY < <(compgen -W "$_kmemprof_verbs" -- "$2") ;;
	c) mapfile -t COMPREPLY < <(compgen -A command -- "$2") ;;
	w) mapfile -t COMPREPLY < <(compgen -W "${*:3}" -- "$2") ;;
	l) _kmemprof_list "$2" "${@:3}" ;;
	esac
}

# The kind and words of an option, into `argument`; false if there is no such option.
_kmemprof_option() { # -LETTER|--NAME
	local letter name words

	while read -r letter name words; do
		[[ $1 == "--$name" || ($letter != - && $1 == "-$letter") ]] || continue
		read -ra argument <<<"$words"
		return 0
	done <<<"$options"
	return 1
}

# How many arguments stand before the word that is completed, into `place`; `command` is how many
# words are behind `--`, with 0 for none.
_kmemprof_place() { # FIRST
	local i word argument

	place=0
	for ((i = $1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $word == -- ]]; then
			command=$((COMP_CWORD - i))
			return
		elif [[ $word == = ]]; then
			i=$((i + 1))
		elif [[ $word != -* || $word == - ]]; then
			place=$((place + 1))
		elif _kmemprof_option "$word" && [[ ${argument[0]} != - &&
			${COMP_WORDS[i + 1]-} != = ]]; then
			i=$((i + 1))
		fi
	done
}

_kmemprof_flags() { # CURRENT
	local letter name flags=(--help)

	while read -r letter name _; do
		[[ -z $name ]] || flags+=("--$name")
	done <<<"$options"
	mapfile -t COMPREPLY < <(compgen -W "${flags[*]}" -- "$1")
}

_kmemprof() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local verb=${COMP_WORDS[0]##*/} first=1 place command=0
	local rest words options argument=()

	COMPREPLY=()
	if [[ $verb != page_owner_* ]]; then
		if ((COMP_CWORD == 1)); then
			_kmemprof_argument v "$cur"
			return
		fi
		verb=${COMP_WORDS[1]} first=2
	fi
	_kmemprof_table "$verb" || return 0
	# `--by=order` comes as three words.
	if [[ $cur == = ]]; then
		cur=''
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	_kmemprof_place "$first"
	if ((command)); then
		((command > 1)) && _kmemprof_files f "$cur" || _kmemprof_argument c "$cur"
	elif _kmemprof_option "$prev" && [[ ${argument[0]} != - ]]; then
		_kmemprof_argument "${argument[0]}" "$cur" "${argument[@]:1}"
	elif [[ $cur == -* ]]; then
		_kmemprof_flags "$cur"
	elif [[ ${rest:place:1} != c ]]; then
		# shellcheck disable=SC2086 # they are words
		_kmemprof_argument "${rest:place:1}" "$cur" $words
	fi
}

complete -F _kmemprof kmemprof page_owner_filter page_owner_sort
