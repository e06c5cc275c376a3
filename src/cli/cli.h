/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A command is a const struct in its own file; commands.c lists them. Help, completion and the
 * synopsis of the man pages come from the table, and main.c parses the options by it.
 */
#ifndef KMP_CLI_CLI_H
#define KMP_CLI_CLI_H

#include "kmemprof/kmemprof.h"

/* Exit statuses. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_LOSSES = 3 };

/* Arguments of options that repeat, at most. */
enum { CLI_REPEATS = 32 };

struct cli_option {
	const char *name; /* without the dashes */
	char letter;	  /* 0: none */
	const char *arg;  /* what the argument is called, NULL: takes none */
	const char *help; /* one line */
	/* For completion: what the argument can be, separated by blanks, or NULL. */
	const char *words;
	const char *joint; /* what several of them are joined with; NULL: one alone */
	size_t repeats; /* CLI_REPEATS: all that are given count, see cli_next_value(); 0: the last
			 */
};

/* What the user typed, parsed by the command's options. */
struct cli_args {
	const struct cli_command *command;
	const char *values[24]; /* by option: NULL if not given; "" for one without argument */
	struct {
		int option;
		const char *value;
	} repeated[CLI_REPEATS]; /* of options that repeat: all that was given, in its order */
	int repeated_count;
	char **rest; /* the other arguments, NULL-terminated */
	int count;   /* how many */
	int status;  /* the exit status of a run that succeeds */
	bool help;   /* help was asked for: nothing else was looked at */
};

struct cli_command {
	const char *name;
	const char *summary;		  /* one line, lower case, no full stop */
	const char *synopsis;		  /* the other arguments: `[FILE]` */
	const char *words;		  /* the first of them is one of these, or NULL */
	const char *details;		  /* paragraphs for `help VERB`, or NULL */
	const struct cli_option *options; /* ends with an all-zero one; at most 23 */
	int min_args;
	int max_args;	  /* -1: any number */
	bool own_program; /* no verb: a program of its own name */
	struct kmp_error *(*run)(struct cli_args *args);
};

/* All commands, NULL-terminated. */
extern const struct cli_command *const cli_commands[];

/* The command of this name, or NULL. */
const struct cli_command *cli_find(const char *name);

/* The value of an option, NULL if it was not given. */
const char *cli_value(const struct cli_args *args, const char *option);

/*
 * The values of an option that repeats, one after the other: *position is 0 at first, and moved on.
 * NULL at the end.
 */
const char *cli_next_value(const struct cli_args *args, const char *option, int *position);

/* A whole number from an option that was given. KMP_ERROR_USAGE. */
struct kmp_error *cli_number(const struct cli_args *args, const char *option, uint64_t *value);

/* Parse argv (argv[0] is the verb) into args; rest points into argv, which is reordered. */
struct kmp_error *cli_parse(const struct cli_command *command, int argc, char **argv,
			    struct cli_args *args);

/* `usage: …` and the options. */
void cli_print_help(const struct cli_command *command, FILE *out);

/* The list of commands. */
void cli_print_overview(FILE *out);

/*
 * What a manual page has of the command table (NULL: of all commands), in the language of scdoc:
 * all of it up to the options.
 */
void cli_print_manual(const struct cli_command *command, FILE *out);

/* Scripts that complete the commands' words in a shell. */
void cli_print_bash(FILE *out);
void cli_print_zsh(FILE *out);

/* Print an error to standard error, free it, and tell the exit status. */
int cli_report_error(struct kmp_error *err);

/* Print a ledger's warnings and losses to standard error; sets args->status to CLI_LOSSES. */
void cli_report_losses(struct cli_args *args, const struct kmp_losses *losses,
		       const char *const *warnings, size_t count);

/* The same from a ledger. */
void cli_report_ledger(struct cli_args *args, const struct kmp_ledger *ledger);

/* KMP_ERROR_SYSTEM if standard output could not be written, as on a full disk. */
struct kmp_error *cli_close_output(FILE *out, const char *path);

#endif
