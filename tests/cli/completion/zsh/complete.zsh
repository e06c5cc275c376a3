# SPDX-License-Identifier: GPL-2.0-only
# Prints what becomes of each line of the file `lines` when Tab is pressed behind it, in a zsh that
# has a terminal. The completions that are there are named by `completions`, a directory.
zmodload zsh/zpty || exit 77
cat >setup <<'END'
fpath=($PWD/completions $fpath)
autoload -Uz compinit
compinit -u -D
zstyle ':completion:*' menu no
complete-lines() {
	local line

	while IFS= read -r line; do
		BUFFER=$line CURSOR=$#line
		zle complete-word
		print -r -- "$line: $BUFFER" >>out
	done <lines
	exit
}
zle -N complete-lines
bindkey '^X' complete-lines
END
zpty z TERM=dumb zsh -f -i
zpty -w z 'source ./setup; print rea''dy'
zpty -r z text '*ready*'
zpty -w -n z $'\C-x'
while zpty -r z text; do :; done
zpty -d z
cat out
