/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file's dictionaries while a snapshot is read: entries come into the ledger when something
 * refers to them, so that a file of many snapshots costs what one of them needs.
 */
#ifndef KMP_STORE_LOAD_H
#define KMP_STORE_LOAD_H

#include "ledger/ledger.h"
#include "store/db.h"
#include "store/frames.h"

enum { LIST_STACK = KMP_DICT_COUNT, LIST_TASK, LIST_CHARGE, LIST_TRACE, LIST_COUNT };

struct kmp_loader {
	sqlite3 *db;
	struct kmp_ledger *ledger;
	uint64_t rows_max;   /* more rows than this cannot be in the file */
	uint64_t bytes_left; /* see kmp_store_take() */
	uint64_t tag_bytes_left;
	struct {
		sqlite3_stmt *find;
		uint32_t *numbers; /* by id; KMP_NONE: not read yet */
		uint64_t count;
	} lists[LIST_COUNT]; /* by enum kmp_dict, or as above */
	sqlite3_stmt *find_location;
	VEC(uint32_t) frames; /* scratch */
	kmp_bytes text;	      /* scratch */
};

/* loader->db, ledger and the limits must be set, the rest zero. */
void kmp_loader_deinit(struct kmp_loader *loader);

/*
 * The ledger's number of the text, stack, task or charge whose id stands in this column of a row;
 * KMP_NONE for NULL. KMP_ERROR_INPUT if it is not in the file.
 */
struct kmp_error *kmp_loader_find(struct kmp_loader *loader, int list, sqlite3_stmt *stmt,
				  int column, uint32_t *number) must_check;

/* The same for an id. */
struct kmp_error *kmp_loader_id(struct kmp_loader *loader, int list, int64_t id,
				uint32_t *number) must_check;

/* Fill the strings and line of a tag from its location; valid until the next call. */
struct kmp_error *kmp_loader_location(struct kmp_loader *loader, int64_t id,
				      struct kmp_tag *tag) must_check;

/* End what is being read, so that others can write; the tag filled last is valid no more. */
void kmp_loader_pause(struct kmp_loader *loader);

/* KMP_ERROR_INPUT: what does not fit. */
struct kmp_error *kmp_store_damaged(const char *what) must_check;

#endif
