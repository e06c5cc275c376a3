/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the verbs that group page owners: report, diff. */
#ifndef KMP_CLI_GROUP_H
#define KMP_CLI_GROUP_H

#include "cli/common.h"

/* The options that cli_group_options() understands, for a command's list. */
#define CLI_GROUP_OPTIONS                                                                          \
	{ "by", 'k', "KEYS", "group by these keys, joined with commas", CLI_PAGE_KEYS, "," },      \
		{ "where", 'w', "EXPR", "only page owners for which this holds" },                 \
	{                                                                                          \
		"threads", 'j', "N", "parse text with so many threads"                             \
	}

struct cli_group {
	const char *by;	   /* NULL: the default */
	const char *where; /* NULL: everything */
	const char *sort;  /* NULL: the default */
	unsigned threads;  /* 0: the default */
	bool page;	   /* for a page, whose reader chooses among several keys */
};

/* Read the options. KMP_ERROR_USAGE. */
struct kmp_error *cli_group_options(const struct cli_args *args, struct cli_group *group);

/* Group the page owners of a source. */
struct kmp_error *cli_group_pages(const struct cli_group *group, struct kmp_source *source,
				  struct kmp_groups **groups);

/* The same of the tags of a source. */
struct kmp_error *cli_group_tags(const struct cli_group *group, struct kmp_source *source,
				 struct kmp_groups **groups);

/*
 * Are keys, expression, order and format right (for tags, or else page owners)? Asked before
 * anything is read, since reading can take long.
 */
struct kmp_error *cli_group_check(const struct cli_args *args, const struct cli_group *group,
				  bool tags, bool difference);

#endif
