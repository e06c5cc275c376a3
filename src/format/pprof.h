/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile being made of groups: what its samples refer to by number. Locations, functions and
 * mappings are numbered from 1 in the profile, from 0 here.
 */
#ifndef KMP_FORMAT_PPROF_H
#define KMP_FORMAT_PPROF_H

#include "base/pool.h"
#include "format/flame_path.h"
#include "format/pprof_out.h"

struct pprof_function {
	uint32_t name; /* in strings */
	uint32_t file;
};

struct pprof_location {
	uint32_t function; /* in functions */
	uint32_t module;   /* in modules */
	uint64_t line;
};

/* All-zero is empty but for out; kmp_pprof_deinit() frees. */
struct pprof {
	const struct kmp_groups *groups;
	struct pprof_out out;
	struct kmp_pool strings;   /* the string table */
	struct kmp_pool functions; /* distinct struct pprof_function */
	struct kmp_pool locations; /* distinct struct pprof_location */
	struct kmp_pool modules;   /* "" is the kernel itself */
	VEC(bool) has_files;	   /* of each module: some function's file is known */
	VEC(uint64_t) stack;	   /* locations of the sample that is being made, from 1 */
	VEC(Kmemprof__Pprof__Label) labels;
	struct kmp_buf text;
	struct flame_path path;
	uint64_t unknown; /* groups left out, since their change is not known */
};

/* The place in the string table of a text, made visible: the format takes UTF-8 alone. */
struct kmp_error *kmp_pprof_string(struct pprof *p, const char *text, size_t len,
				   int64_t *number) must_check;

/* The same of a text that is known to be plain. */
struct kmp_error *kmp_pprof_word(struct pprof *p, const char *text, int64_t *number) must_check;

/* The number of a module. */
struct kmp_error *kmp_pprof_module(struct pprof *p, const char *text, size_t len, bool has_file,
				   uint32_t *number) must_check;

/* Stack and labels of a group, in place of those of the one before. */
struct kmp_error *kmp_pprof_keys(struct pprof *p, const struct kmp_group *group) must_check;

void kmp_pprof_deinit(struct pprof *p);

#endif
