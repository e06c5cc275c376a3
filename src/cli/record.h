/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of `record`. */
#ifndef KMP_CLI_RECORD_H
#define KMP_CLI_RECORD_H

#include "cli/cli.h"

struct cli_record {
	struct kmp_recorder_options options;
	uint32_t *pids;
	const char *path; /* ledger file, or NULL */
	const char *by;	  /* keys, or NULL */
	double duration;  /* seconds, 0: until told to end */
};

/* Read what to record, and how much room to take for it; has_command: and a command's processes. */
struct kmp_error *cli_record_scope(const struct cli_args *args, bool has_command,
				   struct cli_record *job);

/* Read the options; KMP_ERROR_USAGE also if they leave nothing to record. */
struct kmp_error *cli_record_options(const struct cli_args *args, struct cli_record *job);
void cli_record_deinit(struct cli_record *job);

/* A duration from an option that was given: 10s, 500ms, 5m, 2h, 1.5. KMP_ERROR_USAGE. */
struct kmp_error *cli_duration(const struct cli_args *args, const char *option, double *seconds);

#endif
