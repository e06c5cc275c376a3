/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A compiled filter. Each comparison of the expression is a *test*; it knows which test comes next
 * where it holds and where it does not, so that matching is a walk without recursion.
 */
#ifndef KMP_LEDGER_FILTER_H
#define KMP_LEDGER_FILTER_H

#include <regex.h>

#include "ledger/origin.h"

enum kmp_field {
	KMP_FIELD_ORDER,
	KMP_FIELD_PID,
	KMP_FIELD_TGID,
	KMP_FIELD_NODE,
	KMP_FIELD_HANDLE,
	KMP_FIELD_PFN,
	KMP_FIELD_TS,
	KMP_FIELD_FREE_TS,
	KMP_FIELD_COMM,
	KMP_FIELD_ZONE,
	KMP_FIELD_MIGRATETYPE,
	KMP_FIELD_BLOCK,
	KMP_FIELD_GFP,
	KMP_FIELD_FLAGS,
	KMP_FIELD_MEMCG,
	KMP_FIELD_REASON,
	KMP_FIELD_STACK,
	KMP_FIELD_MODULE,
	KMP_FIELD_FUNCTION,
	KMP_FIELD_ALLOCATOR,
	KMP_FIELD_MIGRATED, /* these two stand alone */
	KMP_FIELD_SLAB,
	KMP_FIELD_COUNT
};

enum kmp_test_kind {
	KMP_TEST_RANGES, /* the number is in one of the ranges */
	KMP_TEST_EQUAL,	 /* the text is this one */
	KMP_TEST_REGEX,	 /* the text, or a frame, matches */
	KMP_TEST_HAS,	 /* the mask, or the stack, has all of these names */
	KMP_TEST_BARE	 /* `migrated`, `slab` */
};

/* Both ends belong to it. */
struct kmp_range {
	uint64_t low;
	uint64_t high;
};

typedef VEC(struct kmp_range) kmp_ranges;

/* Where a walk ends. */
#define KMP_FILTER_YES (UINT32_MAX - 1)
#define KMP_FILTER_NO  UINT32_MAX

struct kmp_filter_test {
	enum kmp_field field;
	enum kmp_test_kind kind;
	bool negate;	   /* `!=` and `!~`: what is not told still does not match */
	bool has_regex;	   /* regex must be freed */
	uint32_t yes;	   /* the test after this one if it holds, or an end */
	uint32_t no;	   /* and if it does not */
	kmp_ranges ranges; /* rising, apart from each other */
	char *text;	   /* to compare with; names joined by `|` */
	size_t len;
	regex_t regex;
	struct kmp_memo memo; /* by number of the text or trace; of a zone, by flags */
	size_t zones_seen;    /* zones that had names when memo was begun */
};

struct kmp_filter {
	VEC(struct kmp_filter_test) tests;
	uint32_t start; /* the first test */
	uint32_t columns;
	struct kmp_allocator_memo allocators;
};

/* Which operators a field takes; bits. */
enum {
	KMP_TAKES_NUMBER = 1, /* == != < <= > >= in */
	KMP_TAKES_TEXT = 2,   /* == != */
	KMP_TAKES_HAS = 4,
	KMP_TAKES_REGEX = 8 /* ~ !~ */
};

/* What the language knows of a field. */
struct kmp_field_info {
	const char *name;
	uint32_t columns;
	unsigned takes;
};

extern const struct kmp_field_info kmp_fields[KMP_FIELD_COUNT];

/*
 * A value of a number field: decimal, `0x` for hexadecimal; a time in seconds, or with ns, us, ms,
 * s behind it; a handle may be negative. NULL, or what is wrong with it.
 */
const char *kmp_filter_number(enum kmp_field field, const char *text, size_t len, uint64_t *value);

/*
 * A list such as `0,2-4`, `0-7:1/4`, appended to ranges, sorted and joined. *problem is NULL, or
 * what is wrong with the list; the error is for want of memory alone.
 */
struct kmp_error *kmp_filter_list(enum kmp_field field, const char *text, size_t len,
				  kmp_ranges *ranges, const char **problem) must_check;

/* What makes a regular expression unfit to be compiled (size, back-references), or NULL. */
const char *kmp_filter_regex_problem(const char *pattern);

#endif
