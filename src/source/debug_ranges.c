// SPDX-License-Identifier: GPL-2.0-only
/* The code of one line of one file: lines to addresses, where debug_lines.c has the reverse. */
#include <dwarf.h>
#include <string.h>

#include "base/cleanup.h"
#include "ledger/allocator_names.h"
#include "source/debug_info.h"

struct search {
	const struct kmp_debug_lines *lines;
	Dwarf_Die unit;
	const char *file;
	uint64_t line;
	struct kmp_debug_range *ranges;
	size_t max;
	size_t count;
};

static bool is_file(struct search *s, const char *path)
{
	return path && !strcmp(kmp_debug_below_top(path, &s->unit), s->file);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A unit's own file is told in spellings of its own: whether it is the one, its lines say. */
static bool is_unit_of(struct search *s)
{
	const char *name = dwarf_diename(&s->unit);

	return name && !strcmp(base_name(name), base_name(s->file));
}

static struct kmp_error *add(struct search *s, Dwarf_Addr start, Dwarf_Addr end)
{
	start += s->lines->slide;
	end += s->lines->slide;
	if (s->count && s->ranges[s->count - 1].end == start) {
		s->ranges[s->count - 1].end = end;
		return NULL;
	}
	if (s->count == s->max)
		return kmp_error_new(KMP_ERROR_LIMIT,
				     "%s:%llu: its code lies in more than %zu places", s->file,
				     (unsigned long long)s->line, s->max);
	s->ranges[s->count++] = (struct kmp_debug_range){ start, end };
	return NULL;
}

/* Instructions that the line itself became. */
static struct kmp_error *add_own(struct search *s)
{
	Dwarf_Lines *lines;
	size_t count;

	if (dwarf_getsrclines(&s->unit, &lines, &count))
		return NULL;
	for (size_t i = 0; i + 1 < count; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Addr start;
		Dwarf_Addr end;
		bool last;
		int number;

		if (dwarf_lineno(line, &number) || (uint64_t)number != s->line ||
		    dwarf_lineendsequence(line, &last) || last ||
		    !is_file(s, dwarf_linesrc(line, NULL, NULL)) || dwarf_lineaddr(line, &start) ||
		    dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &end) || end <= start)
			continue;
		try(add(s, start, end));
	}
	return NULL;
}

/* An allocator's function that was put into the line. */
static struct kmp_error *add_inlined(struct search *s, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	Dwarf_Word file;
	Dwarf_Word line;
	Dwarf_Addr base;
	Dwarf_Addr start;
	Dwarf_Addr end;
	ptrdiff_t at = 0;

	if (dwarf_tag(die) != DW_TAG_inlined_subroutine || !name ||
	    !kmp_allocator_passes(name, strlen(name)) ||
	    !kmp_debug_number(die, DW_AT_call_line, &line) || line != s->line ||
	    !kmp_debug_number(die, DW_AT_call_file, &file) ||
	    !is_file(s, kmp_debug_file(&s->unit, file)))
		return NULL;
	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		try(add(s, start, end));
	return NULL;
}

/* In the order of the tree, without recursion: how deep it is the file decides. */
static struct kmp_error *add_all_inlined(struct search *s)
{
	enum { DEPTH_MAX = 64 };
	Dwarf_Die path[DEPTH_MAX];
	int depth = 0;

	if (dwarf_child(&s->unit, &path[0]))
		return NULL;
	for (;;) {
		try(add_inlined(s, &path[depth]));
		if (depth + 1 < DEPTH_MAX && dwarf_child(&path[depth], &path[depth + 1]) == 0) {
			depth++;
			continue;
		}
		while (dwarf_siblingof(&path[depth], &path[depth]) != 0) {
			if (depth-- == 0)
				return NULL;
		}
	}
}

struct kmp_error *kmp_debug_lines_ranges(struct kmp_debug_lines *l, const char *file, uint64_t line,
					 struct kmp_debug_range *ranges, size_t max, size_t *count)
{
	struct search s = { .lines = l, .file = file, .line = line, .ranges = ranges, .max = max };
	Dwarf_Off offset = 0;
	Dwarf_Off next;
	size_t header;

	while (dwarf_nextcu(l->dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
		if (dwarf_offdie(l->dwarf, offset + header, &s.unit) && is_unit_of(&s)) {
			try(add_own(&s));
			try(add_all_inlined(&s));
		}
		offset = next;
	}
	*count = s.count;
	return NULL;
}
