// SPDX-License-Identifier: GPL-2.0-only
#include "cli/commands.h"

#include <string.h>

/* One on a line, in the order of the help. */
/* clang-format off */
const struct cli_command *const cli_commands[] = {
	&cmd_record,
	&cmd_trace,
	&cmd_capture,
	&cmd_report,
	&cmd_tags,
	&cmd_diff,
	&cmd_filter,
	&cmd_sort,
	&cmd_stacks,
	&cmd_mount,
	&cmd_umount,
	&cmd_monitor,
	&cmd_trend,
	&cmd_watch,
	&cmd_serve,
	&cmd_push,
	&cmd_fleet,
	&cmd_doctor,
	&cmd_version,
	&cmd_help,
	NULL,
};
/* clang-format on */

const struct cli_command *cli_find(const char *name)
{
	for (size_t i = 0; cli_commands[i]; i++) {
		if (!strcmp(cli_commands[i]->name, name))
			return cli_commands[i];
	}
	return NULL;
}
