// SPDX-License-Identifier: GPL-2.0-only
/*
 * By libdw alone: libdwfl would also ask servers for debug information. What is in modules is not
 * told: their files want relocating.
 */
#include "source/debug_info.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "ledger/allocator_names.h"

DEFINE_CLEANUP(lines, struct kmp_debug_lines *, kmp_debug_lines_close)

void kmp_debug_lines_close(struct kmp_debug_lines *l)
{
	if (!l)
		return;
	dwarf_end(l->dwarf);
	if (l->fd >= 0)
		close(l->fd);
	kmp_arena_deinit(&l->texts);
	free(l);
}

struct kmp_error *kmp_debug_lines_open(const char *path, uint64_t slide,
				       struct kmp_debug_lines **out)
{
	struct kmp_debug_lines *l cleanup(cleanup_lines) = calloc(1, sizeof(*l));

	if (!l)
		return &kmp_error_no_memory;
	l->slide = slide;
	l->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (l->fd < 0)
		return kmp_error_system(errno, path, "cannot open");
	l->dwarf = dwarf_begin(l->fd, DWARF_C_READ);
	if (!l->dwarf)
		return kmp_error_input(path, 0, NULL, 0, "has no debug information: %s",
				       dwarf_errmsg(-1));
	*out = no_free(l);
	return NULL;
}

const char *kmp_debug_below_top(const char *path, Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	const char *directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	size_t common = 0;

	for (size_t i = 0; directory && path[i]; i++) {
		if (path[i] == '/' && (directory[i] == '/' || !directory[i]))
			common = i + 1;
		if (path[i] != directory[i])
			break;
	}
	return path + common;
}

const char *kmp_debug_file(Dwarf_Die *unit, uint64_t number)
{
	Dwarf_Files *files;
	size_t count;

	if (dwarf_getsrcfiles(unit, &files, &count) || number >= count)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

bool kmp_debug_number(Dwarf_Die *die, unsigned attribute, Dwarf_Word *number)
{
	Dwarf_Attribute found;

	return !dwarf_formudata(dwarf_attr(die, attribute, &found), number);
}

/* The functions that the address is in, innermost first: those put into others, then the others. */
static int scopes_of(Dwarf_Die *unit, uint64_t address, Dwarf_Die **scopes)
{
	auto_free Dwarf_Die *around = NULL;
	int count = dwarf_getscopes(unit, address, &around);

	for (int i = 0; i < count; i++) {
		int tag = dwarf_tag(&around[i]);

		if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram)
			return dwarf_getscopes_die(&around[i], scopes);
	}
	return 0;
}

static bool passes(const char *function)
{
	return kmp_allocator_passes(function, strlen(function));
}

/* Outwards, from where the address is to where that was called, until no allocator is left. */
static bool walk(Dwarf_Die *unit, Dwarf_Die *scopes, int count, struct kmp_debug_place *place)
{
	for (int i = 0; i < count; i++) {
		int tag = dwarf_tag(&scopes[i]);
		Dwarf_Word file;
		Dwarf_Word line;

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		place->function = dwarf_diename(&scopes[i]);
		if (!place->function)
			return false;
		if (tag == DW_TAG_subprogram || !passes(place->function))
			return true;
		if (!kmp_debug_number(&scopes[i], DW_AT_call_file, &file) ||
		    !kmp_debug_number(&scopes[i], DW_AT_call_line, &line))
			return false;
		place->file = kmp_debug_file(unit, file);
		place->line = line;
	}
	return false;
}

/* The unit whose code this is. Some compilers leave out the table that tells. */
static bool unit_of(struct kmp_debug_lines *l, uint64_t address, Dwarf_Die *unit)
{
	Dwarf_Off offset = 0;
	Dwarf_Off next;
	size_t header;

	if (dwarf_addrdie(l->dwarf, address, unit))
		return true;
	while (dwarf_nextcu(l->dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
		if (dwarf_offdie(l->dwarf, offset + header, unit) &&
		    dwarf_haspc(unit, address) == 1)
			return true;
		offset = next;
	}
	return false;
}

static bool find(struct kmp_debug_lines *l, uint64_t address, struct kmp_debug_place *place)
{
	auto_free Dwarf_Die *scopes = NULL;
	Dwarf_Die unit;
	int number = 0;

	if (!unit_of(l, address, &unit))
		return false;
	Dwarf_Line *line = dwarf_getsrc_die(&unit, address);

	if (!line || dwarf_lineno(line, &number))
		return false;
	place->file = dwarf_linesrc(line, NULL, NULL);
	place->line = (uint64_t)number;
	int count = scopes_of(&unit, address, &scopes);

	if (!walk(&unit, scopes, count, place) || !place->file)
		return false;
	place->file = kmp_debug_below_top(place->file, &unit);
	return true;
}

struct kmp_error *kmp_debug_lines_find(struct kmp_debug_lines *l, uint64_t ip,
				       struct kmp_debug_place *place, bool *found)
{
	struct kmp_debug_place at = { 0 };
	char *file;

	/* The call stands before the address that it returns to. */
	*found = find(l, ip - l->slide - 1, &at);
	if (!*found)
		return NULL;
	try(kmp_arena_copy(&l->texts, at.file, strlen(at.file), &file));
	*place = (struct kmp_debug_place){ file, at.function, at.line };
	return NULL;
}
