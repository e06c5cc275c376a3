/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What page_owner_sort does: records with the same text (or that agree in the cull rules) become
 * one, which is printed with how often it came and how many pages that were. Memory grows with
 * the distinct ones.
 */
#ifndef KMP_CLI_SORTER_H
#define KMP_CLI_SORTER_H

#include "kmemprof/kmemprof.h"

/* What records can be compared by. */
enum sort_key {
	SORT_TIMES,
	SORT_PAGES,
	SORT_PID,
	SORT_TGID,
	SORT_NAME,
	SORT_STACK,
	SORT_ALLOC_TIME,
	SORT_FREE_TIME,
	SORT_TEXT,
	SORT_ALLOCATOR,
	SORT_KEYS
};

enum { SORT_ORDER_MAX = 16 };

/* Bits: who allocated. They are compared as numbers. */
enum { ALLOCATOR_CMA = 2, ALLOCATOR_SLAB = 4, ALLOCATOR_VMALLOC = 8, ALLOCATOR_OTHERS = 16 };

struct sort_order {
	enum sort_key key;
	bool descending;
};

/* A list that a record must be in. */
struct sort_numbers {
	int64_t *numbers;
	size_t count;
	bool given;
};

struct sort_names {
	char **names; /* into text */
	char *text;
	size_t count;
	bool given;
};

struct sort_rules {
	struct sort_order order[SORT_ORDER_MAX];
	size_t order_count;
	uint32_t cull; /* bits 1 << enum sort_key; SORT_FREE_TIME: whether it was freed before */
	struct sort_numbers pids;
	struct sort_numbers tgids;
	struct sort_names names;
	bool chatty;	  /* tell on standard output what is done */
	bool in_use_only; /* leave out what was freed after it was allocated */
};

/* Records that became one. */
struct sort_entry {
	uint64_t key[6];
	struct kmp_page page; /* the first of them, with the records and pages of all */
	char *text;	      /* as printed; made when needed */
	char *stack;	      /* its stack's lines; likewise */
	uint32_t allocator;
};

struct sorter {
	const struct sort_rules *rules;
	struct kmp_ledger *ledger;
	struct sort_entry *entries;
	struct sort_entry **sorted; /* by sorter_sort() */
	uint64_t loaded;	    /* records taken */
	size_t count;
	size_t cap;
	uint32_t *slots;   /* entry number + 1, by hash; 0: free */
	size_t slot_count; /* a power of 2, or 0 */
	bool failed;	   /* while sorting: out of memory */
};

/* Keep the rules (which must outlive it) and nothing yet. */
void sorter_init(struct sorter *sorter, const struct sort_rules *rules, struct kmp_ledger *ledger);
void sorter_deinit(struct sorter *sorter);

/* Takes the records. */
struct kmp_sink sorter_sink(struct sorter *sorter);

/* Put the entries in order. */
struct kmp_error *sorter_sort(struct sorter *sorter);

/* Print the entries; sort first. */
struct kmp_error *sorter_print(struct sorter *sorter, FILE *out);

/* Who allocated a page: bits. */
uint32_t sorter_allocator(const struct kmp_ledger *ledger, const struct kmp_page *page);

/* The task of a page; all unknown where none was told. */
struct kmp_task sorter_task(const struct kmp_ledger *ledger, const struct kmp_page *page);

/* The texts of an entry, NULL when out of memory; kept with it. */
const char *sorter_text(const struct sorter *sorter, struct sort_entry *entry);
const char *sorter_stack(const struct sorter *sorter, struct sort_entry *entry);

#endif
