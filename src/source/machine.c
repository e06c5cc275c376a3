// SPDX-License-Identifier: GPL-2.0-only
/* What the machine's own files tell beside page_owner: the zones' names, the kernel's release, a
 * switch. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/lines.h"
#include "source/source.h"

DEFINE_CLEANUP(input, struct kmp_input *, kmp_input_destroy)
DEFINE_CLEANUP(lines, struct kmp_lines *, kmp_lines_destroy)

/* `Node 0, zone    DMA32`: a node's zones come in the order of their index. */
struct kmp_error *kmp_zoneinfo_read(const char *path, struct kmp_ledger *ledger)
{
	struct kmp_input *input cleanup(cleanup_input) = NULL;
	struct kmp_lines *lines cleanup(cleanup_lines) = NULL;
	int last_node = -1;
	int index = 0;

	try(kmp_input_open(path, &input));
	try(kmp_lines_create(input, &lines));
	for (;;) {
		const char *line;
		size_t len;
		int node;
		char name[32];

		try(kmp_lines_next(lines, &line, &len));
		if (!line)
			return NULL;
		if (sscanf(line, "Node %d, zone %31s", &node, name) != 2 || node < 0)
			continue;
		index = node == last_node ? index + 1 : 0;
		last_node = node;
		try(kmp_ledger_set_zone(ledger, node, index, name));
	}
}

/* `Linux version 7.3.4 (…`, as /proc/version has it. */
struct kmp_error *kmp_version_read(const char *path, struct kmp_ledger *ledger)
{
	static const char word[] = "Linux version ";
	struct kmp_input *input cleanup(cleanup_input) = NULL;
	struct kmp_lines *lines cleanup(cleanup_lines) = NULL;
	struct kmp_facts facts = *kmp_ledger_facts(ledger);
	const char *line;
	char release[128] = "";
	size_t len;

	try(kmp_input_open(path, &input));
	try(kmp_lines_create(input, &lines));
	try(kmp_lines_next(lines, &line, &len));
	if (!line || strncmp(line, word, sizeof(word) - 1) != 0)
		return NULL;
	line += sizeof(word) - 1;
	for (size_t i = 0; i < sizeof(release) - 1 && line[i] && !isspace((unsigned char)line[i]);
	     i++)
		release[i] = line[i];
	facts.kernel = release;
	return kmp_ledger_set_facts(ledger, &facts);
}

/* `0`, `1` or `never`. */
struct kmp_error *kmp_profiling_read(const char *path, struct kmp_ledger *ledger)
{
	struct kmp_input *input cleanup(cleanup_input) = NULL;
	struct kmp_lines *lines cleanup(cleanup_lines) = NULL;
	struct kmp_facts facts = *kmp_ledger_facts(ledger);
	const char *line;
	size_t len;

	try(kmp_input_open(path, &input));
	try(kmp_lines_create(input, &lines));
	try(kmp_lines_next(lines, &line, &len));
	facts.profiling_off = line && (!strcmp(line, "0") || !strcmp(line, "never"));
	return kmp_ledger_set_facts(ledger, &facts);
}
