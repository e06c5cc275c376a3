/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of debug_lines.h. */
#ifndef KMP_SOURCE_DEBUG_INFO_H
#define KMP_SOURCE_DEBUG_INFO_H

#include <elfutils/libdw.h>

#include "source/debug_lines.h"

struct kmp_debug_lines {
	int fd;
	Dwarf *dwarf;
	uint64_t slide;
	struct kmp_arena texts;
};

/*
 * `/build/linux/mm/slub.c`, compiled in `/build/linux` or `/build/linux/debian/build`: what is
 * below the directory that both have in common.
 */
const char *kmp_debug_below_top(const char *path, Dwarf_Die *unit);

/* The path of a unit's file by its number, NULL if there is none. */
const char *kmp_debug_file(Dwarf_Die *unit, uint64_t number);

/* The number that an attribute holds; false without one. */
bool kmp_debug_number(Dwarf_Die *die, unsigned attribute, Dwarf_Word *number);

#endif
