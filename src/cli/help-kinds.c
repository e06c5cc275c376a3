// SPDX-License-Identifier: GPL-2.0-only
#include "cli/help-kinds.h"

#include <string.h>

#include "cli/old-names.h"

enum cli_kind cli_option_kind(const struct cli_option *option)
{
	if (!option->arg)
		return CLI_KIND_NONE;
	if (option->words)
		return option->joint ? CLI_KIND_LIST : CLI_KIND_WORDS;
	if (!strncmp(option->arg, "FILE", 4))
		return CLI_KIND_FILE;
	return strcmp(option->arg, "DIR") != 0 ? CLI_KIND_OTHER : CLI_KIND_DIRECTORY;
}

/* Verbs and a directory have names of their own; what is not one of some words is a file. */
static enum cli_kind kind_of(const char *word, size_t len)
{
	static const struct {
		const char *word;
		enum cli_kind kind;
	} words[] = {
		{ "DIR", CLI_KIND_DIRECTORY },
		{ "VERB", CLI_KIND_VERB },
		{ "--", CLI_KIND_COMMAND },
		{ "TAG", CLI_KIND_OTHER },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strlen(words[i].word) == len && !memcmp(words[i].word, word, len))
			return words[i].kind;
	}
	return memchr(word, '|', len) ? CLI_KIND_OTHER : CLI_KIND_FILE;
}

enum cli_kind cli_next_kind(const char **synopsis, const char **word, size_t *len)
{
	*word = *synopsis + strspn(*synopsis, " []");
	*len = strcspn(*word, " []");
	*synopsis = *word + *len;
	if (!*len)
		return CLI_KIND_NONE;
	enum cli_kind kind = kind_of(*word, *len);

	if (kind == CLI_KIND_COMMAND)
		*synopsis += strlen(*synopsis);
	return kind;
}

void cli_each_command(void (*each)(const struct cli_command *command, void *arg), void *arg)
{
	for (size_t i = 0; cli_commands[i]; i++)
		each(cli_commands[i], arg);
	for (size_t i = 0; cli_old_commands[i]; i++)
		each(cli_old_commands[i], arg);
}
