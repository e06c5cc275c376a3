/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The columns of the table for people and the text of their cells.
 */
#ifndef KMP_FORMAT_TABLE_CELLS_H
#define KMP_FORMAT_TABLE_CELLS_H

#include "format/utf8.h"

/* What a column shows. */
enum cell_kind {
	CELL_BYTES,
	CELL_PAGES,
	CELL_SHARE,
	CELL_RECORDS, /* or calls */
	CELL_AVERAGE,
	CELL_MEMBERS,
	CELL_DELTA,
	CELL_NOW,
	CELL_BEFORE,
	CELL_DELTA_PAGES,
	CELL_DELTA_RECORDS,
	CELL_EXTRA,    /* a number that was added */
	CELL_LOCATION, /* file:line [module] function */
	CELL_KEY,
	CELL_EXTRA_TEXT
};

struct column {
	enum cell_kind kind;
	size_t key;	/* of CELL_KEY and extras: which */
	char title[24]; /* in capitals */
	size_t width;	/* columns of the widest cell */
};

/* The columns of a table; free with vec_deinit(). */
struct columns {
	struct column *data;
	size_t len;
	size_t cap;
};

struct kmp_error *kmp_columns_choose(struct columns *columns,
				     const struct kmp_groups *groups) must_check;

/* Figures stand to the right in their columns, texts to the left. */
static inline bool cell_is_text(enum cell_kind kind)
{
	return kind == CELL_LOCATION || kind == CELL_KEY || kind == CELL_EXTRA_TEXT;
}

/* The text of a cell, in place of what buf holds. Texts are made visible. */
struct kmp_error *kmp_cell_print(struct kmp_buf *buf, const struct column *column,
				 const struct kmp_groups *groups, const struct kmp_group *group,
				 bool exact) must_check;

/* What one group of these is called, or several: `stack`, `task names`, `groups`. */
const char *kmp_groups_noun(const struct kmp_groups *groups, bool one);

#endif
