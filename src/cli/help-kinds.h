/* SPDX-License-Identifier: GPL-2.0-only */
/* What an argument is, as far as the command table tells: for completion. */
#ifndef KMP_CLI_HELP_KINDS_H
#define KMP_CLI_HELP_KINDS_H

#include "cli/cli.h"

enum cli_kind {
	CLI_KIND_NONE, /* there is no argument */
	CLI_KIND_FILE,
	CLI_KIND_DIRECTORY,
	CLI_KIND_VERB,
	CLI_KIND_COMMAND, /* another program and its arguments, to the end */
	CLI_KIND_WORDS,	  /* one of the option's words */
	CLI_KIND_LIST,	  /* some of them */
	CLI_KIND_OTHER
};

/* The argument of an option. */
enum cli_kind cli_option_kind(const struct cli_option *option);

/*
 * The argument that a word of the synopsis stands for, the next one from *synopsis on, which is
 * moved behind it. The word is *word, *len long. CLI_KIND_NONE at the end. Of a command that has
 * words, the first argument is CLI_KIND_WORDS whatever is told here.
 */
enum cli_kind cli_next_kind(const char **synopsis, const char **word, size_t *len);

/* Call each verb's, and each other program's, command. */
void cli_each_command(void (*each)(const struct cli_command *command, void *arg), void *arg);

#endif
