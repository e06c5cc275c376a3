/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups put together by hand, and what a view makes of them, for the tests of the views. */
#ifndef KMP_TESTS_VIEW_SAMPLES_H
#define KMP_TESTS_VIEW_SAMPLES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "kmemprof/kmemprof.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define NONE                                                                                       \
	{                                                                                          \
		.kind = KMP_VALUE_NONE                                                             \
	}
#define NUMBER(n)                                                                                  \
	{                                                                                          \
		.kind = KMP_VALUE_NUMBER, .number = (n)                                            \
	}
#define TEXT(t)                                                                                    \
	{                                                                                          \
		.kind = KMP_VALUE_TEXT, .text = (t), .len = sizeof(t) - 1                          \
	}
#define STACK(f)                                                                                   \
	{                                                                                          \
		.kind = KMP_VALUE_STACK, .frames = (f), .depth = COUNT(f)                          \
	}
#define HANDLE(n)                                                                                  \
	{                                                                                          \
		.kind = KMP_VALUE_STACK, .number = (n)                                             \
	}
#define PAGES(r, p)                                                                                \
	{                                                                                          \
		.records = (r), .pages = (p), .bytes = (p)*4096LL, .members = (r)                  \
	}
#define NO_TIME .ts_first = KMP_UNKNOWN, .ts_last = KMP_UNKNOWN

#define FACTS                                                                                      \
	{                                                                                          \
		.name = "dump.txt", .kind = "page_owner", .mode = "stack", .kernel = "7.3.4",      \
		.page_size = 4096                                                                  \
	}

/* What a view prints, to be freed; the error (or NULL) goes to *err. */
static inline char *view_text(const struct kmp_groups *groups, const struct kmp_view *view,
			      struct kmp_error **err)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	*err = kmp_groups_write(groups, out, view);
	fclose(out);
	return text;
}

static inline void expect_view(const struct kmp_groups *groups, struct kmp_view view,
			       const char *expected)
{
	struct kmp_error *err;
	char *text = view_text(groups, &view, &err);

	assert_null(err);
	assert_string_equal(text, expected);
	free(text);
}

static inline void expect_usage(const struct kmp_groups *groups, enum kmp_format format)
{
	struct kmp_error *err;
	char *text = view_text(groups, &(struct kmp_view){ .format = format }, &err);

	assert_non_null(err);
	assert_int_equal(err->kind, KMP_ERROR_USAGE);
	assert_string_equal(text, "");
	kmp_error_destroy(err);
	free(text);
}

/* By task and stack: hostile names, Latin-1, an unresolved handle, a module, what is not told. */
static const char *const frames_inner[] = { "post_alloc_hook+0x6a/0x91",
					    "xfs_buf_alloc+0x1/0x2 [xfs]", "vfs_write+0xa/0xb" };
static const char *const frames_other[] = { "do_thing+0x1/0x2", "vfs_write+0xc/0xd" };
static const char *const comm_stack[] = { "comm", "stack" };
static const struct kmp_value key_nginx[] = { TEXT("nginx"), STACK(frames_inner) };
static const struct kmp_value key_new_line[] = { TEXT("new\n\"line\""), STACK(frames_other) };
static const struct kmp_value key_latin1[] = { TEXT("caf\xe9"), HANDLE(123) };
static const struct kmp_value key_utf8[] = { TEXT("h\xc3\xa9llo \xe6\x97\xa5"), NONE };
static const struct kmp_value key_none[] = { NONE, HANDLE(7) };

static inline struct kmp_groups sample_pages(struct kmp_group groups[5])
{
	const struct kmp_group rows[] = {
		{ .key = key_nginx, .now = PAGES(6, 600), .ts_first = 5, .ts_last = 90 },
		{ .key = key_new_line, .now = PAGES(1, 300), NO_TIME, .note = "a, note" },
		{ .key = key_latin1, .now = PAGES(2, 60), NO_TIME, .approximate = true },
		{ .key = key_utf8, .now = PAGES(3, 30), NO_TIME },
		{ .key = key_none, .now = PAGES(1, 10), NO_TIME },
	};

	memcpy(groups, rows, sizeof(rows));
	return (struct kmp_groups){ .keys = comm_stack,
				    .key_count = 2,
				    .groups = groups,
				    .count = 5,
				    .total = PAGES(13, 1000),
				    .facts = FACTS,
				    .losses = { .first_reason = "" } };
}

/* Locations of allocinfo: a module, a negative figure, an inaccurate counter. */
static const char *const location_keys[] = { "file", "line", "module", "function" };
static const struct kmp_value key_slub[] = { TEXT("mm/slub.c"), NUMBER(3059), TEXT(""),
					     TEXT("alloc_slab_page") };
static const struct kmp_value key_ice[] = { TEXT("drivers/net/ice/ice_txrx.c"), NUMBER(681),
					    TEXT("ice"), TEXT("ice_alloc_mapped_page") };
static const struct kmp_value key_raced[] = { TEXT("fs/dcache.c"), NUMBER(12), TEXT(""),
					      TEXT("d_alloc") };

static inline struct kmp_groups sample_tags(struct kmp_group groups[3])
{
	const struct kmp_group rows[] = {
		{ .key = key_slub,
		  .now = { .records = 100, .bytes = 1638400, .members = 1 },
		  NO_TIME },
		{ .key = key_ice,
		  .now = { .records = 10, .bytes = 40960, .members = 1, .inaccurate = 1 },
		  NO_TIME,
		  .note = "rounded" },
		{ .key = key_raced,
		  .now = { .records = -1, .bytes = -192, .members = 1 },
		  NO_TIME },
	};

	memcpy(groups, rows, sizeof(rows));
	return (struct kmp_groups){
		.unit = KMP_UNIT_TAGS,
		.keys = location_keys,
		.key_count = 4,
		.groups = groups,
		.count = 3,
		.total = { .records = 109, .bytes = 1679168, .members = 3, .inaccurate = 1 },
		.facts = { .name = "allocinfo",
			   .kind = "allocinfo",
			   .mode = "",
			   .kernel = "",
			   .page_size = 4096 },
		.losses = { .first_reason = "" }
	};
}

/* A difference by order: growth, shrinkage, the same, unknown because the earlier side was cut. */
static const char *const order_key[] = { "order" };
static const struct kmp_value key_order[] = { NUMBER(0), NUMBER(3), NUMBER(9), NUMBER(4) };

static inline struct kmp_groups sample_difference(struct kmp_group groups[4])
{
	const struct kmp_group rows[] = {
		{ .key = &key_order[0], .now = PAGES(20, 20), .before = PAGES(10, 10), NO_TIME },
		{ .key = &key_order[1], .now = PAGES(1, 8), .before = PAGES(1, 8), NO_TIME },
		{ .key = &key_order[2], .now = PAGES(1, 512), .before = PAGES(2, 1024), NO_TIME },
		{ .key = &key_order[3], .now = PAGES(1, 16), NO_TIME, .unknown = true },
	};

	memcpy(groups, rows, sizeof(rows));
	return (struct kmp_groups){ .keys = order_key,
				    .key_count = 1,
				    .groups = groups,
				    .count = 4,
				    .total = PAGES(23, 556),
				    .total_before = PAGES(13, 1042),
				    .difference = true,
				    .facts = FACTS,
				    .facts_before = { .name = "old.txt",
						      .kind = "page_owner",
						      .mode = "",
						      .kernel = "" },
				    .losses = { .first_reason = "" } };
}

#endif
