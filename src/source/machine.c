// SPDX-License-Identifier: GPL-2.0-only
/* What the machine's own files tell beside page_owner: the zones' names, the kernel's release, a
 * switch. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/lines.h"
#include "base/unpack.h"
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

/*
 * The first line of a file; without its end, cut at size - 1 bytes. Files of the kernel are read at
 * once and by little: for some of them it takes memory as large as our buffer.
 */
static struct kmp_error *first_line(const char *path, char *line, size_t size)
{
	struct kmp_input *input cleanup(cleanup_input) = NULL;
	struct kmp_lines *lines cleanup(cleanup_lines) = NULL;
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, line, size - 1);
	const char *text = NULL;
	size_t len;

	if (got < 0)
		return kmp_error_system(errno, path, fd < 0 ? "cannot open" : "cannot read");
	line[got] = '\0';
	if (kmp_unpack_detect((unsigned char *)line, (size_t)got) == KMP_PLAIN) {
		line[strcspn(line, "\n")] = '\0';
		return NULL;
	}
	try(kmp_input_open(path, &input));
	try(kmp_lines_create(input, &lines));
	try(kmp_lines_next(lines, &text, &len));
	snprintf(line, size, "%s", text ? text : "");
	return NULL;
}

/* `Linux version 7.3.4 (…`, as /proc/version has it. */
struct kmp_error *kmp_version_read(const char *path, struct kmp_ledger *ledger)
{
	static const char word[] = "Linux version ";
	struct kmp_facts facts = *kmp_ledger_facts(ledger);
	char text[1024] = "";
	char release[128] = "";

	try(first_line(path, text, sizeof(text)));
	if (strncmp(text, word, sizeof(word) - 1) != 0)
		return NULL;
	const char *at = text + sizeof(word) - 1;

	for (size_t i = 0; i < sizeof(release) - 1 && at[i] && !isspace((unsigned char)at[i]); i++)
		release[i] = at[i];
	facts.kernel = release;
	return kmp_ledger_set_facts(ledger, &facts);
}

/* `0`, `1` or `never`. */
struct kmp_error *kmp_profiling_read(const char *path, struct kmp_ledger *ledger)
{
	struct kmp_facts facts = *kmp_ledger_facts(ledger);
	char text[64] = "";

	try(first_line(path, text, sizeof(text)));
	facts.profiling_off = !strcmp(text, "0") || !strcmp(text, "never");
	return kmp_ledger_set_facts(ledger, &facts);
}
