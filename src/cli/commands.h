/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KMP_CLI_COMMANDS_H
#define KMP_CLI_COMMANDS_H

#include "cli/cli.h"

extern const struct cli_command cmd_capture;
extern const struct cli_command cmd_diff;
extern const struct cli_command cmd_doctor;
extern const struct cli_command cmd_filter;
extern const struct cli_command cmd_fleet;
extern const struct cli_command cmd_help;
extern const struct cli_command cmd_monitor;
extern const struct cli_command cmd_mount;
extern const struct cli_command cmd_umount;
extern const struct cli_command cmd_page_owner_sort;
extern const struct cli_command cmd_push;
extern const struct cli_command cmd_record;
extern const struct cli_command cmd_report;
extern const struct cli_command cmd_serve;
extern const struct cli_command cmd_sort;
extern const struct cli_command cmd_stacks;
extern const struct cli_command cmd_tags;
extern const struct cli_command cmd_trace;
extern const struct cli_command cmd_trend;
extern const struct cli_command cmd_version;
extern const struct cli_command cmd_watch;

#endif
