/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file's dictionaries while a snapshot is written: what is in the file already is found again,
 * the rest is added. Rows are numbered from 1 in order; a pool's number is the row's id - 1.
 */
#ifndef KMP_STORE_DICTS_H
#define KMP_STORE_DICTS_H

#include "ledger/ledger.h"
#include "store/db.h"

struct kmp_stack_key {
	uint32_t trace; /* in traces, or KMP_NONE */
	uint32_t handle;
	uint32_t has_handle;
};

struct kmp_task_key {
	int64_t pid;
	int64_t tgid;
	uint64_t comm; /* id */
};

struct kmp_charge_key {
	uint32_t memcg; /* id */
	uint32_t bits;
};

/* The ids in the file of a ledger's numbers. */
struct kmp_ids {
	uint32_t *data;
	size_t len;
	size_t cap;
};

struct kmp_dicts {
	sqlite3 *db;
	uint64_t bytes_left;		       /* of a file that is read, see kmp_store_take() */
	struct kmp_pool texts[KMP_DICT_COUNT]; /* frames: the text and, behind it, the address */
	struct kmp_pool traces;		       /* as in stack.frames */
	struct kmp_pool stacks;		       /* of struct kmp_stack_key */
	struct kmp_pool tasks;		       /* of struct kmp_task_key */
	struct kmp_pool charges;	       /* of struct kmp_charge_key */
	struct kmp_pool locations;	       /* texts joined by NULs, then the line */
	struct kmp_ids trace_holders;	       /* the stack whose row holds a trace */
	/* The ledger's numbers, of the ledger with this serial. */
	uint64_t ledger;
	struct kmp_ids text_ids[KMP_DICT_COUNT];
	struct kmp_ids stack_ids;
	struct kmp_ids stack_traces; /* that stacks had when they were written */
	bool stacks_changed;	     /* stack_ids did, for who wants to know */
	struct kmp_ids task_ids;
	struct kmp_ids charge_ids;
	/* Statements that insert. */
	sqlite3_stmt *add_location;
};

/* Read the dictionaries of a file that is appended to; dicts is all-zero before, but for
 * bytes_left. */
struct kmp_error *kmp_dicts_load(struct kmp_dicts *dicts, sqlite3 *db) must_check;

/*
 * Write the ledger's texts, frames, stacks, tasks and charges and fill the ids: of the ledger that
 * was written last, what it got since then.
 */
struct kmp_error *kmp_dicts_write(struct kmp_dicts *dicts,
				  const struct kmp_ledger *ledger) must_check;

/* The id of a tag's location, written if new. */
struct kmp_error *kmp_dicts_location(struct kmp_dicts *dicts, const struct kmp_tag *tag,
				     uint32_t *id) must_check;

/*
 * The id of a ledger's number, KMP_NONE for KMP_NONE. KMP_ERROR_INPUT for a number that the ledger
 * does not have.
 */
struct kmp_error *kmp_ids_find(const struct kmp_ids *ids, uint32_t number, uint32_t *id) must_check;

/* The id of these bytes, and whether a row must be written for them. */
struct kmp_error *kmp_dicts_intern(struct kmp_pool *pool, const void *bytes, size_t len,
				   uint32_t *id, bool *is_new) must_check;
struct kmp_error *kmp_dicts_intern_frame(struct kmp_pool *pool, const char *text, size_t len,
					 uint64_t address, uint32_t *id, bool *is_new) must_check;
struct kmp_error *kmp_dicts_intern_location(struct kmp_pool *pool, const struct kmp_tag *tag,
					    uint32_t *id, bool *is_new) must_check;

void kmp_dicts_deinit(struct kmp_dicts *dicts);

#endif
