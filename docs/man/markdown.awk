# SPDX-License-Identifier: GPL-2.0-only
# Turns a page of docs/*.md into scdoc: headings, paragraphs, code, lists, and tables, whose rows
# become a term and what it is, so that they fit any terminal. Variables: name, section, version,
# summary.
function escape(text) {
	gsub(/[\\*_#|;+.'~^`<>\[\]-]/, "\\\\&", text)
	return text
}

# Inline marks; code is bold, as it is to be typed as it stands.
function inline(text,    out, part, parts, n, i) {
	gsub(/\[([^]]*)\]\([^)]*\)/, "\001&\002", text)
	while (match(text, /\001\[[^]]*\]\([^)]*\)\002/)) {
		part = substr(text, RSTART + 2, RLENGTH - 3)
		sub(/\]\(.*/, "", part)
		text = substr(text, 1, RSTART - 1) part substr(text, RSTART + RLENGTH)
	}
	gsub(/\*\*`/, "`", text)
	gsub(/`\*\*/, "`", text)
	n = split(text, parts, "`")
	for (i = 1; i <= n; i++) {
		part = parts[i]
		gsub(/\\\|/, "|", part)
		if (i % 2 == 0) {
			out = out (part == "" ? "" : "*" escape(part) "*")
			continue
		}
		gsub(/\*\*/, "\003", part)
		part = escape(part)
		gsub("\003", "*", part)
		out = out part
	}
	return out
}

# Bold marks side by side make an empty text of nothing.
function tidy(text) {
	gsub(/\*\*/, "* *", text)
	return text
}

function blank() {
	if (!was_blank)
		print ""
	was_blank = 1
}

function say(text) {
	print text
	was_blank = 0
}

function row(line,    n, i, cells, head, text) {
	gsub(/\\\|/, "\004", line)
	sub(/^\| */, "", line)
	sub(/ *\|$/, "", line)
	n = split(line, cells, / *\| */)
	for (i = 1; i <= n; i++)
		gsub("\004", "\\|", cells[i])
	text = ""
	for (i = 2; i <= n; i++) {
		if (cells[i] == "")
			continue
		head = i > 2 && heads[i] != "" ? escape(heads[i]) ": " : ""
		text = text (text == "" ? "" : " — ") head inline(cells[i])
	}
	blank()
	say(tidy(inline(cells[1])))
	if (text != "")
		say("\t" tidy(text))
	blank()
}

BEGIN {
	printf "%s(%s) \"kmemprof %s\" \"kmemprof\"\n\n# NAME\n\n%s \\- %s\n\n",
		name, section, version, name, summary
	was_blank = 1
}

# What comes before the first heading describes it.
!described && !/^#|^$/ { print "# DESCRIPTION\n" }
!/^# |^$/ { described = 1 }
/^```/ {
	code = !code
	if (code)
		blank()
	say("```")
	if (!code)
		blank()
	next
}
code { print; next }
/^# / { next }
/^##+ / {
	blank()
	text = $0
	level = text ~ /^### / ? "## " : "# "
	sub(/^#+ /, "", text)
	typed = gsub(/`/, "", text)
	say(level (level == "# " && !typed ? toupper(text) : text))
	blank()
	next
}
/^\|/ {
	if (!in_table) {
		in_table = 1
		line = $0
		sub(/^\| */, "", line)
		sub(/ *\|$/, "", line)
		split(line, heads, / *\| */)
		next
	}
	if ($0 !~ /^\|[-| ]*$/)
		row($0)
	next
}
in_table { in_table = 0; delete heads }
/^    / && (was_blank || literal) {
	if (!literal) {
		blank()
		say("```")
	}
	literal = 1
	print substr($0, 5)
	next
}
literal && !/^$/ { literal = 0; say("```"); blank() }
literal && /^$/ {
	literal = 0
	say("```")
	blank()
	next
}
/^$/ { blank(); next }
/^- / { say("- " tidy(inline(substr($0, 3)))); list = 1; next }
/^  [^ ]/ && list { say("  " tidy(inline(substr($0, 3)))); next }
{ list = 0; say(tidy(inline($0))) }
END {
	if (literal)
		print "```"
	print "\n# SEE ALSO\n\n*kmemprof*(1)"
}
