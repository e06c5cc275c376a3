/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A flame graph before it is drawn: the paths of all groups merged into a tree. Each box is as
 * wide as the bytes of what stands on it, of a difference the larger of before and now for each
 * group, so that what is gone has its place; siblings stand widest first, ties in byte order.
 */
#ifndef KMP_FORMAT_FLAME_H
#define KMP_FORMAT_FLAME_H

#include "base/pool.h"
#include "format/flame_path.h"

struct flame_box {
	uint32_t name;	 /* in names */
	uint32_t parent; /* number of a box; the root's is its own, 0 */
	uint32_t depth;	 /* 0: the root */
	enum step_kind step;
	int64_t now;	/* bytes of it and all above it */
	int64_t before; /* of a difference */
	int64_t width;	/* now, or the larger of both */
	int64_t start;	/* widths to the left of it */
};

/* All-zero is empty; kmp_flame_deinit() frees. */
struct flame {
	struct kmp_pool names;
	VEC(struct flame_box)
	boxes; /* the root first; after building, each before those above it */
	struct kmp_index index;
	uint32_t depth;	  /* of the deepest box */
	uint64_t omitted; /* groups whose bytes are not greater than 0 */
	uint64_t drawn;	  /* groups that have bytes (now) */
};

struct kmp_error *kmp_flame_build(struct flame *flame, const struct kmp_groups *groups,
				  const struct kmp_view *view) must_check;

void kmp_flame_deinit(struct flame *flame);

/* What a box's colour tells. */
enum flame_hue {
	HUE_OTHER,
	HUE_ALLOCATOR,
	HUE_MEMORY,
	HUE_FILES,
	HUE_NETWORK,
	HUE_TASKS,
	HUE_ENTRY,
	HUE_BOOT,
	HUE_DEVICES,
	HUE_KEY,
	HUE_MODULE, /* and HUE_MODULES - 1 more, by the module's name */
	HUE_MODULES = 6,
	HUE_NEW = HUE_MODULE + HUE_MODULES,
	HUE_GREW,
	HUE_GREW_LITTLE, /* by less than a tenth */
	HUE_SAME,
	HUE_SHRANK_LITTLE,
	HUE_SHRANK,
	HUE_GONE,
	HUES
};

/* The hue of a function, by module, else by what part of the kernel such a name belongs to. */
enum flame_hue kmp_flame_hue_of_function(const char *name, size_t len);

/* The hue of a directory at the top of the kernel's tree. */
enum flame_hue kmp_flame_hue_of_directory(const char *name, size_t len);

/* What a hue means, for the legend; "" where the keys' names tell or another stands for it. */
const char *kmp_flame_hue_label(enum flame_hue hue);

#endif
