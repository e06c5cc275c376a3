/* SPDX-License-Identifier: GPL-2.0-only */
/* What `record` and `trace` have in common. */
#ifndef KMP_CLI_RECORD_H
#define KMP_CLI_RECORD_H

#include "cli/cli.h"

struct cli_record {
	struct kmp_recorder_options options;
	uint32_t *pids;
	const char *path; /* ledger file, or NULL */
	const char *by;	  /* keys, or NULL */
	const char *sort; /* order of what is printed, or NULL */
	double duration;  /* seconds, 0: until told to end */
	char **command;	  /* and its arguments, or NULL */
	/* Asked before the recording begins, since it can take long; or NULL. */
	struct kmp_error *(*check)(struct cli_record *job, struct kmp_recorder *recorder);
};

/* Read what to record, and how much room to take for it; has_command: and a command's processes. */
struct kmp_error *cli_record_scope(const struct cli_args *args, bool has_command,
				   struct cli_record *job);

/* The scope of a recording without a command: KMP_ERROR_USAGE if there is none. */
struct kmp_error *cli_record_live(const struct cli_args *args, struct cli_record *job);

/* KMP_ERROR_USAGE if an option is given that only a recording has; the verb need not know all. */
struct kmp_error *cli_record_refuse(const struct cli_args *args);

/* What to record: page owners unless tags are asked for, which cost time for each kernel object. */
uint32_t cli_record_what(const struct cli_args *args);

/*
 * Read the options; the command begins at this one of the other arguments. KMP_ERROR_USAGE also if
 * there is nothing to record.
 */
struct kmp_error *cli_record_start(const struct cli_args *args, int command,
				   struct cli_record *job);

/* The same with what `record` alone has. */
struct kmp_error *cli_record_options(const struct cli_args *args, struct cli_record *job);
void cli_record_deinit(struct cli_record *job);

/* What is done with what was recorded. */
typedef struct kmp_error *cli_record_result(struct cli_args *args, struct cli_record *job,
					    struct kmp_recorder *recorder);

/*
 * Record for the duration, until told to end or while the command runs, whose exit status becomes
 * ours.
 */
struct kmp_error *cli_record_run(struct cli_args *args, struct cli_record *job,
				 cli_record_result *result);

/* A duration from an option that was given: 10s, 500ms, 5m, 2h, 1.5. KMP_ERROR_USAGE. */
struct kmp_error *cli_duration(const struct cli_args *args, const char *option, double *seconds);

#endif
