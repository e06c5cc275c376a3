// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a large dump out of a small one: page_owner text on standard input is repeated on standard
 * output up to so many bytes, whole records only. Each round moves PFNs and blocks behind those of
 * the round before, so that they rise as a kernel's do. Records whose header is not plain (a task
 * name with blanks, parentheses, a newline) are left out: the tool compared with dies on them.
 *
 *     grow BYTES <page_owner >large
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
	const char *text;   /* up to the PFN */
	const char *middle; /* from behind it to the block's number */
	const char *rest;   /* from behind that */
	int text_len;
	int middle_len;
	int rest_len;
	uint64_t pfn;
	uint64_t block;
};

static struct record *records;
static size_t count;
static uint64_t next_pfn; /* behind the last one */

static void die(const char *what)
{
	fprintf(stderr, "grow: %s\n", what);
	exit(1);
}

static char *read_all(size_t *len)
{
	size_t cap = 1 << 20;
	char *data = malloc(cap);

	*len = 0;
	while (data) {
		size_t got = fread(data + *len, 1, cap - *len - 1, stdin);

		*len += got;
		if (!got)
			break;
		if (*len == cap - 1)
			data = realloc(data, cap *= 2);
	}
	if (!data || ferror(stdin))
		die("cannot read");
	data[*len] = '\0';
	return data;
}

/* Is the task name between its parentheses of letters, digits and a few signs? */
static bool has_plain_header(const char *header)
{
	const char *open = strstr(header, ", tgid ");
	const char *end = strchr(header, '\n');

	open = open && open < end ? strchr(open, '(') : NULL;
	if (!open || open > end)
		return false;
	size_t len = strspn(open + 1,
			    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789/:_.-");

	return len && !strncmp(open + 1 + len, "), ts ", 6) && !strncmp(end + 1, "PFN 0x", 6);
}

static void add_record(const char *text, const char *end)
{
	char *behind;
	struct record r = { .text = text };
	const char *line = strchr(text, '\n') + 1;

	r.pfn = strtoull(line + 4, &behind, 16);
	r.text_len = (int)(line + 4 - text);
	r.middle = behind;
	const char *block = strstr(behind, " Block ");

	if (!block || block > end)
		return;
	block += strlen(" Block ");
	r.middle_len = (int)(block - behind);
	r.block = strtoull(block, &behind, 10);
	r.rest = behind;
	r.rest_len = (int)(end - behind);
	if (count % 4096 == 0)
		records = realloc(records, (count + 4096) * sizeof(*records));
	if (!records)
		die("out of memory");
	records[count++] = r;
	if (next_pfn <= r.pfn)
		next_pfn = r.pfn + 1;
}

static void split(const char *text, const char *limit)
{
	while (text < limit && !strncmp(text, "Page allocated", 14)) {
		const char *end = strstr(text, "\n\nPage allocated");

		end = end ? end + 2 : limit;
		if (has_plain_header(text))
			add_record(text, end);
		text = end;
	}
}

int main(int argc, char **argv)
{
	uint64_t limit = argc == 2 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t written = 0;
	size_t len;
	char *data = read_all(&len);

	split(data, data + len);
	if (!limit || !count)
		die("usage: grow BYTES <page_owner");
	/* Whole pageblocks of 512 frames, so that blocks move with the frames. */
	uint64_t stride = (next_pfn + 511) / 512 * 512;

	for (uint64_t round = 0;; round++) {
		for (size_t i = 0; i < count; i++) {
			const struct record *r = &records[i];
			int n = printf("%.*s0x%" PRIx64 "%.*s%" PRIu64, r->text_len, r->text,
				       r->pfn + round * stride, r->middle_len, r->middle,
				       r->block + round * (stride / 512));

			if (n < 0 ||
			    fwrite(r->rest, 1, (size_t)r->rest_len, stdout) != (size_t)r->rest_len)
				die("cannot write");
			written += (uint64_t)(n + r->rest_len);
			if (written >= limit) {
				if (fflush(stdout))
					die("cannot write");
				fprintf(stderr, "grow: %zu records a round, %" PRIu64 " bytes\n",
					count, written);
				return 0;
			}
		}
	}
}
