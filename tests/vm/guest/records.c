// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is a page_owner text what the kernel would have said between two texts of its own? Shares no
 * code with kmemprof.
 *
 *     records BEFORE OURS AFTER MICROSECONDS
 *
 * - PFNs rise in OURS, so that none comes twice.
 * - What stands in BEFORE and AFTER alike stands in OURS, byte for byte. (Flags may differ in one
 *   record of a thousand: they come and go while a page is written or moved.)
 * - What OURS has was there before, comes after, or was allocated later than MICROSECONDS of
 * uptime, when BEFORE had not begun.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct record {
	const char *text;
	size_t len;
	uint64_t pfn;
	uint64_t ts;
};

struct records {
	struct record *data;
	size_t count;
};

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t cap = 0;

	/* No NUL stands in these texts. */
	if (!file || getdelim(&text, &cap, '\0', file) < 0)
		err(2, "%s", path);
	fclose(file);
	return text;
}

static void parse_record(const char *path, const char *text, size_t len, struct record *record)
{
	const char *pfn = memmem(text, len, "\nPFN 0x", 7);
	const char *ts = NULL;
	const char *next = text;

	if (!pfn)
		errx(2, "%s: no PFN in '%.*s'", path, (int)len, text);
	while ((next = memmem(next, (size_t)(pfn - next), ", ts ", 5)))
		ts = next += 5;
	record->text = text;
	record->len = len;
	record->pfn = strtoull(pfn + 5, NULL, 16);
	record->ts = ts ? strtoull(ts, NULL, 10) : 0;
}

static struct records parse(const char *path)
{
	static const char header[] = "Page allocated via order ";
	const char *text = read_text(path);
	struct records records = { NULL, 0 };
	size_t cap = 0;

	while (*text) {
		const char *end = strstr(text, "\n\n");

		if (strncmp(text, header, sizeof(header) - 1) != 0 || !end)
			errx(2, "%s: no record: '%.200s'", path, text);
		end += 2;
		if (records.count == cap) {
			cap = cap ? 2 * cap : 4096;
			records.data = reallocarray(records.data, cap, sizeof(*records.data));
			if (!records.data)
				err(2, "memory");
		}
		parse_record(path, text, (size_t)(end - text), &records.data[records.count++]);
		text = end;
	}
	return records;
}

/* The record of this allocation: its place and its time. */
static const struct record *find(const struct records *records, const struct record *wanted)
{
	size_t low = 0;
	size_t high = records->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (records->data[middle].pfn < wanted->pfn)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == records->count || records->data[low].pfn != wanted->pfn ||
	    records->data[low].ts != wanted->ts)
		return NULL;
	return &records->data[low];
}

static bool equal(const struct record *a, const struct record *b)
{
	return a->len == b->len && !memcmp(a->text, b->text, a->len);
}

static void show(const char *what, const struct record *record, size_t *count)
{
	if ((*count)++ < 3)
		printf("%s:\n%.*s", what, (int)record->len, record->text);
}

int main(int argc, char **argv)
{
	size_t stable = 0;
	size_t missing = 0;
	size_t differ = 0;
	size_t invented = 0;
	size_t twice = 0;

	if (argc != 5)
		errx(2, "usage: records BEFORE OURS AFTER MICROSECONDS");

	struct records before = parse(argv[1]);
	struct records ours = parse(argv[2]);
	struct records after = parse(argv[3]);
	uint64_t begin = strtoull(argv[4], NULL, 10) * 1000;

	for (size_t i = 0; i < before.count; i++) {
		const struct record *record = &before.data[i];
		const struct record *later = find(&after, record);
		const struct record *own = find(&ours, record);

		if (!later || !equal(record, later))
			continue;
		stable++;
		if (!own) {
			show("missing", record, &missing);
		} else if (!equal(record, own)) {
			show("theirs", record, &differ);
			differ--;
			show("ours", own, &differ);
		}
	}
	for (size_t i = 0; i < ours.count; i++) {
		const struct record *record = &ours.data[i];

		if (i && record->pfn <= ours.data[i - 1].pfn)
			show("not in order", record, &twice);
		if (record->ts < begin && !find(&before, record) && !find(&after, record))
			show("invented", record, &invented);
	}
	printf("%zu records, %zu before, %zu after, %zu of them stable: %zu missing, %zu with "
	       "other "
	       "flags, %zu invented, %zu out of order\n",
	       ours.count, before.count, after.count, stable, missing, differ, invented, twice);
	return missing || invented || twice || differ > stable / 1000 || stable < before.count / 2;
}
