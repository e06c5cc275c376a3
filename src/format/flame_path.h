/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way from the root of a flame graph to what a group holds: the keys that are no stack, then
 * the frames, outermost first; of tags, the parts of the file's path, then the function. The
 * folded form and the flame graph both follow it.
 */
#ifndef KMP_FORMAT_FLAME_PATH_H
#define KMP_FORMAT_FLAME_PATH_H

#include "format/utf8.h"

/* What a step stands for. */
enum step_kind {
	STEP_KEY,   /* a task's name, an order, … */
	STEP_FRAME, /* a function of the kernel */
	STEP_FILE   /* a part of a path, or what stands beneath it */
};

struct flame_step {
	size_t start; /* in text: a visible text, `function` or `function [module]` */
	size_t len;
	enum step_kind kind;
};

/* All-zero is empty; kmp_flame_path_deinit() frees. */
struct flame_path {
	struct kmp_buf text;
	VEC(struct flame_step) steps;
};

/* KMP_ERROR_USAGE for groups that no flame graph can be made of: page owners without stacks. */
struct kmp_error *kmp_flame_check(const struct kmp_groups *groups) must_check;

/* The path of a group, in place of what path holds. */
struct kmp_error *kmp_flame_path(struct flame_path *path, const struct kmp_groups *groups,
				 const struct kmp_group *group) must_check;

void kmp_flame_path_deinit(struct flame_path *path);

#endif
