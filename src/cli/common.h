/* SPDX-License-Identifier: GPL-2.0-only */
/* What several commands do alike: sources, output files, sizes, views. */
#ifndef KMP_CLI_COMMON_H
#define KMP_CLI_COMMON_H

#include "cli/cli.h"

/* The running kernel's files. */
#define CLI_KERNEL "/sys/kernel/debug"

enum { CLI_LIMIT = 20 }; /* rows of a table, unless --limit tells */

/* What kmp_format_parse() knows. */
#define CLI_FORMATS	 "table, json, csv, folded, svg, pprof or html"
#define CLI_FORMAT_WORDS "table json csv folded svg pprof html"

/* The keys of kmp_grouping_create() and kmp_tags_group(). */
#define CLI_PAGE_KEYS                                                                              \
	"stack handle comm pid tgid order gfp migratetype block flags node zone memcg module "     \
	"function allocator"
#define CLI_TAG_KEYS "tag module file directory function line"

/* What `--sort` takes; group keys, too. */
#define CLI_SORT_WORDS "bytes pages records calls ts -bytes -pages -records -calls -ts"

/* The options that cli_view() and cli_output_open() understand, for a command's list. */
#define CLI_VIEW_OPTIONS                                                                           \
	{ "sort", 's', "KEY", "order by bytes, pages, records, calls, ts or a key; -KEY reversed", \
	  CLI_SORT_WORDS },                                                                        \
		{ "limit", 'l', "N", "rows to print, 0 for all; tables print 20 unless told" },    \
		{ "format", 'f', "FORMAT", CLI_FORMATS, CLI_FORMAT_WORDS },                        \
		{ "bytes", 'b', NULL, "exact bytes, not binary units" },                           \
	{                                                                                          \
		"output", 'o', "FILE", "write there, in place when complete; not standard output"  \
	}

/* The option that cli_set_note() understands. */
#define CLI_VERBOSE_OPTION                                                                         \
	{                                                                                          \
		"verbose", 'v', NULL, "tell how the source is read"                                \
	}

/* Where a command's result goes. */
struct cli_output {
	FILE *file;
	char *path; /* NULL: standard output */
	char *temp; /* written instead of path until cli_output_commit(); NULL: path itself */
};

/*
 * Open the file of option `output`, or standard output. What is at a regular file's path stays
 * until cli_output_commit(), also if the program is killed.
 */
struct kmp_error *cli_output_open(const struct cli_args *args, struct cli_output *output);

/* The same for a path; `-` and NULL are standard output. */
struct kmp_error *cli_output_open_at(const char *path, struct cli_output *output);

/* Finish the file and put it in place. */
struct kmp_error *cli_output_commit(struct cli_output *output);

/* Free; without a commit before, nothing is left of the file. */
void cli_output_deinit(struct cli_output *output);

/* How to print to this output, from options format, limit and bytes. */
struct kmp_error *cli_view(const struct cli_args *args, const struct cli_output *output,
			   struct kmp_view *view);

/* Sort by option `sort`, print, and tell losses and warnings where the output does not. */
struct kmp_error *cli_write_groups(struct cli_args *args, struct kmp_groups *groups,
				   struct cli_output *output);

/* What a page shows beside the groups. */
struct cli_page {
	const struct kmp_groups *tags; /* of the same source, or NULL */
	struct kmp_timeline *const *timelines;
	size_t timeline_count;
};

/* The same as cli_write_groups(); page may be NULL. */
struct kmp_error *cli_write_page(struct cli_args *args, struct kmp_groups *groups,
				 const struct cli_page *page, struct cli_output *output);

/* A size from an option that was given: 4096, 4K, 1.5M, 2GiB, -1. KMP_ERROR_USAGE. */
struct kmp_error *cli_size(const struct cli_args *args, const char *option, int64_t *bytes);

/*
 * Open a source that shows its progress on a terminal; some of what (enum kmp_read) must be there.
 * options may be NULL.
 */
struct kmp_error *cli_source_open(const char *path, uint32_t what,
				  const struct kmp_source_options *options,
				  struct kmp_source **source);

/* Have the source tell how it is read, on standard error, if option `verbose` was given. */
void cli_set_note(const struct cli_args *args, struct kmp_source_options *options);

/* The first argument, or the running kernel's files. */
const char *cli_page_owner_path(const struct cli_args *args);

#endif
