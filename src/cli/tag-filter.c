// SPDX-License-Identifier: GPL-2.0-only
#include "cli/tag-filter.h"

#include <string.h>

#include "base/error.h"
#include "cli/common.h"

static struct kmp_error *parse_accurate(const char *text, int *accurate)
{
	if (!strcmp(text, "yes"))
		*accurate = 1;
	else if (!strcmp(text, "no"))
		*accurate = 0;
	else
		return kmp_error_new(KMP_ERROR_USAGE, "--accurate: '%s' is neither yes nor no",
				     text);
	return NULL;
}

struct kmp_error *cli_tag_filter(const struct cli_args *args, struct kmp_tag_filter *filter)
{
	const char *accurate = cli_value(args, "accurate");

	*filter = (struct kmp_tag_filter){ .module = cli_value(args, "module"),
					   .function = cli_value(args, "function"),
					   .file = cli_value(args, "file"),
					   .has_min_size = cli_value(args, "min-size") != NULL,
					   .has_max_size = cli_value(args, "max-size") != NULL,
					   .accurate = -1 };
	if (cli_value(args, "line"))
		try(cli_number(args, "line", &filter->line));
	if (filter->has_min_size)
		try(cli_size(args, "min-size", &filter->min_size));
	if (filter->has_max_size)
		try(cli_size(args, "max-size", &filter->max_size));
	return accurate ? parse_accurate(accurate, &filter->accurate) : NULL;
}
