/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ledgers full of pages made by a seeded generator, to store, load and compare. Include after
 * cmocka.h.
 */
#ifndef KMP_TESTS_STORE_FILL_H
#define KMP_TESTS_STORE_FILL_H

#include "store/store.h"

/* A ledger and page owners that refer to it. */
struct filled {
	struct kmp_ledger *ledger;
	struct kmp_page *pages;
	size_t count;
	size_t cap;
};

enum fill_style {
	FILL_WILD,  /* any value anywhere */
	FILL_BARE,  /* nothing told but order and stack */
	FILL_SUMS,  /* records and pages of many, no places */
	FILL_KERNEL /* as a recent kernel's dump */
};

#define assert_no_error(expr)                                                                      \
	do {                                                                                       \
		struct kmp_error *got_ = (expr);                                                   \
		char *text_ = got_ ? kmp_error_format(got_) : NULL;                                \
		if (text_)                                                                         \
			fail_msg("%s", text_);                                                     \
	} while (0)

void fill_style(struct filled *f, unsigned seed, size_t count, enum fill_style style);
void fill(struct filled *f, unsigned seed, size_t count);
void filled_deinit(struct filled *f);

/* Store into a file; read a snapshot of it, of these columns. */
struct kmp_error *save(struct filled *f, const char *path, bool append);
struct kmp_error *load(struct filled *f, const char *path, unsigned snapshot, uint32_t columns);

/* A sink that collects pages in a struct filled. */
struct kmp_sink collect_sink(struct filled *f, uint32_t columns);

void assert_same(const struct filled *a, const struct filled *b);

/* The same page owners, whatever else the ledgers hold. */
void assert_same_pages(const struct filled *a, const struct filled *b);

/* The records and pages by what `columns` tells are the same. */
void assert_same_sums(const struct filled *a, const struct filled *b, uint32_t columns);

/* A directory for each test's files; test_path() is valid until called four times more. */
int make_directory(void **state);
int remove_directory(void **state);
const char *test_path(const char *name);
int files_in_test_directory(void);

#endif
